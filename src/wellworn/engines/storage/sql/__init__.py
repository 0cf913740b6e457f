"""The relational store: connections, transactions, and the one MetaData all tables belong to."""

from wellworn.engines.storage.sql.copies import copy_database
from wellworn.engines.storage.sql.database import Database, JoinedDatabase
from wellworn.engines.storage.sql.metadata import metadata
from wellworn.engines.storage.sql.pages import UNREADABLE, Lose, read_pages, refuse
from wellworn.engines.storage.sql.ram import Journal, RamDatabase
from wellworn.engines.storage.sql.salvage import (
    LostRow,
    SalvagedRows,
    salvage_database,
    salvage_image,
)
from wellworn.engines.storage.sql.statements import (
    add_up,
    build_value,
    compare_with_list,
    fetch,
    insert_new,
    select_in,
    split_into_batches,
    write_rows,
)
from wellworn.engines.storage.sql.transactions import Transaction, undo_with

__all__ = [
    "UNREADABLE",
    "Database",
    "JoinedDatabase",
    "Journal",
    "Lose",
    "LostRow",
    "RamDatabase",
    "SalvagedRows",
    "Transaction",
    "add_up",
    "build_value",
    "compare_with_list",
    "copy_database",
    "fetch",
    "insert_new",
    "metadata",
    "read_pages",
    "refuse",
    "salvage_database",
    "salvage_image",
    "select_in",
    "split_into_batches",
    "undo_with",
    "write_rows",
]
