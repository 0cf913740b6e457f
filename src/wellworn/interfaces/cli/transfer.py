"""Commands that bring memories in and out: import, export, backup, restore."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, cast, get_args

import typer

from wellworn.interfaces.cli.context import FOLDER, CommandContext, command, new_group
from wellworn.interfaces.cli.failures import HistoryRefused
from wellworn.interfaces.cli.import_outline import ImportOutline, drop_history
from wellworn.interfaces.cli.options import WaitFor
from wellworn.interfaces.cli.output import Advance, LeftOut, note, write_lines
from wellworn.kit.clock import SystemClock

if TYPE_CHECKING:
    from wellworn.client.models import Imported


ImportKind: TypeAlias = Literal[
    "markdown",
    "mcp-memory",
    "transcript",
    "practices",
    "bundle",
    "basic-memory",
    "chatgpt",
    "claude",
    "graphiti",
    "hindsight",
    "letta",
    "mcp-memory-service",
    "mem0",
    "mempalace",
]
KINDS: Final[tuple[ImportKind, ...]] = get_args(ImportKind)
Existing = Annotated[Path, typer.Argument(exists=True, help="A file or folder.")]

commands = new_group()
_MOST_NAMED = 20
_MOST_UNDONE = 5
_KIND_AND_PATH = 2


@command(commands, "import ~/.mem0 --dry-run", name="import")
def import_memories(
    context: CommandContext,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[KIND] PATH", help="A file or folder, after what it contains."),
    ],
    kind: Annotated[
        ImportKind | None,
        typer.Option("--from", help="What PATH contains, where that cannot be seen."),
    ] = None,
    author: Annotated[
        str, typer.Option(help="Who said what the file names nobody for, such as your prompts.")
    ] = "",
    *,
    history: Annotated[
        bool,
        typer.Option(
            "--history/--no-history",
            help="Also what was replaced there, linked to what replaced it; for admins.",
        ),
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be imported.")
    ] = False,
    wait: Annotated[
        WaitFor, typer.Option(help="By what the thoughts are to be found when this ends.")
    ] = "words",
) -> None:
    """Import memories: notes, transcripts, exports, and what other programs keep as memory.

    What is known already is passed over: an interrupted import is resumed by running it again.
    What cannot be taken in is named and left out.
    """
    sort, path = _read_arguments(words, kind)
    left_out, outline = LeftOut(), ImportOutline()
    records = _read_records(sort, path, left_out, author)
    records = outline.follow(records if history else drop_history(records))
    if dry_run:
        _show_outline(context, sort, records, outline, left_out)
        return
    context.note_project()
    memory = context.memory
    done, began_at = 0, SystemClock().now()
    with context.progress("importing") as advance, _refusing_history(sort, outline):

        def count(records: int) -> None:
            nonlocal done
            done += records
            advance(done)

        result = memory.import_records(records, on_batch=count, wait=wait)
    left_out.tell_rest()
    undo = outline.list_undo(context.space_id, began_at) if result.imported else []
    answer = {**result.model_dump(mode="json"), "left_out": left_out.count, "undo": undo}
    context.show(answer, f"{_describe(result)}{left_out.summary}")
    if result.clashing:
        note(f"{len(result.clashing)} were left out: others here have their ids or numbers")
        for name in result.clashing[:_MOST_NAMED]:
            note(f"  {name}")
        note("import them into a space of their own, which keeps what links to them")
    if not context.as_json:
        for line in undo[:_MOST_UNDONE]:
            note(f"to take it back: {line}")


def _show_outline(
    context: CommandContext,
    kind: ImportKind,
    records: Iterable[object],
    outline: ImportOutline,
    left_out: LeftOut,
) -> None:
    """Count what would be imported.

    Raises:
        HistoryRefused, WellwornClientError: the server would refuse it.
    """
    for _ in records:
        pass
    left_out.tell_rest()
    if context.key or context.url:
        # Who has neither is an admin, and needs no server to count.
        with _refusing_history(kind, outline):
            context.memory.check_import(outline.kinds)
    answer = {"kind": kind, **outline.to_json(), "left_out": left_out.count, "dry_run": True}
    context.show(answer, lambda _: outline.print(kind))


@contextmanager
def _refusing_history(kind: ImportKind, outline: ImportOutline) -> Generator[None]:
    """Tell who may not import history how to leave it out; a bundle holds more that they may not.

    Raises:
        HistoryRefused: what is imported has history, and was refused.
    """
    from wellworn.client import WellwornClientError

    try:
        yield
    except WellwornClientError as refusal:
        if refusal.code == "FORBIDDEN" and outline.has_history and kind != "bundle":
            raise HistoryRefused(refusal.message) from refusal
        raise


def _read_arguments(words: list[str], kind: ImportKind | None) -> tuple[ImportKind, Path]:
    """Return what is to be imported, and from where.

    Raises:
        typer.BadParameter: there is no such file, or what it contains is neither said nor seen.
    """
    from wellworn.engines.formats import recognise

    is_named = len(words) == _KIND_AND_PATH and words[0] in KINDS
    if len(words) > 1 and not is_named:
        raise typer.BadParameter(f"{words[0]} is none of {', '.join(KINDS)}")
    path = Path(words[-1]).expanduser()
    if not path.exists():
        raise typer.BadParameter(f"{path} does not exist")
    seen = words[0] if is_named else kind or recognise(path)
    if seen is None:
        raise typer.BadParameter(
            f"what {path} contains was not recognised; say it with --from: {', '.join(KINDS)}"
        )
    return cast("ImportKind", seen), path


@command(commands, "export ./bundle   or: wellworn export all.jsonl")
def export(
    context: CommandContext,
    target: Annotated[Path, typer.Argument(help="A folder, or a .jsonl file; - is stdout.")],
) -> None:
    """Write everything to a folder or a file.

    A folder gets JSONL, Markdown and the files of turns, a file JSONL alone; importing it again
    loses nothing.
    What of a damaged memory cannot be read is named; the exit code is 1 then.
    """
    from wellworn.engines import formats

    context.note_project()
    memory = context.memory
    with context.progress("exporting") as advance:
        records = _Counter(memory.export(), advance)
        if str(target) == "-" or target.suffix == ".jsonl":
            write_lines(map(formats.canonical, records), target)
        else:
            formats.write_bundle(records, target)
    if str(target) != "-":
        result = {"records": records.count, "target": str(target), "lost": records.lost}
        context.show(result, f"exported {records.count} records to {target}")
    if records.lost:
        note(f"{len(records.lost)} could not be exported; the export ends with their names:")
        for lost in records.lost[:_MOST_NAMED]:
            note(f"  {lost['kind']} {lost['id']}: {lost['reason']}")
        raise typer.Exit(1)


@command(commands, "backup ./wellworn-backup", options=FOLDER)
def backup(
    context: CommandContext,
    target: Annotated[Path, typer.Argument(help="A folder that does not exist yet.")],
) -> None:
    """Copy the database into a new folder.

    The copy is consistent even while the server runs. Indexes are made anew where it is restored;
    server.key is not in it: keep that elsewhere.
    """
    from wellworn.application import maintenance

    maintenance.backup(context.folder, target.absolute())
    context.show({"target": str(target)}, f"backed up to {target}")


@command(commands, "restore ./wellworn-backup --home ./restored", options=FOLDER)
def restore(context: CommandContext, source: Existing) -> None:
    """Fill an empty data folder from a backup."""
    from wellworn.application import maintenance

    with context.progress("restoring") as advance:
        maintenance.restore(context.folder, source.absolute(), advance)
    context.show({"home": str(context.folder)}, f"restored to {context.folder}")


def _describe(result: Imported) -> str:
    counts = f"imported {result.imported}, already known {result.known}"
    is_waiting = result.imported and not result.findable.is_embedded
    return f"{counts}; found by words now, by meaning soon" if is_waiting else counts


def _read_records(
    kind: ImportKind, path: Path, left_out: LeftOut, author: str
) -> Iterable[Mapping[str, Any]]:
    from wellworn.engines import formats

    if kind == "bundle":
        return _read_bundle(path, left_out)
    if kind in formats.PROGRAMS:
        return formats.read_foreign(kind, path, left_out.tell, author=author)
    readers = {
        "markdown": formats.read_markdown,
        "mcp-memory": formats.read_mcp_memory,
        "transcript": formats.read_transcript,
        "practices": formats.read_practices,
    }
    return readers[kind](path, left_out.tell)


def _read_bundle(path: Path, left_out: LeftOut) -> Iterator[Mapping[str, Any]]:
    """Yield the records that an import takes: of the others each is named, and none ends it."""
    from wellworn.application.transfer import Losses
    from wellworn.engines import formats

    losses = Losses()
    for record in formats.read_bundle(path, left_out.tell, check=losses.check):
        yield losses.drop_lost_sources(record)


class _Counter:
    """Counts records as they pass, and advances a progress bar."""

    def __init__(self, records: Iterable[dict[str, Any]], advance: Advance) -> None:
        self._records = records
        self._advance = advance
        self.count = 0
        self.lost: list[dict[str, Any]] = []

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for record in self._records:
            if record["record"] == "lost":
                self.lost.append(record)
            else:
                self.count += 1
            yield record
            self._advance(self.count)
