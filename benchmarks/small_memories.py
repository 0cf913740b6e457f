"""Memories of one to nine notes, as a new user has them, and what is said to their answers.

A file has a memory a line: its notes, questions that one of them answers, and questions of another
matter (`unrelated`) or of the same that none answers (`beside`), in seven languages.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from wellworn.application.bootstrap import open_app
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.memory.contribution import asks_to_erase, is_contribution, is_courtesy
from wellworn.domain.memory.corrections import find_corrected
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.thoughts.store import COURTESY
from wellworn.kit.clock import from_iso
from wellworn.testing.clock import ManualClock

LOCAL = local_access()
_BEGINNING: Final = 1_780_000_000.0
BESIDE: Final = {
    "second": "Ben waters the plants on Mondays.",
    "third": "The parking lot closes at ten.",
}
"""What every answer also showed that is corrected."""


def measure_small(memories: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Ask the questions of small memories; return shares of them, and how many are shown."""
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for memory in memories:
        with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home))) as app:
            thoughts = [
                app.thoughts.think(LOCAL, ThoughtDraft(note, "ana", "ana")).thought_id
                for note in memory["notes"]
            ]

            def ask(text: str) -> list[str]:
                prompt = Prompt(text, "bo", "bo", contribute=Contribute.NEVER)
                sources = app.memory.converse(LOCAL, prompt).result.sources
                return [source.thought_id for source in sources]

            for question in memory["related"]:
                shown = ask(question["text"])
                figures["related note shown"].append(thoughts[question["note"]] in shown)
                figures["shown with it"].append(len(shown))
            for question in memory.get("crossing", ()):
                shown = ask(question["text"])
                figures["asked in another language: shown"].append(
                    thoughts[question["note"]] in shown
                )
            for kind in ("unrelated", "beside"):
                figures[f"{kind}: nothing shown"] += [not ask(text) for text in memory[kind]]
    return {name: fmean(values) for name, values in figures.items()}


def measure_series(memories: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Ask for the note of a day among notes of one form; return how often it stands first.

    `mentions` are questions that name a day and ask for something else.
    """
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for memory in memories:
        notes = memory["notes"]
        clock = ManualClock(min(from_iso(note["at"]) for note in notes))
        with (
            tempfile.TemporaryDirectory() as home,
            closing(open_app(Path(home), clock=clock)) as app,
        ):
            ids: dict[int, str] = {}
            for place, note in sorted(enumerate(notes), key=lambda entry: entry[1]["at"]):
                clock.advance(from_iso(note["at"]) - clock.now())
                draft = ThoughtDraft(note["text"], "ana", "ana")
                ids[place] = app.thoughts.think(LOCAL, draft).thought_id
            clock.advance(from_iso(memory["at"]) - clock.now())
            for kind in ("dated", "mentions"):
                for question in memory[kind]:
                    prompt = Prompt(question["text"], "bo", "bo", contribute=Contribute.NEVER)
                    sources = app.memory.converse(LOCAL, prompt).result.sources
                    first = sources[0].thought_id if sources else None
                    figures[f"{kind}: first"].append(first == ids[question["note"]])
    return {name: fmean(values) for name, values in figures.items()}


def measure_requests(texts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Say each text to a memory that knows its fact; return shares of the texts of its kind.

    Kinds are `request`, `statement`, `change`, `beside` and `whole` (a question beside a statement
    and one that belongs to it, with what of it is to be `stored`), `denial` and `new_value`.
    """
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for text in texts:
        clock = ManualClock(_BEGINNING)
        with (
            tempfile.TemporaryDirectory() as home,
            closing(open_app(Path(home), clock=clock)) as app,
        ):
            fact = ""
            for note in (*BESIDE.values(), text["fact"]):
                fact = app.thoughts.think(LOCAL, ThoughtDraft(note, "ana", "ana")).thought_id
                clock.advance(60)
            reply = app.memory.converse(LOCAL, Prompt(text["text"], "bo", "bo"))
            kept, kind = reply.trace.thought_id, text["kind"]
            shown = {source.thought_id for source in reply.result.sources}
            record = app.thoughts.get_record(LOCAL, kept) if kept else None
            figures[f"{kind}: kept"].append(record is not None)
            figures[f"{kind}: fact shown"].append(fact in shown)
            if "stored" in text:
                is_right = record is not None and record.content == text["stored"]
                figures[f"{kind}: kept as wanted"].append(is_right)
    return {name: fmean(values) for name, values in figures.items()}


def judge_forgetting(prompts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return how many orders to forget are told, and how many other prompts are taken for such."""
    judged = [
        (
            asks_to_erase(prompt["text"]) and not is_contribution(prompt["text"]),
            prompt["erases"],
        )
        for prompt in prompts
    ]
    return {
        "told": fmean(is_told for is_told, is_wanted in judged if is_wanted),
        "others taken for such": fmean(is_told for is_told, is_wanted in judged if not is_wanted),
    }


def judge_corrections(prompts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return how many corrections of what stood first are linked to it, and how much else is."""
    judged = [
        (find_corrected(prompt["text"], {"shown": prompt["shown"], **BESIDE}), prompt["corrects"])
        for prompt in prompts
    ]
    return {
        "linked": fmean(linked == "shown" for linked, is_wanted in judged if is_wanted),
        "others linked": fmean(linked is not None for linked, is_wanted in judged if not is_wanted),
    }


def judge_courtesies(prompts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return how many thanks and greetings are told, and how many requests are taken for such.

    Prompts that say what should happen with them are said to a memory as well.
    """
    judged = [(is_courtesy(prompt["text"]), prompt["is_courtesy"]) for prompt in prompts]
    figures = {
        "told": fmean(is_told for is_told, is_wanted in judged if is_wanted),
        "requests taken for such": fmean(is_told for is_told, is_wanted in judged if not is_wanted),
    }
    return figures | measure_talk([prompt for prompt in prompts if "retrieves" in prompt])


def measure_talk(prompts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Say prompts to one memory; return how many are looked up and kept, wanted or not."""
    figures: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as home, closing(open_app(Path(home))) as app:
        for prompt in prompts:
            trace = app.memory.converse(LOCAL, Prompt(prompt["text"], "bo", "bo")).trace
            kind = "content" if prompt["retrieves"] else "talk"
            figures[f"{kind}: looked up"].append(trace.retrieval_method != COURTESY)
            kind = "knowledge" if prompt["keep"] else kind
            figures[f"{kind}: kept"].append(trace.thought_id is not None)
    return {name: fmean(values) for name, values in figures.items()}
