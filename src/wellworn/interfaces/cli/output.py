"""What commands print: results on stdout, everything else on stderr.

Recalled text was written by others, so nothing in it may steer the terminal.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

import typer

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.progress import TaskID


class Advance(Protocol):
    """Tell a progress bar how much is done, and of how much once that is known."""

    def __call__(self, done: int, total: int | None = None) -> None: ...


def say(line: str = "") -> None:
    """Print a line for people to stdout, free of control characters."""
    typer.echo(clean(line))


def note(line: str) -> None:
    """Print a line to stderr."""
    typer.echo(clean(line), err=True)


def hand_over(secret: str, *notes: str) -> None:
    """Print a secret alone on stdout, so that it can be captured, and the rest on stderr."""
    say(secret)
    for line in notes:
        note(line)


def emit(value: object) -> None:
    """Print a value as JSON to stdout; dataclasses become objects."""
    typer.echo(json.dumps(_plain(value), ensure_ascii=False, indent=2))


def complain(message: str, remedy: str) -> None:
    """Say what went wrong and what to try, each on a line of its own."""
    note(f"error: {message}")
    note(f"try: {remedy}")


def clean(text: str) -> str:
    """Replace everything that could steer a terminal; line ends and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def dimmed(text: str) -> str:
    """Return the text in a weaker tone where the terminal has one."""
    return text if not sys.stdout.isatty() else typer.style(text, dim=True)


@contextmanager
def progress(title: str, *, quiet: bool) -> Generator[Advance]:
    """Show a bar on stderr for the length of the block, unless nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total=None: None  # noqa: ARG005 — the shape is Advance's
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        task: TaskID = bar.add_task(title, total=None)

        def advance(done: int, total: int | None = None) -> None:
            bar.update(task, completed=done, total=total)

        yield advance


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in cast("dict[str, object]", value).items()}
    return value
