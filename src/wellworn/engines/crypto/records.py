"""Encryption of the records of a sealed space.

Each kind of record has its own key, derived from the data key of its epoch. A record is bound to
space, kind, number, epoch and revision, so that a writer to the database can neither move
it nor put back an older one where the revision is known. Sizes are padded to hide text lengths.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Self

from wellworn.engines.crypto.framing import encode_parts
from wellworn.engines.crypto.sealing import KEY_BYTES, SecretBox, derive_key
from wellworn.errors import SpaceLocked

_LENGTH_BYTES = 4
_SMALL_STEP = 256
_SMALL_LIMIT = 64 * 1024
_LARGE_STEP = 4 * 1024
_TAG_BYTES = 16
_CLOSED = "this space is closed; it opens with a member's key"


class DataKey:
    """The 32 bytes that open one epoch of one space.

    They can be wiped; that is best effort, because the libraries and the interpreter may hold
    copies that nobody can reach.
    """

    __slots__ = ("_material", "is_wiped")

    def __init__(self, material: bytes | bytearray) -> None:
        if len(material) != KEY_BYTES:
            raise ValueError("a data key has 32 bytes")
        self._material = bytearray(material)
        self.is_wiped = False

    def __repr__(self) -> str:
        return "DataKey(wiped)" if self.is_wiped else "DataKey(hidden)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DataKey):
            return NotImplemented
        equal = hmac.compare_digest(self._material, other._material)
        return equal and not self.is_wiped and not other.is_wiped

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # a hash would tell of the key

    @classmethod
    def new(cls) -> Self:
        return cls(secrets.token_bytes(KEY_BYTES))

    @property
    def key_check(self) -> bytes:
        """32 bytes by which the right key is recognised; they tell nothing of it."""
        return self.derive_key("key check")

    def matches(self, key_check: bytes) -> bool:
        return hmac.compare_digest(self.key_check, key_check)

    def material(self) -> bytes:
        """Return a copy of the 32 bytes, to be wrapped.

        Raises:
            SpaceLocked: the key was wiped.
        """
        copy = bytes(self._material)
        # Asked after copying: a copy that another thread wiped meanwhile would be a key of zeros.
        if self.is_wiped:
            raise SpaceLocked(_CLOSED)
        return copy

    def derive_key(self, purpose: str) -> bytes:
        """Return the 32-byte key for one purpose.

        Raises:
            SpaceLocked: the key was wiped.
        """
        return derive_key(self.material(), purpose)

    def wipe(self) -> None:
        """Overwrite the key; it opens nothing from now on."""
        self.is_wiped = True
        self._material[:] = bytes(KEY_BYTES)


class RecordBox:
    """Seals and opens the records of one epoch; threads may share it. It owns its data key."""

    __slots__ = ("_boxes", "_key", "_tag_keys", "epoch", "space")

    def __init__(self, data_key: DataKey, space: str, epoch: int) -> None:
        self._key = data_key
        self.space = space
        self.epoch = epoch
        self._boxes: dict[str, tuple[SecretBox, bytes]] = {}
        self._tag_keys: dict[str, bytes] = {}

    def __repr__(self) -> str:
        return f"RecordBox(space={self.space!r}, epoch={self.epoch})"

    def seal(self, kind: str, number: int, revision: int, payload: bytes) -> bytes:
        """Close a payload of at most 4 GiB; the blob is 29 bytes longer than its padded length.

        Raises:
            SpaceLocked: the space was closed.
        """
        box, place = self._box(kind)
        return box.seal(_pad(payload), place + encode_parts(number, revision))

    def open(self, kind: str, number: int, revision: int, blob: bytes) -> bytes:
        """Return the payload that was sealed as this record.

        Raises:
            SpaceLocked: the space was closed.
            Tampered: the blob is another record, of another key, or was changed.
        """
        box, place = self._box(kind)
        return _unpad(box.open(blob, place + encode_parts(number, revision)))

    def tag(self, kind: str, content: bytes) -> bytes:
        """Return 16 bytes by which equal contents are recognised, within this epoch only."""
        self._refuse_when_closed()
        key = self._tag_keys.get(kind)
        if key is None:
            key = self._tag_keys[kind] = self._key.derive_key(f"tag/{kind}")
        return hmac.digest(key, content, "sha256")[:_TAG_BYTES]

    def close(self) -> None:
        """Forget the derived keys and wipe the data key."""
        self._boxes.clear()
        self._tag_keys.clear()
        self._key.wipe()

    def _box(self, kind: str) -> tuple[SecretBox, bytes]:
        self._refuse_when_closed()
        box_and_place = self._boxes.get(kind)
        if box_and_place is None:
            place = encode_parts("record", self.space, kind, self.epoch)
            box_and_place = self._boxes[kind] = (
                SecretBox(self._key.derive_key(f"record/{kind}")),
                place,
            )
        return box_and_place

    def _refuse_when_closed(self) -> None:
        # A thread that was at work while another closed must not go on with a cached key.
        if self._key.is_wiped:
            raise SpaceLocked(_CLOSED)


def compute_padded_length(length: int) -> int:
    """Return the padded length: a multiple of 256 bytes up to 64 KiB, then of 4 KiB."""
    whole = length + _LENGTH_BYTES
    step = _SMALL_STEP if whole <= _SMALL_LIMIT else _LARGE_STEP
    return -(-whole // step) * step


def _pad(payload: bytes) -> bytes:
    head = len(payload).to_bytes(_LENGTH_BYTES, "big")
    return (head + payload).ljust(compute_padded_length(len(payload)), b"\0")


def _unpad(padded: bytes) -> bytes:
    length = int.from_bytes(padded[:_LENGTH_BYTES], "big")
    return padded[_LENGTH_BYTES : _LENGTH_BYTES + length]
