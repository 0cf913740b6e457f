"""Entries as their readers may see them: those of a sealed space opened with its key."""

from __future__ import annotations

from wellworn.domain.audit import store
from wellworn.domain.audit.chain import entry_of
from wellworn.domain.audit.keys import TrailKeys
from wellworn.domain.audit.models import Entry, Link
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
