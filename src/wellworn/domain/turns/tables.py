"""The indexes of turns, research and visits, and the files of those in sealed spaces.

The files are the record: the indexes are derived from them, and one command makes them again.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from wellworn.engines.storage.sql import metadata

turns = Table(
    "turns",
    metadata,
    Column("id", String, primary_key=True),
    # What one space holds can be imported into another one, where it has the same ids.
    Column("knowledge_space_id", String, primary_key=True),
    Column("user_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("status", String(20), nullable=False),
    Column("query", Text, nullable=False),
    Column("resolved_query", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("intent", String(20), nullable=False),
    Column("engine", String, nullable=False),
    Column("summary", Text, nullable=False),
    Column("quality", Float),
    Column("created_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("follows", Integer),
    Column("archived_at", Float),
    Column("has_answer", Boolean),
    # Of the resolved query and the answer's beginning; None until the turn is over.
    Column("vector", LargeBinary),
    UniqueConstraint("knowledge_space_id", "user_id", "number"),
    Index(None, "status"),
)

turn_files = Table(
    "turn_files",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("user_id", String, primary_key=True),
    Column("path", String, primary_key=True),
    # A file that is appended to has a part for each time, which is never written again.
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
)

research_documents = Table(
    "research_documents",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("user_id", String, primary_key=True),
    Column("turn_number", Integer, primary_key=True),
    Column("id", String, nullable=False),
    Column("query", Text, nullable=False),
    Column("topic", Text, nullable=False),
    Column("intent", String(20), nullable=False),
    Column("quality", Float, nullable=False),
    Column("scope", String(20), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("superseded_by", String),
    Column("uses", Integer, nullable=False),
)

page_visits = Table(
    "page_visits",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("user_id", String, primary_key=True),
    Column("turn_number", Integer, primary_key=True),
    Column("url", Text, primary_key=True),
    Column("site", String, nullable=False),
    # Whether a tool of ours read it, whether it could be read, whether an answer cites it.
    Column("is_own", Boolean, nullable=False),
    Column("is_ok", Boolean, nullable=False),
    Column("is_cited", Boolean, nullable=False),
    Column("visited_at", Float, nullable=False),
    Index(None, "knowledge_space_id", "site"),
)
