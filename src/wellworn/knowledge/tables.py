"""Best practices as rows."""

from __future__ import annotations

from sqlalchemy import Column, Float, Integer, String, Table, Text, UniqueConstraint

from wellworn.storage.sql import metadata

practices = Table(
    "best_practices",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False),
    Column("knowledge_space_id", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("domain", String, nullable=False),
    Column("source", String, nullable=False),
    Column("file_path", String, nullable=False),
    Column("file_name", String, nullable=False),
    Column("chunk_index", Integer, nullable=False),
    Column("total_chunks", Integer, nullable=False),
    Column("timestamp", Float, nullable=False),
    UniqueConstraint("knowledge_space_id", "id"),
    sqlite_autoincrement=True,
)
