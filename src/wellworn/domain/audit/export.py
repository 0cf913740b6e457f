"""A trail as JSON lines, and the check of such lines far from the database they came from.

An export only ever grows: an earlier one is the beginning of a later one, byte for byte. What a
sealed entry holds has a line of its own, so that all other lines are the same without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from wellworn.domain.audit.chain import compact, verify_chain
from wellworn.domain.audit.models import Checkpoint, Fault, Link, TrailReport
from wellworn.domain.audit.sealing import Envelope, Opened
from wellworn.domain.audit.signing import Trust

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Holding:
    """The opened content of a sealed entry by its number, as a line says."""

    seq: int
    opened: Opened

    def is_of(self, link: Link) -> bool:
        try:
            envelope = Envelope.parse(link.entry)
        except ValueError:
            return False
        is_shown = envelope is not None and envelope.digest == self.opened.digest
        return is_shown and link.seq == self.seq


def heading(space: str) -> str:
    return compact({"audit": space, "format": _FORMAT})


def line_of_link(link: Link) -> str:
    # The entry stands as it was chained, also when somebody damaged it: an export is evidence.
    entry = link.entry.decode(errors="replace")
    return f'{{"entry":{entry},"hash":"{link.hash.hex()}","seq":{link.seq!r}}}'


def line_of_checkpoint(checkpoint: Checkpoint) -> str:
    return (
        f'{{"checkpoint":{checkpoint.seq!r},"head":"{checkpoint.head.hex()}"'
        f',"key":"{checkpoint.key.hex()}","made_at":{checkpoint.made_at!r}'
        f',"signature":"{checkpoint.signature.hex()}"}}'
    )


def line_of_opened(seq: int, opened: Opened) -> str:
    entry = opened.entry.decode()
    return f'{{"of":{seq!r},"opened":{entry},"salt":"{opened.salt.hex()}"}}'


def lines(
    links: Iterable[Link],
    checkpoints: Sequence[Checkpoint],
    opened: Mapping[int, Opened | None],
) -> Iterator[str]:
    """Yield a line for each entry, one for what it holds, and one for the checkpoint made there."""
    made = {checkpoint.seq: checkpoint for checkpoint in checkpoints}
    for link in links:
        yield line_of_link(link)
        holding = opened[link.seq]
        if holding is not None:
            yield line_of_opened(link.seq, holding)
        if link.seq in made:
            yield line_of_checkpoint(made[link.seq])


def verify_export(
    exported: Iterable[str],
    *,
    trust: Trust,
    chain_key: bytes | None = None,
    external: Iterable[Checkpoint] = (),
) -> TrailReport:
    """Return the verdict over an export's lines; line ends do not matter.

    Args:
        exported: what `Audit.export` gave.
        trust: the public keys that may have signed checkpoints.
        chain_key: the key of this space's chain. Without it only the order of the entries, the
            signatures and the hashes at checkpoints are checked, and `keyed` is False.
        external: checkpoints stored elsewhere; those of other spaces are passed over. Without them
            nobody can tell that entries and checkpoints at the end are missing.
    """
    rows = (line.rstrip("\r\n") for line in exported)
    space = _space_of(next(rows, ""))
    if space is None:
        return TrailReport("", 0, 0, 1, Fault.UNREADABLE, keyed=chain_key is not None)
    links: list[Link] = []
    pinned = [checkpoint for checkpoint in external if checkpoint.space == space]
    for row in rows:
        piece = _piece(row, space)
        if isinstance(piece, Link):
            links.append(piece)
        elif isinstance(piece, Checkpoint):
            pinned.append(piece)
        elif not (isinstance(piece, _Holding) and links and piece.is_of(links[-1])):
            bad = len(links) + 1
            return TrailReport(space, 0, 0, bad, Fault.UNREADABLE, keyed=chain_key is not None)
    return verify_chain(space, links, pinned, key=chain_key, trust=trust)


def _space_of(line: str) -> str | None:
    fields = _fields(line)
    space = fields.get("audit")
    return space if isinstance(space, str) and heading(space) == line else None


def _piece(line: str, space: str) -> Link | Checkpoint | _Holding | None:
    """Read one line; None when writing it again would not give the same line."""
    fields = _fields(line)
    try:
        if "entry" in fields:
            link = _link(fields)
            return link if line_of_link(link) == line else None
        if "of" in fields:
            holding = _holding(fields)
            return holding if line_of_opened(holding.seq, holding.opened) == line else None
        checkpoint = _checkpoint(fields, space)
        return checkpoint if line_of_checkpoint(checkpoint) == line else None
    except (KeyError, RecursionError, TypeError, ValueError):
        return None


def _link(fields: dict[str, Any]) -> Link:
    if type(fields["seq"]) is not int:
        raise TypeError("a seq is a whole number")
    entry = compact(fields["entry"]).encode()
    return Link(fields["seq"], entry, bytes.fromhex(fields["hash"]))


def _holding(fields: dict[str, Any]) -> _Holding:
    entry = compact(fields["opened"]).encode()
    return _Holding(fields["of"], Opened(entry, bytes.fromhex(fields["salt"])))


def _checkpoint(fields: dict[str, Any], space: str) -> Checkpoint:
    return Checkpoint(
        space=space,
        seq=fields["checkpoint"],
        head=bytes.fromhex(fields["head"]),
        made_at=fields["made_at"],
        signature=bytes.fromhex(fields["signature"]),
        key=bytes.fromhex(fields["key"]),
    )


def _fields(line: str) -> dict[str, Any]:
    try:
        fields: object = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}
