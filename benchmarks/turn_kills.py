"""Turns whose process is killed at random moments of all phases, until they come to their end.

A process of its own asks and is killed (SIGKILL); the next one resumes what it left. Afterwards the
files tell whether a section was lost, doubled or reordered, and whether a recorded call was made
again: each tool notes in a file when it is called, and only calls that a kill broke off are made
twice.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.run import Run
from benchmarks.texts import questions, thoughts
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import TurnQuery
from wellworn.domain.turns.context_document import read_sections
from wellworn.domain.turns.flow import find_next
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.journal import CallEntry, TurnJournal
from wellworn.domain.turns.models import Phase
from wellworn.testing.embedder import HashEmbedder

ACCESS = local_access(DEFAULT_SPACE)
# A memory is never open in this process, which therefore can be forked: that saves the imports.
_FORKING = multiprocessing.get_context("fork")
_KILLS, _THOUGHTS = 100, 60
_MOST_EVENTS, _LONGEST_PAUSE_S = 24, 0.02


def measured(run: Run) -> list[Figure]:
    """Return what random kills of turns left behind."""
    chance, kills = random.Random(15), run.samples(_KILLS)
    home = run.folder / "home"
    world = _World(home)
    first = _FORKING.Process(target=_remember, args=(home,))
    first.start()
    first.join()
    phases: Counter[str] = Counter()
    with run.progress("killing turns", kills) as advance:
        for number in range(kills):
            events, pause_s = chance.randint(1, _MOST_EVENTS), chance.random() * _LONGEST_PAUSE_S
            phases[_kill(home, number, events, pause_s)] += 1
            world.look()
            advance(1)
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        _count_calls(app, home)
        _resume(app)
    faults = world.judge()
    run.console.print("killed in: " + ", ".join(f"{phase} {phases[phase]}" for phase in Phase))
    run.console.print("\n".join(faults))
    note = f"{kills} kills in {len(phases)} phases, {len(world.list_folders())} turns"
    return [
        Figure.at_most(name, sum(fault.startswith(name) for fault in faults), 0, "", note)
        for name in ("sections lost, doubled or reordered", "recorded calls repeated")
    ]


def _remember(home: Path) -> None:
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        for record in thoughts(_THOUGHTS):
            app.thoughts.think(ACCESS, ThoughtDraft(record["content"], "ada", "Ada"))


def _kill(home: Path, number: int, events: int, pause_s: float) -> str:
    """Let a process work on turns, and kill it after so many phases; return the one it was in."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = _FORKING.Process(target=_work, args=(home, number, there), daemon=True)
    process.start()
    there.close()
    phase = ""
    for _ in range(events):
        phase = here.recv()
    time.sleep(pause_s)
    process.kill()
    process.join()
    while here.poll():
        try:
            phase = here.recv()
        except EOFError:
            break
    return phase


def _work(home: Path, number: int, told: Connection) -> None:
    """Resume what was left, then ask one question after the other."""
    app = open_app(home, embedder=HashEmbedder())
    _count_calls(app, home)
    _resume(app, told)
    for text in questions(1_000, seed=number):
        query = TurnQuery(f"My hat is red. {text}", "ada", "Ada")
        app.turns.ask(ACCESS, query, _listen(told))


def _resume(app: App, told: Connection | None = None) -> None:
    turns = app.guard.pool.shared.turns
    turns.mark_interrupted()
    for _, turn in turns.list_interrupted():
        app.turns.resume(ACCESS, turn.id, _listen(told))


def _listen(told: Connection | None) -> Any:
    def listen(phase: Phase, _attempt: int, section: str | None) -> None:
        if told is not None and section is None:
            told.send(phase.value)

    return listen


def _count_calls(app: App, home: Path) -> None:
    """Let each tool note that it is called, before it does anything."""
    for name, tool in app.guard.pool.shared.turns._parts.tools.shared.items():  # noqa: SLF001 - from within
        call: Any = tool.call

        def note(context: Any, arguments: Any, *, name: str = name, call: Any = call) -> Any:
            with (home / "calls").open("a", encoding="utf-8") as file:
                file.write(json.dumps([context.folder, name]) + "\n")
            return call(context, arguments)

        tool.call = note  # type: ignore[method-assign]


class _World:
    """The files of the turns, looked at after each kill."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._vault = FolderVault(home / "turns" / DEFAULT_SPACE / "users" / "ada")
        self._broken_off: Counter[str] = Counter()
        self._documents: dict[str, list[str]] = {}
        self._calls: dict[str, list[CallEntry]] = {}
        self._faults: list[str] = []

    def list_folders(self) -> list[str]:
        paths = self._vault.list_paths("turns")
        return [
            path.removesuffix("/journal.jsonl") for path in paths if path.endswith("/journal.jsonl")
        ]

    def look(self) -> None:
        """See that what was written before stands as it was; count what the kill broke off."""
        made = self._read_calls()
        for folder in self.list_folders():
            sections = self._read_document(folder)
            calls = [
                entry
                for entry in TurnJournal(self._vault, folder).entries
                if isinstance(entry, CallEntry)
            ]
            before = self._documents.get(folder, [])
            if sections[: len(before)] != before:
                self._blame("sections lost, doubled or reordered", folder, "changed")
            earlier = self._calls.get(folder, [])
            if calls[: len(earlier)] != earlier:
                self._blame("recorded calls repeated", folder, "changed")
            self._documents[folder], self._calls[folder] = sections, calls
            broken_off = made[folder] - len(calls) - self._broken_off[folder]
            if broken_off not in {0, 1}:
                self._blame("recorded calls repeated", folder, f"{broken_off} more were made")
            self._broken_off[folder] += broken_off

    def judge(self) -> Sequence[str]:
        """Return what is wrong with the turns now that all are over."""
        made = self._read_calls()
        for folder in self.list_folders():
            journal = TurnJournal(self._vault, folder)
            self._judge_sections(folder, journal)
            calls = [entry for entry in journal.entries if isinstance(entry, CallEntry)]
            keys = [(entry.attempt, json.dumps(str(entry.call.request))) for entry in calls]
            if len({*keys}) < len(keys) or made[folder] != len(calls) + self._broken_off[folder]:
                counts = f"{made[folder]} made, {len(calls)} recorded"
                self._blame("recorded calls repeated", folder, counts)
        return self._faults

    def _judge_sections(self, folder: str, journal: TurnJournal) -> None:
        phases = journal.phases
        decided = [entry.section.rstrip() for entry in phases]
        steps = [find_next(phases[:place]) for place in range(len(phases) + 1)]
        is_in_order = [(step.phase, step.attempt) for step in steps[:-1]] == [
            (entry.phase, entry.attempt) for entry in phases
        ]
        is_whole = steps[-1].phase is Phase.SAVING and self._read_document(folder) == decided
        if not (is_in_order and is_whole):
            self._blame("sections lost, doubled or reordered", folder, "not as decided")

    def _read_document(self, folder: str) -> list[str]:
        text = self._vault.read(f"{folder}/context.md") or ""
        return [section.text for section in read_sections(text)]

    def _read_calls(self) -> Counter[str]:
        file = self._home / "calls"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        return Counter(json.loads(line)[0] for line in lines)

    def _blame(self, name: str, folder: str, why: str) -> None:
        self._faults.append(f"{name}: {folder}, {why}")
