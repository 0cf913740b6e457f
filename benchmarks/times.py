"""How well questions that name a time in words are answered: `times*.jsonl` beside the notes.

A line has the time it names as `start` and `end`, and which notes are expected: those in `answers`,
or else all that were said in that time. `bare` is the same question without words for the time,
which is asked with `since` and `until`. Where the date is content, there is no time.

Rules were tuned on the lines of the set `tune`; of the others only the figures were looked at.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.kit.clock import from_iso
from wellworn.testing.clock import ManualClock

LOCAL = local_access()
_FIRST: Final = 5

Record = Mapping[str, Any]


def store_notes(app: App, clock: ManualClock, notes: Iterable[Record]) -> dict[str, str]:
    """Store notes in the order of their times; return their ids by the ids of thoughts."""
    ids: dict[str, str] = {}
    for note in sorted(notes, key=lambda note: note["at"]):
        clock.advance(from_iso(note["at"]) - clock.now())
        draft = ThoughtDraft(note["text"], contributor_id=note["by"], contributor_name=note["by"])
        ids[app.thoughts.think(LOCAL, draft).thought_id] = note["id"]
    return ids


def measure_times(notes: Sequence[Record], questions: Sequence[Record]) -> dict[str, float]:
    """Ask each question at its time, of the notes that were said until then."""
    figures: defaultdict[str, list[float]] = defaultdict(list)
    said = {note["id"]: note["at"] for note in notes}
    for question, text, shown in _ask(notes, questions):
        name = question["set"]
        if question["start"] is None:
            figures[f"{name}: content first"].append(shown[:1] == question["answers"])
            continue
        expected = {*question["answers"]} or _list_of_time(said, question)
        of_time = expected | _list_of_time(said, question)
        name += ": by words" if text == question["text"] else ": by since and until"
        figures[f"{name}, first"].append(not of_time.isdisjoint(shown[:1]))
        figures[f"{name}, expected in five"].append(not expected.isdisjoint(shown[:_FIRST]))
        figures[f"{name}, of five"].append(
            len(of_time.intersection(shown[:_FIRST])) / (len(shown[:_FIRST]) or 1)
        )
    return {name: fmean(values) for name, values in sorted(figures.items())}


def _ask(
    notes: Sequence[Record], questions: Iterable[Record]
) -> Iterator[tuple[Record, str, list[str]]]:
    """Yield each question with a text that it was asked by, and the notes shown."""
    clock = ManualClock(from_iso(min(note["at"] for note in notes)))
    ids: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home), clock=clock)) as app:
        for question in sorted(questions, key=lambda question: question["at"]):
            known = set(ids.values())
            ids |= store_notes(
                app,
                clock,
                (note for note in notes if note["at"] < question["at"] and note["id"] not in known),
            )
            clock.advance(from_iso(question["at"]) - clock.now())
            askings = [(question["text"], ANY_TIME)]
            if "bare" in question:
                span = (from_iso(question["start"]), from_iso(question["end"]))
                askings.append((question["bare"], TimeScope(since=span[0], until=span[1])))
            for text, scope in askings:
                prompt = Prompt(text, "gil", "gil", contribute=Contribute.NEVER, scope=scope)
                reply = app.memory.converse(LOCAL, prompt)
                yield question, text, [ids[s.thought_id] for s in reply.result.sources]


def _list_of_time(said: Mapping[str, str], question: Record) -> set[str]:
    return {note for note, at in said.items() if question["start"] <= at < question["end"]}
