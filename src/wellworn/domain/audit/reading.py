"""Entries as their readers may see them: those of a sealed space opened with its key.

As lines of JSON, a trail only ever grows: an earlier export is the beginning of a later one, byte
for byte. What a sealed entry holds has a line of its own, so that all other lines are the same
without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wellworn.domain.audit import store
from wellworn.domain.audit.chain import compact, entry_of
from wellworn.domain.audit.keys import TrailKeys
from wellworn.domain.audit.models import Checkpoint, Entry, Link
from wellworn.domain.audit.sealing import (
    Envelope,
    KeyState,
    Opened,
    TrailKey,
    open_envelope,
    take_pen,
)
from wellworn.engines.crypto import DataKey, Identity, RecordBox
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import SpaceLocked, Tampered

_FORMAT = 1


class TrailReader:
    """Opens the entries of one trail; made for one reading, and closed after it."""

    def __init__(
        self, keys: TrailKeys, trail_keys: list[TrailKey], space: str, data_key: DataKey | None
    ) -> None:
        self._keys = keys
        self._trail_keys = {key.number: key for key in trail_keys}
        self._newest = trail_keys[-1] if trail_keys else None
        self._space = space
        self._data_key = data_key
        self._identities: dict[int, Identity] = {}
        self._boxes: dict[str, RecordBox | None] = {}

    @property
    def is_gone(self) -> bool:
        """Tell whether nobody can open what was sealed, because the space was deleted."""
        return self._newest is not None and self._newest.state is KeyState.GONE

    def read(self, transaction: Transaction, link: Link) -> Entry | None:
        """Return an entry; None when what opens it is lost.

        Raises:
            SpaceLocked: it is sealed, and the space's key is not here.
            Tampered: it is not as it was sealed.
            ValueError: it is not as it was written.
        """
        envelope = Envelope.parse(link.entry)
        if envelope is None:
            return entry_of(link.entry)
        opened = self._open(transaction, link.seq, envelope)
        return None if opened is None else entry_of(opened.entry)

    def open(self, transaction: Transaction, link: Link) -> Opened | None:
        """Return what a sealed entry holds; None when it is not sealed or cannot be opened."""
        try:
            envelope = Envelope.parse(link.entry)
            return None if envelope is None else self._open(transaction, link.seq, envelope)
        except (SpaceLocked, Tampered, ValueError):
            return None

    def close(self) -> None:
        """Forget what opens entries."""
        for box in self._boxes.values():
            if box is not None:
                box.close()
        self._boxes.clear()
        self._identities.clear()

    def _open(self, transaction: Transaction, seq: int, envelope: Envelope) -> Opened | None:
        if envelope.pen not in self._boxes:
            self._boxes[envelope.pen] = self._take_pen(transaction, envelope.pen)
        box = self._boxes[envelope.pen]
        return None if box is None else open_envelope(envelope, seq, box)

    def _take_pen(self, transaction: Transaction, pen: str) -> RecordBox | None:
        stored = store.find_pen(transaction, self._space, pen)
        key = None if stored is None else self._trail_keys.get(stored.key_number)
        if stored is None or key is None or key.wrapped is None:
            return None
        if key.number not in self._identities:
            self._identities[key.number] = self._keys.open_key(key, self._data_key)
        return take_pen(self._space, stored, self._identities[key.number])


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
