"""The chain: each hash covers the one before it, so that one changed entry breaks all that follow.

The hashes are keyed, because a writer to the database could otherwise compute a new chain.

Source: B. Schneier, J. Kelsey, Secure Audit Logs to Support Computer Forensics.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable
from typing import Any, cast

from wellworn.domain.audit.actions import Action
from wellworn.domain.audit.models import Actor, Checkpoint, Entry, Fault, Link, TrailReport
from wellworn.domain.audit.signing import Trust

SHORTEST_KEY = 32
# What JSON of another shape runs into on its way to an entry.
_UNREADABLE = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
_START = b"wellworn audit chain 1\n"


def canonical(entry: Entry) -> bytes:
    """Return the one way to write an entry: JSON in ASCII, keys in order, no blanks."""
    actor = entry.actor
    fields = {
        "action": entry.action.value,
        "at": float(entry.at),
        "credential": actor.credential,
        "details": dict(entry.details),
        "outcome": entry.outcome,
        "owner": actor.owner,
        "principal": actor.principal,
        "request_id": actor.request_id,
        "targets": list(entry.targets),
    }
    return compact(fields).encode()


def entry_of(written: bytes) -> Entry:
    """Read what `canonical` wrote.

    Raises:
        ValueError: it wrote something else.
    """
    try:
        entry = _entry(json.loads(written))
    except _UNREADABLE as error:
        raise ValueError("not an entry") from error
    if canonical(entry) != written:
        raise ValueError("not an entry as it is written")
    return entry


def compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def origin(key: bytes, space: str) -> bytes:
    """Return what the first entry of a space follows.

    Raises:
        ValueError: the key is too short to be one.
    """
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"a chain's key has at least {SHORTEST_KEY} bytes")
    return hmac.digest(key, _START + space.encode(), "sha256")


def next_hash(key: bytes, previous: bytes, entry: bytes) -> bytes:
    return hmac.digest(key, previous + entry, "sha256")


class Walk:
    """Follows a chain from a known place: after a walk, `seq` and `head` are the last that hold."""

    def __init__(self, key: bytes, seq: int, head: bytes) -> None:
        self._key = key
        self.seq = seq
        self.head: bytes = head

    def step(self, link: Link) -> Fault | None:
        """Go on to the next entry, or say why it is not the next."""
        if link.seq != self.seq + 1:
            return Fault.GAP
        if link.hash != next_hash(self._key, self.head, link.entry):
            return Fault.CHANGED
        self.seq, self.head = link.seq, link.hash
        return None

    def follow(self, links: Iterable[Link]) -> Fault | None:
        """Go as far as the entries hold; say what stopped it."""
        return next((fault for link in links if (fault := self.step(link)) is not None), None)


def verify_chain(
    space: str,
    links: Iterable[Link],
    checkpoints: Iterable[Checkpoint],
    *,
    key: bytes,
    trust: Trust,
) -> TrailReport:
    """Return the verdict over a chain: first over its entries, then over its checkpoints."""
    pinned = sorted(checkpoints, key=lambda checkpoint: (str(type(checkpoint.seq)), checkpoint.seq))
    places = {checkpoint.seq for checkpoint in pinned}
    heads: dict[int, bytes] = {}
    walk = Walk(key, 0, origin(key, space))
    for link in links:
        fault = walk.step(link)
        if fault is not None:
            return TrailReport(space, walk.seq, 0, walk.seq + 1, fault)
        if link.seq in places:
            heads[link.seq] = link.hash
    for held, checkpoint in enumerate(pinned):
        fault = _fault_of(checkpoint, heads, trust=trust)
        if fault is not None:
            bad = walk.seq + 1 if fault is Fault.TRUNCATED else checkpoint.seq
            return TrailReport(space, walk.seq, held, bad, fault)
    return TrailReport(space, walk.seq, len(pinned))


def _fault_of(checkpoint: Checkpoint, heads: dict[int, bytes], *, trust: Trust) -> Fault | None:
    if not trust.holds(checkpoint):
        return Fault.UNSIGNED
    if checkpoint.seq not in heads:
        return Fault.TRUNCATED
    return None if heads[checkpoint.seq] == checkpoint.head else Fault.REWRITTEN


def _entry(fields: Any) -> Entry:
    actor = Actor(fields["principal"], fields["credential"], fields["owner"], fields["request_id"])
    return Entry(
        at=float(fields["at"]),
        actor=actor,
        action=Action(fields["action"]),
        targets=tuple(cast("list[str]", fields["targets"])),
        outcome=fields["outcome"],
        details=fields["details"],
    )
