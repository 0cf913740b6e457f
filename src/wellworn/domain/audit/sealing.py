"""Entries of a sealed space: written by those without its key, opened only by those with it.

A space that is locked has no key in memory, and its trail grows all the same. So the trail has a
key pair for each key of the space. Its private half is sealed under that key; for its public half
each process encrypts a key of its own once, the pen with which it then seals its entries.

What is chained and stored is an envelope. It has a salted digest of the entry, so that an export
can show what it holds to somebody who has no key and still wants proof.

Source: `docs/adr/0013-sealed-spaces.md`; RFC 9180 (HPKE).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, cast

from wellworn.domain.audit.chain import compact
from wellworn.engines.crypto import DataKey, Identity, PublicIdentity, RecordBox
from wellworn.errors import Tampered

ENVELOPE_START = b'{"digest":'
"""The beginning of the stored bytes of a sealed entry, and of no other."""

_KIND = "audit entry"
_SALT_BYTES = 16
_PEN_BYTES = 8


class KeyState(StrEnum):
    """The use of a key pair of a trail."""

    PRESENT = "present"
    """Entries are sealed for it; the space's present key opens it."""
    PAST = "past"
    """No more entries are sealed for it; the space's present key opens it."""
    OPEN = "open"
    """The space was unsealed: the server opens it, and new entries are not sealed."""
    GONE = "gone"
    """Nobody opens it any more: the space was deleted."""


@dataclass(frozen=True, slots=True)
class TrailKey:
    """A key pair of a trail as it is stored.

    Attributes:
        wrapped: the private half, sealed; None when it is gone.
        mac: by which the server knows what it wrote.
    """

    space: str
    number: int
    state: KeyState
    public: PublicIdentity
    wrapped: bytes | None
    mac: bytes


@dataclass(frozen=True, slots=True)
class StoredPen:
    """The key that a process sealed entries with, encrypted for one key pair of the trail."""

    id: str
    key_number: int
    wrapped: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened envelope: the canonical entry, and the salt of its digest."""

    entry: bytes
    salt: bytes

    @property
    def digest(self) -> str:
        return hmac.digest(self.salt, self.entry, "sha256").hex()


@dataclass(frozen=True, slots=True)
class Envelope:
    """A sealed entry as it is chained."""

    digest: str
    pen: str
    sealed: bytes

    def canonical(self) -> bytes:
        sealed = base64.b64encode(self.sealed).decode()
        return compact({"digest": self.digest, "pen": self.pen, "sealed": sealed}).encode()

    @classmethod
    def parse(cls, written: bytes) -> Self | None:
        """Read what `canonical` wrote; None when it is an entry in the clear.

        Raises:
            ValueError: it is neither.
        """
        if not written.startswith(ENVELOPE_START):
            return None
        try:
            fields = cast("dict[str, Any]", json.loads(written))
            sealed = base64.b64decode(fields["sealed"], validate=True)
            envelope = cls(fields["digest"], fields["pen"], sealed)
        except (KeyError, TypeError, ValueError, RecursionError, binascii.Error) as error:
            raise ValueError("not an envelope") from error
        if envelope.canonical() != written:
            raise ValueError("not an envelope as it is written")
        return envelope


class Pen:
    """Seals entries for one key pair; it is this process's own and never stored but encrypted."""

    __slots__ = ("_box", "public", "stored")

    def __init__(self, key: TrailKey) -> None:
        pen = DataKey.new()
        name = secrets.token_hex(_PEN_BYTES)
        wrapped = key.public.encrypt(pen.material(), _pen_place(key.space, key.number, name))
        self.stored = StoredPen(name, key.number, wrapped)
        self.public = key.public
        self._box = RecordBox(pen, key.space, key.number)

    def is_for(self, key: TrailKey) -> bool:
        return (self.stored.key_number, self.public) == (key.number, key.public)

    def write(self, seq: int, entry: bytes) -> bytes:
        """Return the envelope of an entry, bound to its place."""
        opened = Opened(entry, secrets.token_bytes(_SALT_BYTES))
        sealed = self._box.seal(_KIND, seq, 0, opened.salt + entry)
        return Envelope(opened.digest, self.stored.id, sealed).canonical()


def take_pen(space: str, stored: StoredPen, identity: Identity) -> RecordBox:
    """Return what opens the entries of a pen.

    Raises:
        Tampered: it was encrypted for another key pair, or was changed.
    """
    place = _pen_place(space, stored.key_number, stored.id)
    return RecordBox(DataKey(identity.decrypt(stored.wrapped, place)), space, stored.key_number)


def open_envelope(envelope: Envelope, seq: int, box: RecordBox) -> Opened:
    """Return what an envelope holds.

    Raises:
        Tampered: it was sealed with another pen or at another place, or was changed.
    """
    content = box.open(_KIND, seq, 0, envelope.sealed)
    opened = Opened(content[_SALT_BYTES:], content[:_SALT_BYTES])
    if opened.digest != envelope.digest:
        raise Tampered("a sealed entry of the audit trail is not what its digest says")
    return opened


def _pen_place(space: str, key_number: int, pen: str) -> bytes:
    return f"wellworn audit pen 1\n{space}\n{key_number}\n{pen}".encode()
