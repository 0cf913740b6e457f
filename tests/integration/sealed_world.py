"""A main database, a sealed space in it, and a box that really seals."""

from __future__ import annotations

import hashlib
import secrets

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV
from sqlalchemy import text

from wellworn.engines.storage.sealed import SealedStore, sealed_records
from wellworn.engines.storage.sql import Database
from wellworn.errors import Tampered

NOTES = "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT UNIQUE, more BLOB)"


class SteelBox:
    """Real seals with a key made from the epoch's number."""

    def __init__(self, space: str = "meadow", epoch: int = 1) -> None:
        self.space = space
        self.epoch = epoch
        self._cipher = AESGCMSIV(hashlib.sha256(b"%d" % epoch).digest())

    def _place(self, kind: str, number: int, revision: int) -> bytes:
        return repr((self.space, self.epoch, kind, number, revision)).encode()

    def seal(self, kind: str, number: int, revision: int, payload: bytes) -> bytes:
        nonce = secrets.token_bytes(12)
        return nonce + self._cipher.encrypt(nonce, payload, self._place(kind, number, revision))

    def open(self, kind: str, number: int, revision: int, blob: bytes) -> bytes:
        try:
            return self._cipher.decrypt(blob[:12], blob[12:], self._place(kind, number, revision))
        except (InvalidTag, ValueError) as error:
            raise Tampered("a record is not as it was written") from error


def opened_main(folder):
    database = Database(folder / "main.db")
    with database.write() as transaction:
        sealed_records.create(transaction, checkfirst=True)
    return database


@pytest.fixture
def main(tmp_path):
    """A main database, empty but for the table of sealed records."""
    made = opened_main(tmp_path)
    yield made
    made.close()


def created(main, space="meadow"):
    made = SealedStore(main, space, SteelBox(space))
    made.create()
    return made


def fill(database, count=20):
    run(database, NOTES)
    with database.write() as transaction:
        for number in range(count):
            values = {"word": f"word {number}", "more": bytes([number]) * 20_000}
            insert = "INSERT INTO notes (word, more) VALUES (:word, :more)"
            transaction.execute(text(insert), values)


def run(database, *statements):
    with database.write() as transaction:
        for statement in statements:
            transaction.execute(text(statement))


def dump(database):
    with database.read() as transaction:
        tables = transaction.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'"))
        return {
            name: sorted(map(tuple, transaction.execute(text(f"SELECT rowid, * FROM {name}"))))
            for name in sorted(tables.scalars())
        }


def killed(one):
    """Lose the memory as a process that dies loses it."""
    one._database._drop()


def reopened(one):
    return SealedStore(one._main, one._space, one._cipher).open()


def records(main, kind=None):
    with main.read() as transaction:
        rows = transaction.execute(text("SELECT * FROM sealed_records ORDER BY kind, number"))
        return [row for row in rows if kind in (None, row.kind)]
