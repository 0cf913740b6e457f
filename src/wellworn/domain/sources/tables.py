"""Sources, their documents and chunks, and the runs that brought them.

Nothing is half visible: what a running sync makes ready waits in `knowledge_staged` and in chunks
without a document, and one transaction puts it in place of what was there. A sync that was killed
finds what it had made ready and goes on from there.

Members see the numbers of sources, documents and runs. All open spaces share these tables, so no
number may tell how many rows others have made: new ones do not count.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from wellworn.engines.storage.sql import metadata
from wellworn.kit.ids import new_number

knowledge_sources = Table(
    "knowledge_sources",
    metadata,
    Column("id", Integer, primary_key=True, default=new_number),
    # The owner of the specification is a space.
    Column("knowledge_space_id", String, nullable=False),
    Column("source_type", String(50), nullable=False),
    Column("name", String(255), nullable=False),
    Column("config", Text, nullable=False),
    # Wrapped by the server's own key.
    Column("secret", LargeBinary),
    Column("agents", Text),
    Column("sync_schedule", String(100)),
    Column("time_zone", String(64), nullable=False),
    Column("is_paused", Boolean, nullable=False, default=False),
    Column("sync_status", String(50), nullable=False),
    Column("sync_error", Text),
    Column("last_synced_at", Float),
    Column("last_attempt_at", Float),
    Column("next_attempt_at", Float),
    Column("failures", Integer, nullable=False, default=0),
    # What the connector remembers between two syncs: validators, the commit seen last.
    Column("state", Text, nullable=False, default="{}"),
    # Wrapped by the server's own key; null without a webhook.
    Column("webhook_secret", LargeBinary),
    # JSON: when its secret was made, by whom and with which key, and the last delivery.
    Column("webhook", Text),
    # The slot of a sync that something asked for and that has not begun, and since when.
    Column("wanted_slot", String(64)),
    Column("wanted_at", Float),
    Column("created_by", String),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Index(None, "knowledge_space_id", "name"),
    sqlite_autoincrement=True,
)

# Of signed deliveries that were accepted, so that none is accepted twice.
webhook_marks = Table(
    "webhook_marks",
    metadata,
    Column(
        "source_id",
        Integer,
        ForeignKey("knowledge_sources.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("mark", LargeBinary, primary_key=True),
)

knowledge_documents = Table(
    "knowledge_documents",
    metadata,
    Column("id", Integer, primary_key=True, default=new_number),
    Column("source_id", Integer, ForeignKey("knowledge_sources.id"), nullable=False),
    Column("knowledge_space_id", String, nullable=False),
    Column("path", String(1024), nullable=False),
    Column("title", String(512)),
    Column("content_text", Text, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("metadata", Text, nullable=False),
    Column("fetched_at", Float, nullable=False),
    Column("state", String(20), nullable=False),
    Column("reason", Text),
    # What the connector says the content is: equal means unchanged, nothing is read.
    Column("item_version", String, nullable=False),
    Column("raw_hash", String(64), nullable=False),
    # Which extractor, redaction, chunker and model made it.
    Column("maker", Integer, nullable=False),
    Column("gone_at", Float),
    # Which version its source gives that cannot be read, and what refused it: it is not read again.
    Column("refused_version", String),
    Column("refused_by", Integer),
    # The member who uploaded or imported it; null where its source was synced.
    Column("uploaded_by", String),
    Column("uploaded_at", Float),
    UniqueConstraint("source_id", "path"),
    Index(None, "knowledge_space_id", "state"),
    sqlite_autoincrement=True,
)

knowledge_staged = Table(
    "knowledge_staged",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("source_id", Integer, ForeignKey("knowledge_sources.id"), nullable=False),
    # The document that it is a new version of; null for a new one.
    Column("document_id", Integer, ForeignKey("knowledge_documents.id")),
    Column("path", String(1024), nullable=False),
    Column("title", String(512)),
    Column("content_text", Text, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("metadata", Text, nullable=False),
    Column("fetched_at", Float, nullable=False),
    Column("item_version", String, nullable=False),
    Column("raw_hash", String(64), nullable=False),
    Column("maker", Integer, nullable=False),
    # A JSON list: chunks of the document that stay, with their new places.
    Column("kept", Text, nullable=False),
    # A JSON list of the secrets removed: kind and line.
    Column("secrets", Text, nullable=False),
    Column("uploaded_by", String),
    Column("uploaded_at", Float),
    UniqueConstraint("source_id", "path"),
    sqlite_autoincrement=True,
)

knowledge_chunks = Table(
    "knowledge_chunks",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("source_id", Integer, nullable=False),
    Column("document_id", Integer, ForeignKey("knowledge_documents.id")),
    Column("staged_id", Integer, ForeignKey("knowledge_staged.id")),
    Column("number", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("headings", Text, nullable=False),
    Column("anchor", String, nullable=False),
    Column("page", Integer),
    # Of what is indexed of it: an equal one in a new version of the document stays.
    Column("chunk_hash", String(64), nullable=False),
    # Which model and which rules made what follows; of others it is not read.
    Column("maker", Integer, nullable=False),
    Column("shape", String, nullable=False),
    Column("asks", Boolean, nullable=False),
    Column("times", Integer, nullable=False),
    Column("codes", LargeBinary, nullable=False),
    Column("counts", LargeBinary, nullable=False),
    Index(None, "document_id", "number"),
    Index(None, "staged_id"),
    Index(None, "source_id"),
    Index(None, "maker"),
    sqlite_autoincrement=True,
)

chunk_identifiers = Table(
    "chunk_identifiers",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("chunk_seq", Integer, ForeignKey("knowledge_chunks.seq"), primary_key=True),
    Index(None, "chunk_seq"),
)

sync_runs = Table(
    "sync_runs",
    metadata,
    Column("id", Integer, primary_key=True, default=new_number),
    Column("source_id", Integer, ForeignKey("knowledge_sources.id"), nullable=False),
    Column("knowledge_space_id", String, nullable=False),
    # What started it: a person, the schedule, the start of the server.
    Column("trigger", String(20), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("status", String(50), nullable=False),
    Column("counts", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("problems", Text, nullable=False),
    Index(None, "source_id", "id"),
    sqlite_autoincrement=True,
)

secret_notes = Table(
    "secret_notes",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", Integer, ForeignKey("knowledge_documents.id"), nullable=False),
    Column("kind", String(50), nullable=False),
    Column("line", Integer, nullable=False),
    Index(None, "document_id"),
    sqlite_autoincrement=True,
)
