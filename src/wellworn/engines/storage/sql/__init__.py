"""The relational store: connections, transactions, and the one MetaData all tables belong to."""

from wellworn.engines.storage.sql.choosing import open_database
from wellworn.engines.storage.sql.copies import copy_database
from wellworn.engines.storage.sql.database import Database, JoinedDatabase, StorageSettings
from wellworn.engines.storage.sql.metadata import create_tables, metadata
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
    read_json_number,
    read_json_text,
    select_in,
    split_into_batches,
    take_greater,
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
    "StorageSettings",
    "Transaction",
    "add_up",
    "build_value",
    "compare_with_list",
    "copy_database",
    "create_tables",
    "fetch",
    "insert_new",
    "metadata",
    "open_database",
    "read_json_number",
    "read_json_text",
    "read_pages",
    "refuse",
    "salvage_database",
    "salvage_image",
    "select_in",
    "split_into_batches",
    "take_greater",
    "undo_with",
    "write_rows",
]
