"""How well the memory remembers: what is true now, what was, and when to say nothing.

A set is a folder of JSON Lines: `notes.jsonl` with what was said, by whom and when, and
`questions.jsonl` with what is asked later, which notes answer it and which are outdated. It is
stored and asked in process, by a clock that stands at each note's and each question's time.

The notes that come with it were written before the rules, by somebody who had not seen them.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from benchmarks.asking import ask_prompts
from benchmarks.asking import score as score_asking
from benchmarks.chats import measure_chats
from benchmarks.figures import Figure
from benchmarks.run import Run
from benchmarks.small_memories import (
    judge_corrections,
    judge_courtesies,
    judge_forgetting,
    measure_requests,
    measure_series,
    measure_small,
)
from benchmarks.times import measure_times, store_notes
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt, Reply
from wellworn.domain.memory.contribution import is_contribution
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.kit.clock import from_iso
from wellworn.testing.clock import ManualClock

LOCAL = local_access()
AGENTS: Final = ("agent-1", "agent-2", "agent-3", "agent-4", "agent-5")
NEEDED: Final = "The glaze kiln reaches cone six after nine hours."
NEED: Final = (
    "How long does the kiln take to reach cone six?",
    "firing time for glaze",
    "When can I expect the kiln to be hot enough?",
    "How many hours for a glaze firing?",
    "kiln duration cone 6",
)
NOTES: Final = Path(__file__).with_name("notes")
AT_LEAST: Final = {
    "current: first": 0.85,
    "as_of: first": 0.8,
    "history: recall@10": 0.8,
    "unanswerable: nothing close": 0.9,
    "highways: one need in five wordings": 1.0,
    "asking: vague prompts asked back": 0.8,
    "asking_unseen: vague prompts asked back": 0.8,
}
AT_MOST: Final = {
    "highways: before a question": 0.0,
    "highways: after forty questions": 0.2,
    "current: outdated above": 0.07,
    "unanswerable: results": 1.0,
    "needless denial": 0.0,
    "kept although no knowledge": 0.1,
    "knowledge lost": 0.15,
    "asking: precise ones": 0.03,
    "asking_unseen: precise ones": 0.03,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the notes that were shown, best first, and the answer in words."""

    question: dict[str, Any]
    shown: tuple[str, ...]
    reply: Reply


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def ask(
    app: App, clock: ManualClock, questions: Iterable[dict[str, Any]], ids: dict[str, str]
) -> list[Asked]:
    """Ask the questions at their times; nothing of them is kept as knowledge."""
    asked: list[Asked] = []
    for question in questions:
        clock.advance(from_iso(question["at"]) - clock.now())
        prompt = Prompt(
            question["text"],
            question["by"],
            question["by"],
            contribute=Contribute.NEVER,
            scope=_read_as_of(question["as_of"]),
        )
        reply = app.memory.converse(LOCAL, prompt)
        shown = tuple(ids[source.thought_id] for source in reply.result.sources)
        asked.append(Asked(question, shown, reply))
    return asked


def _read_as_of(day: str | None) -> TimeScope:
    """Return the scope of a question that names a day beside its words: the end of that day."""
    return ANY_TIME if day is None else TimeScope(as_of=from_iso(f"{day}T23:59:59Z"))


def score(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures, each a share of its questions unless it says otherwise."""
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for one in asked:
        question, shown = one.question, one.shown
        kind = question["kind"]
        right = set(question["current"] or question["answers"])
        outdated = set(question["outdated"])
        first = next((note for note in shown if note in right | outdated), None)
        if kind == "unanswerable":
            figures["unanswerable: results"].append(len(shown))
            figures["unanswerable: nothing close"].append(
                one.reply.result.response.startswith("Nothing")
            )
            continue
        figures["needless denial"].append(one.reply.result.response.startswith("Nothing"))
        figures["results shown"].append(len(shown))
        if kind in {"history", "summary"}:
            figures[f"{kind}: recall@10"].append(len(right & set(shown)) / len(right))
            continue
        figures[f"{kind}: first"].append(bool(shown) and shown[0] in right)
        figures[f"{kind}: in five"].append(not right.isdisjoint(shown[:5]))
        if outdated:
            figures[f"{kind}: outdated above"].append(first in outdated)
    return {name: fmean(values) for name, values in sorted(figures.items())}


def measure(folder: Path) -> dict[str, float]:
    """Store a set's notes in a new memory, ask its questions and return the figures."""
    notes, questions = read_lines(folder / "notes.jsonl"), read_lines(folder / "questions.jsonl")
    clock = ManualClock(from_iso(min(note["at"] for note in notes)))
    with (
        tempfile.TemporaryDirectory() as home,
        closing(open_app(Path(home), clock=clock)) as app,
    ):
        ids = store_notes(app, clock, notes)
        figures = score(ask(app, clock, questions, ids))
    return figures | judge_prompts(folder)


def measure_highways(folder: Path) -> dict[str, float]:
    """Return the share of highways among sixty notes, and whether one need of five makes one.

    The notes are said in conversations; forty of the questions are asked by five agents in turn.
    """
    notes = read_lines(folder / "notes.jsonl")[:60]
    questions = read_lines(folder / "questions.jsonl")[:120:3]
    clock = ManualClock(from_iso(notes[0]["at"]))
    with (
        tempfile.TemporaryDirectory() as home,
        closing(open_app(Path(home), clock=clock)) as app,
    ):

        def say(text: str, agent: str, contribute: Contribute) -> Reply:
            clock.advance(3600)
            return app.memory.converse(LOCAL, Prompt(text, agent, agent, contribute=contribute))

        def list_highways() -> set[str]:
            highways = app.thoughts.list_highways(LOCAL, limit=100)
            return {highway.thought_id for highway in highways}

        for note in notes:
            say(note["text"], note["by"], Contribute.ALWAYS)
        before = len(list_highways())
        for question, agent in zip(questions, cycle(AGENTS), strict=False):
            say(question["text"], agent, Contribute.NEVER)
        after = len(list_highways())
        needed = say(NEEDED, "ana", Contribute.ALWAYS).trace.thought_id
        for wording, agent in zip(NEED, AGENTS, strict=True):
            say(wording, agent, Contribute.NEVER)
        return {
            "highways: before a question": before / len(notes),
            "highways: after forty questions": after / len(notes),
            "highways: one need in five wordings": needed in list_highways(),
        }


def judge_prompts(folder: Path) -> dict[str, float]:
    """Return how often the contribution rule keeps what is no knowledge, and loses what is."""
    prompts = read_lines(folder / "prompts.jsonl")
    stored = [is_contribution(prompt["text"]) for prompt in prompts]
    wanted = [prompt["keep"] for prompt in prompts]
    pairs = list(zip(stored, wanted, strict=True))
    return {
        "kept although no knowledge": fmean(is_kept for is_kept, keep in pairs if not keep),
        "knowledge lost": fmean(not is_kept for is_kept, keep in pairs if keep),
    }


def measured(run: Run) -> list[Figure]:
    """Return the figures of a folder in `--data` with its chats, or of the notes kept here."""
    folder = run.data / "remembering" if run.data else NOTES
    folder = folder if folder.is_dir() else NOTES
    figures = measure(folder) | measure_highways(folder)
    for prompts in sorted(folder.glob("asking*.jsonl")):
        asked_back = score_asking(ask_prompts(read_lines(prompts)))
        figures |= {f"{prompts.stem}: {name}": share for name, share in asked_back.items()}
    for pattern, measure_file in (
        ("small*", measure_small),
        ("series*", measure_series),
        ("courtesies*", judge_courtesies),
        ("corrections*", judge_corrections),
        ("requests*", measure_requests),
        ("denials*", measure_requests),
        ("forgetting*", judge_forgetting),
    ):
        for file in sorted(folder.glob(f"{pattern}.jsonl")):
            shares = measure_file(read_lines(file))
            figures |= {f"{file.stem}: {name}": share for name, share in shares.items()}
    for file in sorted(folder.glob("times*.jsonl")):
        shares = measure_times(read_lines(folder / "notes.jsonl"), read_lines(file))
        figures |= {f"{file.stem}: {name}": share for name, share in shares.items()}
    if run.data and (run.data / "beam").is_dir():
        figures |= measure_chats(run.data)
    return [_figure(name, value) for name, value in figures.items()]


def _figure(name: str, value: float) -> Figure:
    least, most = AT_LEAST.get(name), AT_MOST.get(name)
    if least is not None:
        return Figure.at_least(name, value, least, "")
    return Figure(name, value) if most is None else Figure.at_most(name, value, most, "")
