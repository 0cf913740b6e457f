"""The one table of sealed spaces: records, of which nothing can be told but kind, number and size.

A space's records are all of one epoch, the key's number. A revision counts how often a record was
written; it is bound into the record, so the column can be read and not changed.
"""

from __future__ import annotations

from sqlalchemy import Column, Integer, LargeBinary, String, Table

from wellworn.engines.storage.sql import metadata

sealed_records = Table(
    "sealed_records",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("blob", LargeBinary, nullable=False),
)
