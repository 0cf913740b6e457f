"""A trail in a file of its own, signed with a real key, and somebody with a pen in the database."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy import text

from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.audit.tables import (
    audit_checkpoints,
    audit_entries,
    audit_keys,
    audit_pens,
)
from wellworn.engines.storage.sql import Database
from wellworn.testing.clock import ManualClock

KEY = bytes(range(32))
ADA = Actor("m-ada", "k1", "Ada Lovelace", "r-1")


class Pen:
    """Signs checkpoints."""

    def __init__(self, seed: int = 7) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)

    @property
    def public(self) -> bytes:
        return self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes, /) -> bytes:
        return self._key.sign(message)


def verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


class Trail:
    """An Audit with its database, and the ways to harm it."""

    def __init__(self, path, **parts) -> None:
        self.database = Database(path)
        self.clock = ManualClock()
        self.audit = self.opened(**parts)
        tables = [audit_entries, audit_checkpoints, audit_keys, audit_pens]
        with self.database.write() as transaction:
            audit_entries.metadata.create_all(transaction, tables=tables)

    def opened(
        self, *, chain_key=KEY, signer=None, older_keys=(), must_seal=lambda *_: False
    ) -> Audit:
        return Audit(
            self.database,
            self.clock,
            chain_key=chain_key,
            signer=signer or Pen(),
            verifies=verifies,
            older_keys=older_keys,
            must_seal=must_seal,
        )

    def write(self, count: int, space: str = "ks") -> None:
        with self.database.write() as transaction:
            for number in range(count):
                self.audit.note(
                    space,
                    Action.MEMORY_RECALLED,
                    by=ADA,
                    targets=(f"t-{number}",),
                    details={"count": number},
                    transaction=transaction,
                )

    def harm(self, statement: str, **values: object) -> None:
        with self.database.write() as transaction:
            assert transaction.execute(text(statement), values).rowcount > 0

    def rows(self, table: str) -> list[dict[str, object]]:
        with self.database.read() as transaction:
            found = transaction.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2"))
            return [dict(row) for row in found.mappings()]
