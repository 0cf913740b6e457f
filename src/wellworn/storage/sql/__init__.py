"""The relational store: connections, transactions, and the one MetaData all tables belong to."""

from wellworn.storage.sql.copies import copy_database
from wellworn.storage.sql.database import Database, Transaction, undo_with
from wellworn.storage.sql.metadata import metadata
from wellworn.storage.sql.statements import add_up, insert_new

__all__ = [
    "Database",
    "Transaction",
    "add_up",
    "copy_database",
    "insert_new",
    "metadata",
    "undo_with",
]
