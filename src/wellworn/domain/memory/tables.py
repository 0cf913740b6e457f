"""Answers stored for a while, so that a retried call returns its first answer and counts once."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, String, Table, Text

from wellworn.engines.storage.sql import metadata

answers = Table(
    "answers",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("principal", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("request_fingerprint", String(64), nullable=False),
    Column("answer", Text, nullable=False),
    Column("answered_at", Float, nullable=False),
    Index(None, "answered_at"),
)
