"""Commands about the audit trail of a space: show, verify, export.

A trail is compared with an earlier one, kept where its server cannot reach. A hash vouches for
everything before it, so two trails with the same hash at a place are the same up to there. Two
kinds of lines are read: those of an export, and checkpoints from the log.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import write_lines
from wellworn.interfaces.cli.space_output import print_audit_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wellworn.client.models import Verdict

Trail = Annotated[
    str | None,
    typer.Option(
        "--of",
        help="Another trail, for admins of ks-default: server (which has changes to credentials), "
        "or the id of a deleted space.",
    ),
]

commands = new_group(
    "See who did what in a space, and verify the record.",
    example="audit show --space team",
)


@command(commands, "audit show --space team --after 100")
def show(
    context: CommandContext,
    *,
    after: Annotated[int, typer.Option(min=0, help="Number of the last entry that you know.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most entries.")] = 100,
    of: Trail = None,
) -> None:
    """Print who did what, in order, but never what was said."""
    context.show(context.memory.audit(after=after, limit=limit, of=of), print_audit_entries)


@command(commands, "audit verify --kept last-week.jsonl")
def verify(
    context: CommandContext,
    *,
    earlier: Annotated[
        Path | None,
        typer.Option(
            "--kept",
            exists=True,
            dir_okay=False,
            help="An earlier export, or log lines with checkpoints, kept elsewhere.",
        ),
    ] = None,
    of: Trail = None,
) -> None:
    """Check the whole trail against its chain and its checkpoints.

    The exit code is 1 when the check fails. Only what you kept elsewhere can show that entries
    at the end are missing, or that somebody with the server's key rewrote the trail.
    """
    verdict = context.memory.verify_audit(of=of)
    if earlier is not None and verdict.ok:
        lines = earlier.read_text("utf-8", errors="replace").splitlines()
        hashes = read_hashes(lines)
        verdict = compare(verdict, context.memory.export_audit(of=of), hashes)
    context.show(verdict, _format_verdict(verdict))
    if not verdict.ok:
        raise typer.Exit(1)


@command(commands, "audit export trail.jsonl --space team")
def export(
    context: CommandContext,
    target: Annotated[Path, typer.Argument(help="A file, or - for stdout.")],
    *,
    of: Trail = None,
) -> None:
    """Write the trail with hashes and checkpoints.

    Each line is one JSON record. A later export begins with an earlier one, byte for byte.
    """
    count = write_lines(context.memory.export_audit(of=of), target)
    if str(target) != "-":
        result = {"lines": count, "target": str(target)}
        context.show(result, f"exported {count} lines to {target}")


def _format_verdict(verdict: Verdict) -> str:
    counts = f"{verdict.entries} entries and {verdict.checkpoints} checkpoints are valid"
    if verdict.ok:
        return f"ok: {counts}"
    return f"WRONG: {verdict.reason} at entry {verdict.first_bad_seq}; {counts}"


_IN_LOG = re.compile(r"\baudit checkpoint (\S{1,200}) ([0-9]{1,18}) ([0-9a-f]{64}) ")

Hashes = dict[str, dict[int, set[str]]]
"""By space and place, what was there: hashes, and the lines of an export word for word."""


def read_hashes(lines: Iterable[str]) -> Hashes:
    """Return the hashes that lines hold; other lines are passed over.

    Raises:
        typer.BadParameter: a line of an export is damaged.
    """
    hashes: Hashes = defaultdict(lambda: defaultdict(set))
    space = ""
    for line in lines:
        logged = _IN_LOG.search(line)
        if logged is not None:
            hashes[logged[1]][int(logged[2])].add(logged[3])
            continue
        fields = _parse_line(line)
        if "audit" in fields:
            space = str(fields["audit"])
            hashes[space].clear()
        if "seq" in fields or "checkpoint" in fields:
            place, head = _read_place(fields)
            hashes[space][place] |= {head, line.strip()}
    return hashes


def compare(
    verdict: Verdict, exported: Iterable[str], earlier: Mapping[str, Mapping[int, set[str]]]
) -> Verdict:
    """Return the verdict with what earlier hashes say about the trail as it is now.

    Raises:
        typer.BadParameter: none of them is of this space.
    """
    [(space, hashes)] = read_hashes(exported).items()
    known = earlier.get(space)
    if not known:
        message = "holds no entry and no checkpoint of this space"
        raise typer.BadParameter(message, param_hint="--kept")
    for place, expected in sorted(known.items()):
        if not expected <= hashes.get(place, set()):
            reason = "rewritten" if place in hashes else "truncated"
            broken = {"ok": False, "first_bad_seq": place, "reason": reason}
            return verdict.model_copy(update=broken)
    return verdict


def _read_place(fields: Mapping[str, Any]) -> tuple[int, str]:
    place: object = fields.get("seq", fields.get("checkpoint"))
    head: object = fields.get("hash", fields.get("head"))
    if isinstance(place, int) and isinstance(head, str):
        return place, head
    raise typer.BadParameter("a line of the export is damaged", param_hint="--kept")


def _parse_line(line: str) -> dict[str, Any]:
    try:
        fields: object = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
