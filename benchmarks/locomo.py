"""LoCoMo through the running server: real conversations in, their questions asked, no LLM.

Each conversation gets a server of its own. Questions go through the one door that agents use, with
its traces and all; the vector-only answers of the same server stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from benchmarks.conversations import FILE, Conversation, Question, read
from benchmarks.figures import Figure, median, quantile
from benchmarks.filling import filled
from benchmarks.metrics import Mean, hit, ndcg, recall
from benchmarks.processes import serving
from benchmarks.run import Run
from benchmarks.wire import Caller

METHODS: Final = ("hybrid", "vector")
_DEPTH = 50


@dataclass(frozen=True)
class Answer:
    """A question with what was found, best first, turns and the sessions they imply."""

    question: Question
    turns: list[str]
    sessions: list[str]
    seconds: float


Measure = Callable[[Answer], float]
MEASURES: Final[dict[str, Measure]] = {
    "turn recall@10": lambda one: recall(one.turns, one.question.turns, 10),
    "turn nDCG@10": lambda one: ndcg(one.turns, one.question.turns, 10),
    "session hit@5": lambda one: hit(one.sessions, one.question.sessions, 5),
}
GOALS: Final = {"turn recall@10": 0.68, "session hit@5": 0.92}


def measured(run: Run) -> list[Figure]:
    """Return the measures of both methods, by category for the default one."""
    if run.data is None or not (run.data / FILE).is_file():
        run.console.print(f"locomo: skipped, no {FILE} in --data or WELLWORN_BENCH_DATA")
        return []
    answers: dict[str, list[Answer]] = {method: [] for method in METHODS}
    for conversation in read(run.data)[: 1 if run.quick else run.conversations]:
        for method, found in _asked(run, conversation).items():
            answers[method] += found
    figures = [_figure(name, answers["hybrid"], GOALS.get(name)) for name in MEASURES]
    figures += [_figure(name, answers["vector"], None, "vector alone: ") for name in MEASURES]
    return figures + _by_category(answers["hybrid"]) + _latencies(answers)


def _asked(run: Run, conversation: Conversation) -> dict[str, list[Answer]]:
    count = len(conversation.questions)
    with serving(run.folder / conversation.name) as server:
        filled(run, server, conversation.records, len(conversation.records))
        answers: dict[str, list[Answer]] = {}
        with Caller(server.port) as caller:
            for method in METHODS:
                with run.progress(f"{conversation.name}, {method}", count) as advance:
                    answers[method] = [
                        _answer(caller, conversation, question, method, advance)
                        for question in conversation.questions
                    ]
    return answers


def _answer(
    caller: Caller,
    conversation: Conversation,
    question: Question,
    method: str,
    advance: Callable[[int], None],
) -> Answer:
    seconds, reply = caller.asked(question.text, limit=_DEPTH, retrieval_method=method)
    turns = [source["thought_id"] for source in reply["result"]["sources"]]
    sessions = list(dict.fromkeys(conversation.sessions[turn] for turn in turns))
    advance(1)
    return Answer(question, turns, sessions, seconds)


def _figure(name: str, answers: list[Answer], goal: float | None, prefix: str = "") -> Figure:
    mean = Mean.of([MEASURES[name](answer) for answer in answers])
    if goal is None:
        return Figure(prefix + name, mean.value, note=mean.interval)
    return Figure.at_least(prefix + name, mean.value, goal, "", mean.interval)


def _by_category(answers: list[Answer]) -> list[Figure]:
    categories = sorted({answer.question.category for answer in answers})
    return [
        _figure(
            name,
            [one for one in answers if one.question.category == category],
            None,
            f"{category}: ",
        )
        for category in categories
        for name in MEASURES
    ]


def _latencies(answers: dict[str, list[Answer]]) -> list[Figure]:
    figures: list[Figure] = []
    for method, found in answers.items():
        seconds = [answer.seconds for answer in found]
        note = f"p95 {1e3 * quantile(seconds, 0.95):.1f} ms; 50 results each"
        figures.append(Figure(f"answer p50, {method}", 1e3 * median(seconds), "ms", note=note))
    return figures
