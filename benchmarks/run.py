"""What one run of a suite is told: where to put things, how much to measure, where to print."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@dataclass(frozen=True)
class Run:
    """One suite's orders.

    Attributes:
        folder: an empty folder of the suite's own, gone afterwards.
        sizes: thoughts in the memories to measure, ascending.
        data: the folder of real conversations, when there is one.
        conversations: how many of them; None is all.
        quick: a tenth of the samples, to see that everything runs.
        docs: a folder of real documentation in Markdown, when there is one.
        chunks: how many of it knowledge is searched among.
        turns: how many each system takes in that is measured beside wellworn.
        keep: a folder that keeps what was grown, installed or measured for the next run.
        doors: parts of the names of the doors that hostile texts are sent to; none is all.
        texts: parts of the names of these texts.
    """

    folder: Path
    console: Console
    sizes: tuple[int, ...]
    data: Path | None = None
    conversations: int | None = None
    quick: bool = False
    docs: Path | None = None
    chunks: int = 30_000
    turns: int = 2_000
    keep: Path | None = None
    doors: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def samples(self, count: int) -> int:
        """Return how many samples to take where the full benchmark takes `count`."""
        return max(3, count // 10) if self.quick else count

    @contextmanager
    def progress(self, what: str, total: int) -> Generator[Callable[[int], None]]:
        """Show a bar; the block gets a function that moves it by a number of steps."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.console, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda steps: bar.advance(task, steps)
