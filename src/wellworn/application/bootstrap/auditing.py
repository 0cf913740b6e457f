"""Makes the audit trails of a memory from the server's own key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wellworn.application.settings import Settings, read_settings
from wellworn.domain.audit import Audit
from wellworn.domain.spaces import must_be_sealed
from wellworn.engines.crypto import KeyProvider, SigningKey, VerifyKey, open_provider
from wellworn.engines.storage.sql import Database
from wellworn.errors import Tampered
from wellworn.kit.clock import Clock, SystemClock


@dataclass(frozen=True, slots=True)
class _CheckpointSigner:
    public: bytes
    key: SigningKey

    def sign(self, message: bytes, /) -> bytes:
        return self.key.sign(message)


def open_audit(home: Path, database: Database, settings: Settings | None = None) -> Audit:
    """Return the trails of a memory for who writes to them beside its server; makes no key.

    Raises:
        KeyUnavailable: the server's own key is not there.
    """
    key = (settings or read_settings()).crypto.key.model_copy(update={"create": False})
    return build_audit(open_provider(key, home), database, SystemClock())


def build_audit(key: KeyProvider, database: Database, clock: Clock) -> Audit:
    signer = SigningKey(key.derive("audit/checkpoints"))
    return Audit(
        database,
        clock,
        chain_key=key.derive("audit/chain"),
        signer=_CheckpointSigner(signer.public.raw, signer),
        verifies=_verifies,
        must_seal=must_be_sealed,
    )


def _verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        VerifyKey(public).check(signature, message)
    except Tampered:
        return False
    return True
