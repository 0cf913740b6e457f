"""sources and knowledge"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "compiled_artifacts",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("artifact_type", sa.String(length=50), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("compiled_at", sa.Float(), nullable=False),
        sa.Column("compiler_version", sa.String(length=50), nullable=False),
        sa.PrimaryKeyConstraint(
            "knowledge_space_id", "artifact_type", name=op.f("pk_compiled_artifacts")
        ),
    )
    op.create_table(
        "fact_conflicts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("term", sa.String(length=255), nullable=False),
        sa.Column("term_key", sa.String(length=255), nullable=False),
        sa.Column("attribute", sa.String(length=255), nullable=False),
        sa.Column("fact_type", sa.String(length=50), nullable=False),
        sa.Column("candidates", sa.Text(), nullable=False),
        sa.Column("decided_on", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("resolved_by", sa.String(), nullable=True),
        sa.Column("resolved_at", sa.Float(), nullable=True),
        sa.Column("found_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fact_conflicts")),
        sa.UniqueConstraint(
            "knowledge_space_id",
            "term_key",
            "attribute",
            "fact_type",
            name=op.f("uq_fact_conflicts_knowledge_space_id_term_key_attribute_fact_type"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "knowledge_sources",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("source_type", sa.String(length=50), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("agents", sa.Text(), nullable=True),
        sa.Column("sync_schedule", sa.String(length=100), nullable=True),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("is_paused", sa.Boolean(), nullable=False),
        sa.Column("sync_status", sa.String(length=50), nullable=False),
        sa.Column("sync_error", sa.Text(), nullable=True),
        sa.Column("last_synced_at", sa.Float(), nullable=True),
        sa.Column("last_attempt_at", sa.Float(), nullable=True),
        sa.Column("next_attempt_at", sa.Float(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_sources")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("knowledge_sources", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_knowledge_sources_knowledge_space_id_name"),
            ["knowledge_space_id", "name"],
            unique=False,
        )

    op.create_table(
        "resolutions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("term", sa.String(length=255), nullable=False),
        sa.Column("term_key", sa.String(length=255), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("found_by", sa.String(length=20), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=True),
        sa.Column("resolved_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_resolutions")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("resolutions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_resolutions_knowledge_space_id_resolved_at"),
            ["knowledge_space_id", "resolved_at"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_resolutions_knowledge_space_id_term_key"),
            ["knowledge_space_id", "term_key"],
            unique=False,
        )

    op.create_table(
        "term_pins",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("term_key", sa.String(length=255), nullable=False),
        sa.Column("term", sa.String(length=255), nullable=False),
        sa.Column("pinned_at", sa.Float(), nullable=False),
        sa.Column("pinned_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("knowledge_space_id", "term_key", name=op.f("pk_term_pins")),
    )
    op.create_table(
        "knowledge_documents",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("title", sa.String(length=512), nullable=True),
        sa.Column("content_text", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.Float(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("item_version", sa.String(), nullable=False),
        sa.Column("raw_hash", sa.String(length=64), nullable=False),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("times_missing", sa.Integer(), nullable=False),
        sa.Column("gone_at", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["knowledge_sources.id"], name=op.f("fk_knowledge_documents_source_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_documents")),
        sa.UniqueConstraint(
            "source_id", "path", name=op.f("uq_knowledge_documents_source_id_path")
        ),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("knowledge_documents", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_knowledge_documents_knowledge_space_id_state"),
            ["knowledge_space_id", "state"],
            unique=False,
        )

    op.create_table(
        "sync_runs",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("trigger", sa.String(length=20), nullable=False),
        sa.Column("started_at", sa.Float(), nullable=False),
        sa.Column("finished_at", sa.Float(), nullable=True),
        sa.Column("status", sa.String(length=50), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("problems", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["knowledge_sources.id"], name=op.f("fk_sync_runs_source_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sync_runs")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sync_runs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_sync_runs_source_id_id"), ["source_id", "id"], unique=False
        )

    op.create_table(
        "derived_facts",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("term", sa.String(length=255), nullable=False),
        sa.Column("term_key", sa.String(length=255), nullable=False),
        sa.Column("fact_type", sa.String(length=50), nullable=False),
        sa.Column("attribute", sa.String(length=255), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source_doc_id", sa.Integer(), nullable=False),
        sa.Column("source_span_start", sa.Integer(), nullable=False),
        sa.Column("source_span_end", sa.Integer(), nullable=False),
        sa.Column("snippet_start", sa.Integer(), nullable=False),
        sa.Column("source_snippet", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("derived_at", sa.Float(), nullable=False),
        sa.Column("derived_by", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_doc_id"],
            ["knowledge_documents.id"],
            name=op.f("fk_derived_facts_source_doc_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_derived_facts")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("derived_facts", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_derived_facts_knowledge_space_id_term_key"),
            ["knowledge_space_id", "term_key"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_derived_facts_source_doc_id"), ["source_doc_id"], unique=False
        )

    op.create_table(
        "document_digests",
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("compiler_version", sa.String(length=50), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_documents.id"],
            name=op.f("fk_document_digests_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_digests")),
    )
    with op.batch_alter_table("document_digests", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_document_digests_knowledge_space_id"),
            ["knowledge_space_id"],
            unique=False,
        )

    op.create_table(
        "knowledge_staged",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=True),
        sa.Column("path", sa.String(length=1024), nullable=False),
        sa.Column("title", sa.String(length=512), nullable=True),
        sa.Column("content_text", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.Float(), nullable=False),
        sa.Column("item_version", sa.String(), nullable=False),
        sa.Column("raw_hash", sa.String(length=64), nullable=False),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Text(), nullable=False),
        sa.Column("secrets", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_documents.id"],
            name=op.f("fk_knowledge_staged_document_id"),
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["knowledge_sources.id"], name=op.f("fk_knowledge_staged_source_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_staged")),
        sa.UniqueConstraint("source_id", "path", name=op.f("uq_knowledge_staged_source_id_path")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "learned_aliases",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("term_key", sa.String(length=255), nullable=False),
        sa.Column("term", sa.String(length=255), nullable=False),
        sa.Column("canonical_doc_id", sa.Integer(), nullable=False),
        sa.Column("canonical_path", sa.String(length=1400), nullable=False),
        sa.Column("anchor", sa.String(), nullable=False),
        sa.Column("section_hash", sa.String(length=64), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("usage_count", sa.Integer(), nullable=False),
        sa.Column("last_used_at", sa.Float(), nullable=False),
        sa.Column("is_taught", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["canonical_doc_id"],
            ["knowledge_documents.id"],
            name=op.f("fk_learned_aliases_canonical_doc_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("knowledge_space_id", "term_key", name=op.f("pk_learned_aliases")),
    )
    with op.batch_alter_table("learned_aliases", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_learned_aliases_canonical_doc_id"), ["canonical_doc_id"], unique=False
        )

    op.create_table(
        "secret_notes",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=50), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["knowledge_documents.id"], name=op.f("fk_secret_notes_document_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_secret_notes")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("secret_notes", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_secret_notes_document_id"), ["document_id"], unique=False
        )

    op.create_table(
        "knowledge_chunks",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=True),
        sa.Column("staged_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("headings", sa.Text(), nullable=False),
        sa.Column("anchor", sa.String(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("chunk_hash", sa.String(length=64), nullable=False),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("asks", sa.Boolean(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("codes", sa.LargeBinary(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["knowledge_documents.id"],
            name=op.f("fk_knowledge_chunks_document_id"),
        ),
        sa.ForeignKeyConstraint(
            ["staged_id"], ["knowledge_staged.id"], name=op.f("fk_knowledge_chunks_staged_id")
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_knowledge_chunks")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("knowledge_chunks", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_knowledge_chunks_document_id_number"),
            ["document_id", "number"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_knowledge_chunks_maker"), ["maker"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_knowledge_chunks_source_id"), ["source_id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_knowledge_chunks_staged_id"), ["staged_id"], unique=False
        )

    op.create_table(
        "chunk_identifiers",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("chunk_seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_seq"], ["knowledge_chunks.seq"], name=op.f("fk_chunk_identifiers_chunk_seq")
        ),
        sa.PrimaryKeyConstraint(
            "knowledge_space_id", "key", "chunk_seq", name=op.f("pk_chunk_identifiers")
        ),
    )
    with op.batch_alter_table("chunk_identifiers", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_chunk_identifiers_chunk_seq"), ["chunk_seq"], unique=False
        )


def downgrade() -> None:
    op.drop_table("chunk_identifiers")
    op.drop_table("knowledge_chunks")
    op.drop_table("secret_notes")
    op.drop_table("learned_aliases")
    op.drop_table("knowledge_staged")
    op.drop_table("document_digests")
    op.drop_table("derived_facts")
    op.drop_table("sync_runs")
    op.drop_table("knowledge_documents")
    op.drop_table("term_pins")
    op.drop_table("resolutions")
    op.drop_table("knowledge_sources")
    op.drop_table("fact_conflicts")
    op.drop_table("compiled_artifacts")
