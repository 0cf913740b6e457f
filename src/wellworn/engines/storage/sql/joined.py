"""A database as seen from inside one of its write transactions.

Services that begin transactions of their own then all take part in one, which is kept or undone as
a whole.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection

from wellworn.engines.storage.sql.database import Database
from wellworn.engines.storage.sql.transactions import Transaction


class JoinedDatabase(Database):
    """Reads and writes in a transaction that is under way; a subclass, as `RamDatabase` is.

    For one thread, and only until the transaction ends. An error must leave it, or half of what
    failed is kept.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    @contextmanager
    def read(self) -> Generator[Connection]:
        yield self._transaction

    @contextmanager
    def share_read(self) -> Generator[None]:
        yield

    @contextmanager
    def write(self) -> Generator[Connection]:
        yield self._transaction

    @contextmanager
    def share_write(self, *, least_free_bytes: int = 0) -> Generator[Connection]:
        del least_free_bytes
        yield self._transaction
