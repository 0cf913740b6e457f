"""Prints what commands say: results on stdout, everything else on stderr.

Recalled text was written by others, so nothing in it may steer the terminal.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, cast
from unicodedata import category

import typer

from wellworn.kit.neutralising import escape_hidden, remove_hidden

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping
    from pathlib import Path
    from typing import TextIO

    from rich.progress import TaskID

EXCERPT = 240
"""Characters of a text that are printed unless all of it is wanted."""
_MOST_TOLD: Final = 20


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
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    typer.echo(escape_hidden(json.dumps(_plain(value), ensure_ascii=not is_unicode, indent=2)))


def complain(message: str, remedy: str) -> None:
    """Say what went wrong and what to try, each on a line of its own."""
    note(f"error: {message}")
    note(f"try: {remedy}")


def ask_to_confirm(question: str, *, yes: bool) -> None:
    """Ask a question on stderr unless it is answered already; end the command if it is denied."""
    if not yes:
        typer.confirm(clean(question), abort=True, err=True)


def write_lines(lines: Iterable[str], target: Path) -> int:
    """Write lines of JSON to a file, or to stdout for `-`, and return how many they were.

    What the file held before stays until the new one is complete.
    """
    if str(target) == "-":
        _set_up(sys.stdout, encoding="utf-8")
        return _write_each(map(escape_hidden, lines), sys.stdout)
    draft = target.with_name(f"{target.name}.partial")
    draft.unlink(missing_ok=True)  # a link there could lead to any file of ours
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            count = _write_each(lines, file)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return count


def write_any_text() -> None:
    r"""Let stdout and stderr take every character: one that they cannot encode becomes `\u1234`."""
    for stream in (sys.stdout, sys.stderr):
        _set_up(stream, errors="backslashreplace")


def _set_up(stream: TextIO, **options: str) -> None:
    """Change how a stream writes, unless something else than a stream of bytes is in its place."""
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(**options)


def clean(text: str) -> str:
    """Replace every control character; line ends, tabs and what only shapes letters stay.

    What nobody sees is left out, as at every other door.
    """
    if text.isprintable():
        return text
    return remove_hidden("".join("\ufffd" if _is_control(each) else each for each in text))


def _is_control(character: str) -> bool:
    """Tell whether a character is neither seen, nor a space, nor a format of what is."""
    is_shown = character.isprintable() or character in "\n\t"
    return not is_shown and category(character) not in {"Zs", "Cf"}


def format_minute(time: str) -> str:
    """Return an ISO 8601 time in UTC to the minute, which says so."""
    return f"{time[:16].replace('T', ' ')} UTC"


def fold_spaces(text: str) -> str:
    """Return the text on one line, its white space folded."""
    return " ".join(text.split())


def print_table(facts: Mapping[str, str], *, width: int = 0) -> None:
    """Print names and values in two columns; empty values are left out."""
    width = max(width, *map(len, facts))
    for name, value in facts.items():
        if value:
            say(f"{name:>{width}}  {fold_spaces(value)}")


def dim(text: str) -> str:
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


def _write_each(lines: Iterable[str], file: TextIO) -> int:
    count = 0
    for count, line in enumerate(lines, start=1):  # noqa: B007 — the last one is the sum
        file.write(line + "\n")
    return count


def _plain(value: object) -> Any:
    from wellworn.client.models import Shape

    if isinstance(value, Shape):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in cast("dict[str, object]", value).items()}
    return value


class LeftOut:
    """Counts what is left out, and prints the first sentences about it to stderr."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self, sentence: str) -> None:
        """Count one, and print its sentence unless many were printed before."""
        self.count += 1
        if self.count <= _MOST_TOLD:
            note(sentence)

    def tell_rest(self) -> None:
        """Print how many were counted and not printed."""
        if self.count > _MOST_TOLD:
            note(f"{self.count - _MOST_TOLD} more were left out")

    @property
    def summary(self) -> str:
        """Return the end of a summary; empty if nothing was left out."""
        return f", left out: {self.count}" if self.count else ""
