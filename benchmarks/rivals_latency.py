"""wellworn beside the memory systems that people compare it with: speed, size and what is kept.

All get the same turns and the same encoder. They are filled one after the other, then all are up
at once and asked the same questions in turns, five at a time, so that whatever else the machine
does falls on all alike. What each has done durably by then is looked at in folders of few turns.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.table import Table

from benchmarks.figures import Figure, median, quantile
from benchmarks.processes import disk_mb, resident_mb
from benchmarks.retrieval.models import Doc
from benchmarks.rivals.contestants import Contestant, Entry
from benchmarks.rivals.durability import Durability, measure_durability
from benchmarks.rivals.endpoint import embed_text, serve_encoder
from benchmarks.rivals.environments import (
    ENGRAM,
    MCP_MEMORY_SERVICE,
    MEM0,
    MEMPALACE,
    RivalNotInstalled,
)
from benchmarks.rivals.process import RivalFailed
from benchmarks.run import Run
from benchmarks.texts import questions, turns

OURS: Final = Entry("wellworn")
RIVALS: Final = (
    Entry("mcp-memory-service", MCP_MEMORY_SERVICE),
    Entry("mcp-memory-service, hybrid", MCP_MEMORY_SERVICE, "hybrid"),
    Entry("MemPalace", MEMPALACE),
    Entry("Mem0", MEM0),
    Entry("engram-search", ENGRAM),
)
_QUESTIONS: Final = 200
_WARM_UP: Final = 20
_IN_A_ROW: Final = 5
"""Questions of one turn. Rivals share an encoder, which never cools down while one of them is
asked; in a row, wellworn's own is as warm."""
_PROBE_WRITES: Final = 22
_PROBE_QUESTIONS: Final = 10
_HEADINGS: Final = (
    *("p50 ms", "p95 ms", "times encoder", "taken /s", "found /s", "memory MB", "disk MB"),
    *("kept", "flushes: write", "question"),
)
_CAPTION: Final = (
    "taken: turns until acknowledged; found: until found by meaning; memory: resident, the "
    "rivals' without the encoder; kept: writes after kill -9; flushes: to the disk, on average"
)


@dataclass
class Place:
    """What was measured of one system.

    Attributes:
        acknowledged_s: seconds until all turns were taken.
        findable_s: seconds until all were found by meaning.
        seconds: what each question took.
    """

    name: str
    version: str
    turns: int
    acknowledged_s: float
    findable_s: float
    durability: Durability | None = None
    resident_mb: float = 0.0
    disk_mb: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def is_durable(self) -> bool:
        """Whether all that was acknowledged outlived the process."""
        return self.durability is not None and self.durability.kept >= self.durability.writes


def measured(run: Run) -> list[Figure]:
    """Return every system's median, and wellworn's against the fastest of the others."""
    docs = [_doc(number, record) for number, record in enumerate(turns(run.turns))]
    asked = questions(run.samples(_QUESTIONS) + _WARM_UP)
    missing: list[str] = []
    with serve_encoder() as (url, encoder_pid), ExitStack() as stack:
        embed_text(url, "warm")
        contest = _Contest(run, stack, url, docs)
        for entry in (OURS, *RIVALS):
            try:
                contest.admit(entry)
            except (RivalNotInstalled, RivalFailed) as error:
                missing.append(f"{entry.name}: not measured. {error}")
        embedding = contest.ask_all(asked)
        encoder_mb = resident_mb(encoder_pid)
    run.console.print(shown(contest.places, embedding, encoder_mb))
    for line in missing:
        run.console.print(line)
    return figures(contest.places)


class _Contest:
    """The systems that are up, each with what was measured of it."""

    def __init__(self, run: Run, stack: ExitStack, url: str, docs: Sequence[Doc]) -> None:
        self.places: list[Place] = []
        self._run, self._stack, self._url, self._docs = run, stack, url, docs
        self._running: list[tuple[Contestant, Path]] = []

    def admit(self, entry: Entry) -> None:
        """Install a system, try what it keeps, then start and fill it."""
        run = self._run
        python = entry.prepare((run.keep or run.folder) / "environments")
        folder = self._made(entry.name)
        durability = measure_durability(
            entry,
            python,
            self._made(f"{entry.name} killed"),
            self._url,
            docs=self._docs[:_PROBE_WRITES],
            questions=questions(_PROBE_QUESTIONS, seed=2),
        )
        memory = self._stack.enter_context(entry.open(python, folder, self._url))
        memory.ask("Is anything there yet?")
        began = time.perf_counter()
        memory.index(self._docs)
        acknowledged_s = time.perf_counter() - began
        memory.settle(self._docs)
        findable_s = time.perf_counter() - began
        place = Place(
            entry.name, memory.version, len(self._docs), acknowledged_s, findable_s, durability
        )
        run.console.print(f"{entry.name} {memory.version}: {findable_s:.0f} s to take them in")
        self.places.append(place)
        self._running.append((memory, folder))

    def ask_all(self, asked: Sequence[str]) -> list[float]:
        """Ask every system every question; return the seconds of the encoder's endpoint alone."""
        embedding: list[float] = []
        with self._run.progress("asking", len(asked)) as advance:
            for start in range(0, len(asked), _IN_A_ROW):
                batch = asked[start : start + _IN_A_ROW]
                alone = [_time_embedding(self._url, question) for question in batch]
                answers = self._ask_in_turn(start // _IN_A_ROW, batch)
                advance(len(batch))
                if start < _WARM_UP:
                    continue
                embedding += alone
                for place, seconds in zip(self.places, answers, strict=True):
                    place.seconds += seconds
        for place, (memory, folder) in zip(self.places, self._running, strict=True):
            place.resident_mb, place.disk_mb = resident_mb(memory.pid), disk_mb(folder)
        return embedding

    def _ask_in_turn(self, turn: int, batch: Sequence[str]) -> list[list[float]]:
        """Return every system's seconds; another one begins each time, so none always follows."""
        count = len(self._running)
        seconds: list[list[float]] = [[] for _ in self._running]
        for position in range(turn, turn + count):
            memory, _ = self._running[position % count]
            seconds[position % count] = [memory.ask(question) for question in batch]
        return seconds

    def _made(self, name: str) -> Path:
        folder = self._run.folder / name.replace(", ", "-").replace(" ", "-")
        folder.mkdir()
        return folder


def figures(places: Sequence[Place]) -> list[Figure]:
    """Return the medians, and wellworn's over that of the fastest rival that keeps its writes."""
    medians = [
        Figure(f"{place.name}, p50", 1e3 * median(place.seconds), "ms", note=_told_p95(place))
        for place in places
    ]
    ours = [place for place in places if place.name == OURS.name]
    rivals = [place for place in places if place.name != OURS.name and place.is_durable]
    if not (ours and rivals):
        return medians
    fastest = min(rivals, key=lambda place: median(place.seconds))
    ratio = median(ours[0].seconds) / median(fastest.seconds)
    name = "p50 against the fastest rival's that keeps its writes"
    return [*medians, Figure.at_most(name, ratio, 1.0, "times", fastest.name)]


def shown(places: Sequence[Place], embedding: Sequence[float], encoder_mb: float) -> Table:
    """Return one row for each system, and one for the encoder that the rivals share."""
    table = Table(title="ten results, the same encoder", title_justify="left", title_style="bold")
    table.caption, table.caption_justify = _CAPTION, "left"
    table.add_column("system", no_wrap=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right")
    base = median(embedding)
    for place in places:
        table.add_row(f"{place.name} {place.version}", *_cells(place, base))
    alone = [_milliseconds(base), _milliseconds(quantile(embedding, 0.95)), "1.0", "", ""]
    table.add_row("the encoder's endpoint", *alone, f"{encoder_mb:.0f}")
    return table


def _cells(place: Place, base: float) -> list[str]:
    durability = place.durability
    return [
        _milliseconds(median(place.seconds)),
        _milliseconds(quantile(place.seconds, 0.95)),
        f"{median(place.seconds) / base:.1f}",
        f"{place.turns / place.acknowledged_s:.0f}",
        f"{place.turns / place.findable_s:.0f}",
        f"{place.resident_mb:.0f}",
        f"{place.disk_mb:.1f}",
        f"{durability.kept}/{durability.writes}" if durability else "",
        _flushes(durability and durability.flushes_a_write),
        _flushes(durability and durability.flushes_a_question),
    ]


def _time_embedding(url: str, question: str) -> float:
    began = time.perf_counter()
    embed_text(url, question)
    return time.perf_counter() - began


def _told_p95(place: Place) -> str:
    return f"p95 {_milliseconds(quantile(place.seconds, 0.95))}"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


def _flushes(count: float | None) -> str:
    return "unknown" if count is None else f"{count:.1f}"


def _doc(number: int, record: dict[str, str]) -> Doc:
    return Doc(
        str(number),
        record["content"],
        record["session"],
        speaker=record["contributor_name"],
        position=number,
    )
