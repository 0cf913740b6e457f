"""The relational store: connections, transactions, and the one MetaData all tables belong to."""

from wellworn.engines.storage.sql.choosing import describe_url, open_database
from wellworn.engines.storage.sql.copies import copy_database
from wellworn.engines.storage.sql.database import Database, JoinedDatabase, StorageSettings
from wellworn.engines.storage.sql.folder_names import name_folder, write_whole
from wellworn.engines.storage.sql.metadata import create_tables, metadata
from wellworn.engines.storage.sql.moving import (
    Contents,
    Table,
    TableDigest,
    clear_table,
    copy_table,
    digest_rows,
    digest_table,
    read_numbers,
    require_rights,
    take_stock,
    write_numbers,
)
from wellworn.engines.storage.sql.pages import UNREADABLE, Lose, read_pages, refuse
from wellworn.engines.storage.sql.ram import Journal, RamDatabase
from wellworn.engines.storage.sql.salvage import (
    LostRow,
    SalvagedRows,
    salvage_database,
    salvage_image,
)
from wellworn.engines.storage.sql.statements import (
    Asked,
    Rows,
    add_up,
    ask_number,
    build_value,
    compare_with_list,
    fetch,
    fetch_together,
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
    "Asked",
    "Contents",
    "Database",
    "JoinedDatabase",
    "Journal",
    "Lose",
    "LostRow",
    "RamDatabase",
    "Rows",
    "SalvagedRows",
    "StorageSettings",
    "Table",
    "TableDigest",
    "Transaction",
    "add_up",
    "ask_number",
    "build_value",
    "clear_table",
    "compare_with_list",
    "copy_database",
    "copy_table",
    "create_tables",
    "describe_url",
    "digest_rows",
    "digest_table",
    "fetch",
    "fetch_together",
    "insert_new",
    "metadata",
    "name_folder",
    "open_database",
    "read_json_number",
    "read_json_text",
    "read_numbers",
    "read_pages",
    "refuse",
    "require_rights",
    "salvage_database",
    "salvage_image",
    "select_in",
    "split_into_batches",
    "take_greater",
    "take_stock",
    "undo_with",
    "write_numbers",
    "write_rows",
    "write_whole",
]
