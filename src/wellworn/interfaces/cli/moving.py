"""Commands that bring memories in and out: import, export, backup, restore."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url, resolved
from wellworn.interfaces.cli.output import Advance, emit, progress, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO


class Kind(StrEnum):
    """What can be imported."""

    MARKDOWN = "markdown"
    MCP_MEMORY = "mcp-memory"
    TRANSCRIPT = "transcript"
    PRACTICES = "practices"
    BUNDLE = "bundle"


Existing = Annotated[Path, typer.Argument(exists=True, help="A file or folder.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import", epilog="Example: wellworn import markdown ./notes")(bring)
    app.command(epilog="Example: wellworn export ./bundle   or: wellworn export all.jsonl")(export)
    app.command(epilog="Example: wellworn backup ./wellworn-backup")(backup)
    app.command(epilog="Example: wellworn restore ./wellworn-backup --home ./restored")(restore)


def bring(
    kind: Annotated[Kind, typer.Argument(help="What PATH holds.")],
    path: Existing,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Import memories.

    What is known already is passed over: an interrupted import is resumed by running it again.
    """
    done = 0
    with (
        connect(home, url, key=key, space=space) as memory,
        progress("importing", quiet=as_json) as advance,
    ):

        def count(records: int) -> None:
            nonlocal done
            done += records
            advance(done)

        taken = memory.import_records(_records(kind, path), on_batch=count)
    if as_json:
        emit(taken)
    else:
        say(f"imported {taken.imported}, known already {taken.known}")


def export(
    target: Annotated[Path, typer.Argument(help="A folder, or a .jsonl file; - is stdout.")],
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Write everything to a folder or a file.

    A folder gets JSONL and Markdown, a file JSONL alone; importing it again loses nothing.
    """
    with (
        connect(home, url, key=key, space=space) as memory,
        progress("exporting", quiet=as_json) as advance,
    ):
        count = _written(_counted(memory.export(), advance), target)
    if str(target) == "-":
        return
    if as_json:
        emit({"records": count, "target": str(target)})
    else:
        say(f"exported {count} records to {target}")


def backup(
    target: Annotated[Path, typer.Argument(help="Where to put the copy.")],
    home: Home = DEFAULT_HOME,
    as_json: Json = False,
) -> None:
    """Copy the whole data folder.

    The copy is consistent even while the server runs.
    """
    from wellworn.application import maintenance

    maintenance.backup(resolved(home), target.absolute())
    emit({"target": str(target)}) if as_json else say(f"backed up to {target}")


def restore(
    source: Existing,
    home: Home = DEFAULT_HOME,
    as_json: Json = False,
) -> None:
    """Fill an empty data folder from a backup."""
    from wellworn.application import maintenance

    with progress("restoring", quiet=as_json) as advance:
        maintenance.restore(resolved(home), source.absolute(), advance)
    emit({"home": str(resolved(home))}) if as_json else say(f"restored to {resolved(home)}")


def _records(kind: Kind, path: Path) -> Iterable[Mapping[str, Any]]:
    from wellworn.engines import formats

    readers = {
        Kind.MARKDOWN: formats.read_markdown,
        Kind.MCP_MEMORY: formats.read_mcp_memory,
        Kind.TRANSCRIPT: formats.read_transcript,
        Kind.PRACTICES: formats.read_practices,
        Kind.BUNDLE: formats.read_bundle,
    }
    return readers[kind](path)


def _counted(records: Iterable[dict[str, Any]], advance: Advance) -> Iterator[dict[str, Any]]:
    for count, record in enumerate(records, start=1):
        yield record
        advance(count)


def _written(records: Iterable[dict[str, Any]], target: Path) -> int:
    if target.suffix != ".jsonl" and str(target) != "-":
        return _bundled(records, target)
    if str(target) == "-":
        return _lines(records, sys.stdout)
    # What was exported before stays until the new file is whole.
    draft = target.with_name(f"{target.name}.partial")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            count = _lines(records, file)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return count


def _lines(records: Iterable[dict[str, Any]], file: TextIO) -> int:
    from wellworn.engines import formats

    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007 — the last one is the sum
        file.write(formats.canonical(record) + "\n")
    return count


def _bundled(records: Iterable[dict[str, Any]], folder: Path) -> int:
    from wellworn.engines import formats

    count = 0

    def counting() -> Iterator[dict[str, Any]]:
        nonlocal count
        for record in records:
            count += 1
            yield record

    formats.write_bundle(counting(), folder)
    return count
