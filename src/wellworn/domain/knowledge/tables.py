"""Tables of what is compiled of documents: facts, aliases, conflicts, artifacts.

All but pins, aliases, resolutions and decisions on conflicts and names follows from documents.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from wellworn.engines.storage.sql import metadata
from wellworn.kit.ids import new_number


def _document(name: str, *, primary_key: bool = False) -> Column[int]:
    """Return a column that names a document; what was made of it goes with it."""
    reference = ForeignKey("knowledge_documents.id", ondelete="CASCADE")
    return Column(name, Integer, reference, primary_key=primary_key, nullable=False)


derived_facts = Table(
    "derived_facts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("term", String(255), nullable=False),
    # What two spellings of a term have in common: `entities.name_key`.
    Column("term_key", String(255), nullable=False),
    Column("fact_type", String(50), nullable=False),
    Column("attribute", String(255), nullable=False, default=""),
    Column("value", Text, nullable=False),
    _document("source_doc_id"),
    Column("source_span_start", Integer, nullable=False),
    Column("source_span_end", Integer, nullable=False),
    Column("snippet_start", Integer, nullable=False),
    Column("source_snippet", Text, nullable=False),
    # Of the heading that the snippet stands below.
    Column("anchor", String, nullable=False, server_default=""),
    Column("confidence", Float, nullable=False),
    Column("derived_at", Float, nullable=False),
    Column("derived_by", String(100), nullable=False),
    Index(None, "knowledge_space_id", "term_key"),
    Index(None, "source_doc_id"),
    sqlite_autoincrement=True,
)

document_digests = Table(
    "document_digests",
    metadata,
    _document("document_id", primary_key=True),
    Column("knowledge_space_id", String, nullable=False),
    # What it was made of and by: as long as they are equal it is not computed again.
    Column("content_hash", String(64), nullable=False),
    Column("compiler_version", String(50), nullable=False),
    Column("digest", Text, nullable=False),
    # Whether its own words, name or folder say that it holds no longer.
    Column("is_withdrawn", Boolean, nullable=False, server_default=false()),
    # The same, or a later copy of it is there.
    Column("is_past", Boolean, nullable=False, server_default=false()),
    Index(None, "knowledge_space_id"),
)

glossary_entries = Table(
    "glossary_entries",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("term", String(255), nullable=False),
    # What two spellings of a term have in common: `entities.name_key`.
    Column("term_key", String(255), nullable=False),
    # For a kind: the term whose it is.
    Column("alias_of", String(255)),
    _document("document_id"),
    Column("anchor", String, nullable=False),
    Column("summary", Text, nullable=False),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("weight", Float, nullable=False),
    Index(None, "knowledge_space_id", "term_key"),
    Index(None, "document_id"),
    sqlite_autoincrement=True,
)

compiled_artifacts = Table(
    "compiled_artifacts",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("artifact_type", String(50), primary_key=True),
    Column("content", Text, nullable=False),
    # Of all that it was made of: as long as that is equal it is not made again.
    Column("fingerprint", String(64), nullable=False),
    Column("compiled_at", Float, nullable=False),
    Column("compiler_version", String(50), nullable=False),
)

learned_aliases = Table(
    "learned_aliases",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("term_key", String(255), primary_key=True),
    Column("term", String(255), nullable=False),
    _document("canonical_doc_id"),
    Column("canonical_path", String(1400), nullable=False),
    Column("anchor", String, nullable=False),
    # Of the section it stands for: a changed one is looked at again before the alias is used.
    Column("section_hash", String(64), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("usage_count", Integer, nullable=False),
    Column("last_used_at", Float, nullable=False),
    # Said by somebody rather than found: it comes before what the documents suggest. What was
    # found has a teacher, too: the one who asked then.
    Column("is_taught", Boolean, nullable=False),
    Column("taught_by", String),
    Column("taught_at", Float),
    Index(None, "canonical_doc_id"),
)

fact_conflicts = Table(
    "fact_conflicts",
    metadata,
    Column("id", Integer, primary_key=True, default=new_number),
    Column("knowledge_space_id", String, nullable=False),
    # Of which source or site the term is: namesakes of two are two things.
    Column("place", String(255), nullable=False, server_default=""),
    Column("term", String(255), nullable=False),
    Column("term_key", String(255), nullable=False),
    Column("attribute", String(255), nullable=False),
    Column("fact_type", String(50), nullable=False),
    # A JSON list: value, document, path, span and quote of each.
    Column("candidates", Text, nullable=False),
    # What the places said when it was decided, as a JSON list.
    Column("decided_on", Text),
    # open, resolved, or closed when the documents agree again.
    Column("state", String(20), nullable=False),
    Column("resolution", Text),
    Column("reason", Text),
    Column("resolved_by", String),
    Column("resolved_at", Float),
    Column("found_at", Float, nullable=False),
    UniqueConstraint("knowledge_space_id", "place", "term_key", "attribute", "fact_type"),
    sqlite_autoincrement=True,
)

name_rulings = Table(
    "name_rulings",
    metadata,
    Column("id", Integer, primary_key=True, default=new_number),
    Column("knowledge_space_id", String, nullable=False),
    Column("term", String(255), nullable=False),
    # Equal to the term where it is about namesakes.
    Column("other", String(255), nullable=False),
    # one or several
    Column("verdict", String(20), nullable=False),
    Column("reason", Text),
    Column("said_by", String),
    Column("said_at", Float, nullable=False),
    Index(None, "knowledge_space_id"),
    sqlite_autoincrement=True,
)

term_pins = Table(
    "term_pins",
    metadata,
    Column("knowledge_space_id", String, primary_key=True),
    Column("term_key", String(255), primary_key=True),
    Column("term", String(255), nullable=False),
    Column("pinned_at", Float, nullable=False),
    Column("pinned_by", String),
)

resolutions = Table(
    "resolutions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("knowledge_space_id", String, nullable=False),
    Column("term", String(255), nullable=False),
    Column("term_key", String(255), nullable=False),
    # resolved, ambiguous or unknown
    Column("outcome", String(20), nullable=False),
    # How it was found: hot_terms, aliases, search.
    Column("found_by", String(20), nullable=False),
    Column("agent_id", String),
    Column("asked_by", String),
    Column("resolved_at", Float, nullable=False),
    Index(None, "knowledge_space_id", "term_key"),
    Index(None, "knowledge_space_id", "resolved_at"),
    sqlite_autoincrement=True,
)
