"""An audit trail compared with an earlier one, kept where its server cannot reach.

A hash vouches for everything before it, so two trails with the same hash at a place are the same
up to there. Two kinds of lines are read: those of an export, and checkpoints from the log.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wellworn.client.models import Verdict

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
