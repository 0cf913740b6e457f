"""Turns without a model: what they answer, what they cost beside what they find, and how they grow.

The question sets are those of `knowledge_answers`. Each has a memory of its own, and is asked some
of its questions, and some of another set's, which nothing in it answers.
"""

from __future__ import annotations

import gc
import re
import resource
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, median
from benchmarks.knowledge_answers import (
    Question,
    QuestionSet,
    sections_of_products,
    shares,
    shown,
    spans_of_texts,
)
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import TurnAnswer, TurnQuery
from wellworn.domain.turns import store as turn_store
from wellworn.domain.turns.grounding import format_source
from wellworn.kit.text import normalise_text

ACCESS = local_access(DEFAULT_SPACE)
SETS: dict[str, Callable[[Path], QuestionSet]] = {
    "docs": shown,
    "anthropic-docs": sections_of_products,
    "chunking-eval": spans_of_texts,
}
_ASKED_OF_A_SET, _UNANSWERED_OF_A_SET = 20, 7
_OTHER_DOCUMENTS = 35
_THOUGHTS, _TURNS = 1_000, 60
_FEW, _MANY = 100, 10_000
_WARM, _IN_A_ROW = 50, 200


def measured(run: Run) -> list[Figure]:
    """Return what turns cost, and, where the data is there, what they answer."""
    figures = [*_measure_cost(run), *_measure_growth(run), *_measure_leaks(run)]
    if run.data is None or not run.data.is_dir():
        run.console.print("answers of turns: skipped, no folder in --data")
        return figures
    return [*figures, *_measure_answers(run, run.data)]


# ---- what they answer


def _measure_answers(run: Run, data: Path) -> list[Figure]:
    sets = [load(data) for folder, load in SETS.items() if (data / folder).is_dir()]
    hits: list[bool] = []
    shown_spans: list[bool] = []
    silent: list[bool] = []
    sourced: list[bool] = []
    for place, each in enumerate(sets):
        other = sets[place - 1]
        with closing(_open_set(run, each)) as app:
            for question in _sample(each.questions, run.samples(_ASKED_OF_A_SET)):
                answer = _ask(app, question.text, len(sourced))
                hits.append(_is_hit(question, answer, each.texts))
                shown_spans.append(hits[-1] or _is_shown(question, answer, each.texts))
                sourced.append(_is_sourced(answer))
            for question in _sample(other.questions, run.samples(_UNANSWERED_OF_A_SET)):
                answer = _ask(app, question.text, len(sourced))
                silent.append(not answer.claims)
                sourced.append(_is_sourced(answer))
    return [
        _share("turns: answered with the right span", hits, 0.8),
        _share("turns: right span answered or quoted as nearest", shown_spans, 0.8),
        _share("turns: said that nothing answers", silent, 1.0),
        _share("turns: every quote stands in its source", sourced, 1.0),
    ]


def _open_set(run: Run, one: QuestionSet) -> App:
    folder = run.folder / one.name
    for path, text in _choose_texts(run, one).items():
        file = folder / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    app = open_app(folder / "home")
    source = app.guard.pool.shared.sources.create(
        ACCESS, NewSource("folder", "docs", {"path": str(folder / "docs")})
    )
    app.syncs.request_sync(ACCESS, source.id)
    app.embedding.finish()
    return app


def _choose_texts(run: Run, one: QuestionSet) -> dict[str, str]:
    """Return the documents that the questions asked are about, and of many others some."""
    asked = {
        spot.path
        for question in _sample(one.questions, run.samples(_ASKED_OF_A_SET))
        for spot in question.spots
    }
    others = [path for path in sorted(one.texts) if path not in asked]
    step = max(1, len(others) // _OTHER_DOCUMENTS)
    return {path: one.texts[path] for path in sorted(asked.union(others[::step]))}


def _sample(asked: Sequence[Question], count: int) -> list[Question]:
    plain = [question for question in asked if question.form in {"plain", "all", ""}] or asked
    step = max(1, len(plain) // count)
    return list(islice(plain[::step], count))


def _ask(app: App, text: str, number: int) -> TurnAnswer:
    # Each asker is a new one, so that no question is taken for a follow-up.
    return app.turns.ask(ACCESS, TurnQuery(text, f"asker-{number}", "Asker"))


def _is_hit(question: Question, answer: TurnAnswer, texts: dict[str, str]) -> bool:
    sources = {item.number: item.source for item in answer.evidence}
    return any(
        sources[claim.evidence].partition("#")[0].endswith(spot.path)
        and shares(spot, claim.text, texts[spot.path], -len(claim.text))
        for claim in answer.claims
        if claim.evidence is not None
        for spot in question.spots
    )


def _is_shown(question: Question, answer: TurnAnswer, texts: dict[str, str]) -> bool:
    """Tell whether the right span is quoted as what is nearest to an answer."""
    lines = [line for line in re.findall(r"^  > (.+)$", answer.text, re.MULTILINE) if line.strip()]
    return any(
        shares(spot, line, texts[spot.path], -len(line))
        for spot in question.spots
        for line in lines
    )


def _is_sourced(answer: TurnAnswer) -> bool:
    evidence = {item.number: normalise_text(format_source(item)) for item in answer.evidence}
    return answer.turn.status.is_over and all(
        normalise_text(claim.text) in evidence[claim.evidence or 0] for claim in answer.claims
    )


def _share(name: str, values: Sequence[bool], goal: float) -> Figure:
    count = f"{len(values)} questions"
    return Figure.at_least(name, sum(values) / max(1, len(values)), goal, "", count)


# ---- what they cost


def _measure_cost(run: Run) -> Iterator[Figure]:
    """Yield what a turn takes beside all its retrievals."""
    with closing(open_app(run.folder / "cost")) as app:
        _remember(app, run.samples(_THOUGHTS))
        spent = _count_time(app.guard.pool.shared.turns, ("recall", "find_candidates"))
        own: list[float] = []
        whole: list[float] = []
        for text in questions(run.samples(_TURNS), seed=2):
            spent.clear()
            began = time.perf_counter()
            app.turns.ask(ACCESS, TurnQuery(text, "ada", "Ada"))
            whole.append((time.perf_counter() - began) * 1000)
            own.append(whole[-1] - sum(spent))
    note = f"whole turn {median(whole):.1f} ms, {len(own)} turns, {_THOUGHTS:,} thoughts"
    yield Figure.at_most("turn beside its retrievals, p50", median(own), 60, "ms", note)


def _remember(app: App, count: int) -> None:
    for record in thoughts(count):
        app.thoughts.think(ACCESS, ThoughtDraft(record["content"], "ada", "Ada"))


def _count_time(turns: Any, names: Sequence[str]) -> list[float]:
    """Return a list that gets the milliseconds of every call to these methods, and to tools."""
    spent: list[float] = []

    def measure(owner: Any, name: str) -> None:
        call = getattr(owner, name)

        def work(*arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*arguments)
            finally:
                spent.append((time.perf_counter() - began) * 1000)

        setattr(owner, name, work)

    for name in names:
        measure(turns._gatherer, name)  # noqa: SLF001 - measured from within
    if "recall" in names:
        for tool in turns._parts.tools.shared.values():  # noqa: SLF001
            measure(tool, "call")
    return spent


# ---- how they grow


def _measure_growth(run: Run) -> Iterator[Figure]:
    """Yield how much longer gathering takes with many turns before than with few."""
    took = [_measure_gathering(run, count) for count in (_FEW, run.samples(_MANY))]
    note = f"{took[0]:.1f} ms after {_FEW}, {took[1]:.1f} ms after {run.samples(_MANY):,} turns"
    yield Figure.at_most("gathering after many turns", took[1] / took[0], 1.5, "times", note)


def _measure_gathering(run: Run, count: int) -> float:
    with closing(open_app(run.folder / f"grown-{count}")) as app:
        app.turns.ask(ACCESS, TurnQuery("What is a lighthouse?", "ada", "Ada"))
        [first] = app.turns.list_turns(ACCESS)
        vectors = app.embedder.embed(questions(min(count, 500), seed=3))
        with app.database.write() as transaction:
            for number in range(2, count + 1):
                row = replace(first, id=f"grown-{number}", number=number)
                vector = vectors[number % len(vectors)]
                turn_store.add(transaction, ACCESS, row, vector)
        spent = _count_time(app.guard.pool.shared.turns, ("find_candidates",))
        for text in questions(run.samples(_TURNS), seed=4):
            app.turns.ask(ACCESS, TurnQuery(text, "ada", "Ada"))
        return median(spent)


def _measure_leaks(run: Run) -> Iterator[Figure]:
    """Yield what many turns in a row leave behind in the process, after it has warmed up."""
    with closing(open_app(run.folder / "leaks")) as app:
        _remember(app, 200)
        _ask_in_a_row(app, _WARM)
        before, handles = _read_resident_mib(), _count_handles()
        count = run.samples(_IN_A_ROW)
        _ask_in_a_row(app, count)
        grown, left = _read_resident_mib() - before, _count_handles() - handles
    yield Figure.at_most(f"memory after {count} turns in a row", grown, 10, "MiB", "over 50 turns")
    yield Figure.at_most(f"handles after {count} turns in a row", left, 0, "", "over 50 turns")


def _ask_in_a_row(app: App, count: int) -> None:
    for text in questions(count, seed=5):
        app.turns.ask(ACCESS, TurnQuery(text, "ada", "Ada"))
    gc.collect()


def _count_handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) + threading.active_count()


def _read_resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 2**20
