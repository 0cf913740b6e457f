"""What the reading model adds, on sets in `--data/reading-sets` and on the notes kept here.

A set is a folder with all or some of

- `notes.jsonl` and `questions.jsonl`: what was said, and questions whose `first` note is right and
  whose `outdated` ones are not; `oblique` where the change is told in other words; or `nothing`;
- `documents/`, `ask.jsonl`, `resolve.jsonl`: questions with the shortest exact `value`, or without.

The notes and questions kept here were written by people who saw neither rules nor
code. Bounds were chosen on the first; since the second was reported it is for tuning as well.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from benchmarks.figures import Figure
from benchmarks.remembering import NOTES, read_lines
from benchmarks.run import Run
from benchmarks.times import store_notes
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.knowledge import ResolutionOutcome
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import local_access
from wellworn.domain.turns import TurnQuery
from wellworn.kit.clock import from_iso
from wellworn.testing.clock import ManualClock

LOCAL: Final = local_access()
_DAY_S: Final = 86_400
_FIRST: Final = 5
_MARKS: Final = re.compile(r"[*_`|>#\s]+")
_NOTHING: Final = "Nothing known is close"
Shares = dict[str, list[float]]


def measured(run: Run) -> list[Figure]:
    """Return the figures of every set."""
    folders = sorted(NOTES.glob("changes_*"))
    if run.data is not None:
        folders += sorted((run.data / "reading-sets").glob("*"))
    return [figure for folder in folders for figure in _measure_set(folder)]


def _measure_set(folder: Path) -> list[Figure]:
    shares: Shares = defaultdict(list)
    if (folder / "notes.jsonl").exists():
        _measure_notes(folder, shares)
    if (folder / "documents").is_dir():
        with _opening(folder / "documents") as app:
            _measure_answers(app, read_lines(folder / "ask.jsonl"), shares)
            _measure_values(app, read_lines(folder / "resolve.jsonl"), shares)
    return [
        Figure(f"{folder.name}: {name}", fmean(values), note=f"{sum(values):g} of {len(values)}")
        for name, values in sorted(shares.items())
    ]


def _measure_notes(folder: Path, shares: Shares) -> None:
    notes = read_lines(folder / "notes.jsonl")
    clock = ManualClock(from_iso(min(note["at"] for note in notes)))
    with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home), clock=clock)) as app:
        ids = store_notes(app, clock, notes)
        clock.advance(_DAY_S)
        for question in read_lines(folder / "questions.jsonl"):
            prompt = Prompt(question["question"], "eve", "Eve", contribute=Contribute.NEVER)
            result = app.memory.converse(LOCAL, prompt).result
            shown = [ids[source.thought_id] for source in result.sources]
            _score_notes(question, shown, result, shares)


def _score_notes(
    question: dict[str, Any], shown: Sequence[str], result: Any, shares: Shares
) -> None:
    is_denied = result.response.startswith(_NOTHING)
    kind = "oblique" if question.get("oblique") else question["kind"]
    if kind == "nothing":
        shares["nothing: shown as an answer"].append(not is_denied)
        return
    right = {question["first"], *question.get("also", ())}
    outdated = set(question.get("outdated", ()))
    shares["answered: denied"].append(is_denied)
    shares[f"{kind}: first"].append(not right.isdisjoint(shown[:1]))
    shares[f"{kind}: in five"].append(not right.isdisjoint(shown[:_FIRST]))
    if outdated:
        best = next((note for note in shown if note in right | outdated), None)
        shares[f"{kind}: outdated above"].append(best in outdated)


@contextmanager
def _opening(documents: Path) -> Generator[App]:
    with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home))) as app:
        new = NewSource("folder", "docs", {"path": str(documents.resolve())})
        source = app.guard.pool.shared.sources.create(LOCAL, new)
        app.syncs.request_sync(LOCAL, source.id)
        app.embedding.finish()
        yield app


def _measure_answers(app: App, questions: Sequence[dict[str, Any]], shares: Shares) -> None:
    for number, question in enumerate(questions):
        # Each asker is a new one, so that no question is taken for a follow-up.
        answer = app.turns.ask(LOCAL, TurnQuery(question["question"], f"eve-{number}", "Eve"))
        quoted = _fold(" ".join(claim.text for claim in answer.claims))
        if question["value"] is None:
            shares["ask: sure where nothing answers"].append(bool(quoted))
            continue
        value, lead = _fold(question["value"]), answer.text.partition("“")[0]
        is_silent = not answer.claims
        shares["ask: right"].append(value in quoted)
        shares["ask: value leads"].append(not is_silent and value in _fold(lead))
        shares["ask: silent above the answer"].append(is_silent and value in _fold(answer.text))
        shares["ask: words quoted"].append(len(quoted.split()))


def _measure_values(app: App, questions: Sequence[dict[str, Any]], shares: Shares) -> None:
    for question in questions:
        answer = app.resolve(LOCAL, question["question"], learn=False)
        is_sure = answer.outcome is ResolutionOutcome.RESOLVED
        kind = question["kind"]
        if kind == "nothing":
            shares["resolve nothing: sure"].append(is_sure)
        elif kind == "several":
            is_asked = answer.outcome is ResolutionOutcome.AMBIGUOUS
            shares["resolve several: asked"].append(is_asked)
        else:
            value = _fold(question["value"])
            given = _fold(" ".join(each.value for each in answer.values))
            is_part = bool(given) and given in value
            shares[f"resolve {kind}: right"].append(is_sure and (value in given or is_part))
            shares[f"resolve {kind}: wrong and sure"].append(
                is_sure and not (value in given or is_part)
            )


def _fold(text: str) -> str:
    return _MARKS.sub(" ", text).strip().lower()
