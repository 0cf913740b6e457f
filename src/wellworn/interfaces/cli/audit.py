"""Commands about the audit trail of a space: show, verify, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import evidence, listing
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url
from wellworn.interfaces.cli.output import emit, say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from wellworn.client.models import Verdict

Kept = Annotated[
    Path | None,
    typer.Option(
        "--kept",
        exists=True,
        dir_okay=False,
        help="An earlier export, or checkpoints from the server's log, kept elsewhere.",
    ),
]

Of = Annotated[
    str | None,
    typer.Option(
        "--of",
        help="Another trail, for admins of ks-default: server (where credentials stand), or the "
        "id of a space that is no more.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module, as `wellworn audit …`."""
    group = typer.Typer(
        help="See who did what in a space, and that nobody changed the record of it.",
        epilog="Example: wellworn audit show --space team",
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog="Example: wellworn audit show --space team --after 100")(show)
    group.command(epilog="Example: wellworn audit verify --kept last-week.jsonl")(verify)
    group.command(epilog="Example: wellworn audit export trail.jsonl --space team")(export)
    app.add_typer(group, name="audit")


def show(
    *,
    after: Annotated[int, typer.Option(min=0, help="Number of the last entry you know.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most this many.")] = 100,
    of: Of = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print who did what, in order; never what was said."""
    with connect(home, url, key=key, space=space) as memory:
        entries = memory.audit(after=after, limit=limit, of=of)
    emit(entries) if as_json else listing.trail(entries)


def verify(
    *,
    kept: Kept = None,
    of: Of = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Check the whole trail against its chain and its checkpoints.

    The exit code is 1 when it does not hold. Only what was kept elsewhere can tell that entries
    at the end are missing, or that whoever has the server's key wrote it anew.
    """
    with connect(home, url, key=key, space=space) as memory:
        verdict = memory.verify_audit(of=of)
        if kept is not None and verdict.ok:
            remembered = evidence.read(kept.read_text("utf-8", errors="replace").splitlines())
            verdict = evidence.compared(verdict, memory.export_audit(of=of), remembered)
    emit(verdict) if as_json else say(_said(verdict))
    if not verdict.ok:
        raise typer.Exit(1)


def export(
    target: Annotated[Path, typer.Argument(help="A file, or - for stdout.")],
    *,
    of: Of = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Write the trail with its hashes and signed checkpoints, a JSON record a line.

    A later export begins with an earlier one, byte for byte.
    """
    with connect(home, url, key=key, space=space) as memory:
        lines = memory.export_audit(of=of)
        if str(target) == "-":
            for line in lines:
                typer.echo(line)
            return
        count = _written(lines, target)
    if as_json:
        emit({"lines": count, "target": str(target)})
    else:
        say(f"exported {count} lines to {target}")


def _said(verdict: Verdict) -> str:
    counted = f"{verdict.entries} entries and {verdict.checkpoints} checkpoints hold"
    if verdict.ok:
        return f"ok: {counted}"
    return f"WRONG: {verdict.reason} at entry {verdict.first_bad_seq}; {counted}"


def _written(lines: Iterable[str], target: Path) -> int:
    # What was exported before stays until the new file is whole.
    draft = target.with_name(f"{target.name}.partial")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            count = _counted(lines, file)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return count


def _counted(lines: Iterable[str], file: TextIO) -> int:
    count = 0
    for count, line in enumerate(lines, start=1):  # noqa: B007 — the last one is the sum
        file.write(line + "\n")
    return count
