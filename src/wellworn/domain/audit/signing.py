"""Signs checkpoints and tells whether a signature is right; both are given from above."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from wellworn.domain.audit.models import Checkpoint, checkpoint_message


class CheckpointSigner(Protocol):
    """An Ed25519 private key."""

    @property
    def public(self) -> bytes:
        """The public key, 32 raw bytes."""
        ...

    def sign(self, message: bytes, /) -> bytes:
        """Return the signature, 64 bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Trust:
    """The keys whose signatures count.

    Attributes:
        keys: Ed25519 public keys, 32 raw bytes each; a replaced key stays among them.
        verifies: tells from (public key, message, signature) whether the signature is right.
    """

    keys: tuple[bytes, ...]
    verifies: Callable[[bytes, bytes, bytes], bool]

    def holds(self, checkpoint: Checkpoint) -> bool:
        """Tell whether one of the keys signed exactly this."""
        for key in self.keys:
            if fingerprint(key) == checkpoint.key:
                return self.verifies(key, checkpoint.message, checkpoint.signature)
        return False


def fingerprint(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def sign_checkpoint(
    signer: CheckpointSigner, space: str, seq: int, *, head: bytes, made_at: float
) -> Checkpoint:
    """Return a signed checkpoint."""
    signature = signer.sign(checkpoint_message(space, seq, head=head, made_at=made_at))
    return Checkpoint(space, seq, head, made_at, signature, fingerprint(signer.public))
