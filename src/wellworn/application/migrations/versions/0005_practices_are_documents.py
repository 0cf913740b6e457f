"""practices are documents"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SOURCES = """
INSERT INTO knowledge_sources (
    knowledge_space_id, source_type, name, config, time_zone, is_paused, sync_status, failures,
    state, last_synced_at, created_at, updated_at
)
SELECT knowledge_space_id, 'best_practices', 'Best practices', '{}', 'UTC', 0, 'success', 0,
    '{}', max(timestamp), min(timestamp), min(timestamp)
FROM best_practices GROUP BY knowledge_space_id ORDER BY min(seq)
"""
# No maker is 0: they are cut, hashed and embedded when the memory is opened.
_DOCUMENTS = """
INSERT INTO knowledge_documents (
    source_id, knowledge_space_id, path, content_text, content_hash, metadata, fetched_at, state,
    item_version, raw_hash, maker, times_missing
)
SELECT sources.id, sources.knowledge_space_id, practices.id, content, '',
    json_object(
        'domain', domain, 'source', source, 'file_path', file_path, 'file_name', file_name,
        'chunk_index', chunk_index, 'total_chunks', total_chunks
    ),
    timestamp, 'current', '', '', 0, 0
FROM best_practices AS practices
JOIN knowledge_sources AS sources ON sources.knowledge_space_id = practices.knowledge_space_id
    AND sources.source_type = 'best_practices'
ORDER BY practices.seq
"""
_PRACTICES = """
INSERT INTO best_practices (
    id, knowledge_space_id, content, domain, source, file_path, file_name, chunk_index,
    total_chunks, timestamp
)
SELECT path, documents.knowledge_space_id, content_text, json_extract(metadata, '$.domain'),
    json_extract(metadata, '$.source'), json_extract(metadata, '$.file_path'),
    json_extract(metadata, '$.file_name'), json_extract(metadata, '$.chunk_index'),
    json_extract(metadata, '$.total_chunks'), fetched_at
FROM knowledge_documents AS documents
JOIN knowledge_sources AS sources ON sources.id = documents.source_id
    AND sources.source_type = 'best_practices'
ORDER BY documents.id
"""
_OURS = "SELECT id FROM knowledge_sources WHERE source_type = 'best_practices'"
_OUR_DOCUMENTS = f"SELECT id FROM knowledge_documents WHERE source_id IN ({_OURS})"  # noqa: S608
_OUR_CHUNKS = f"SELECT seq FROM knowledge_chunks WHERE source_id IN ({_OURS})"  # noqa: S608
_LEFT = {
    "chunk_identifiers": f"chunk_seq IN ({_OUR_CHUNKS})",
    "knowledge_chunks": f"source_id IN ({_OURS})",
    "derived_facts": f"source_doc_id IN ({_OUR_DOCUMENTS})",
    "document_digests": f"document_id IN ({_OUR_DOCUMENTS})",
    "learned_aliases": f"canonical_doc_id IN ({_OUR_DOCUMENTS})",
    "secret_notes": f"document_id IN ({_OUR_DOCUMENTS})",
    "knowledge_documents": f"source_id IN ({_OURS})",
    "knowledge_sources": "source_type = 'best_practices'",
}
"""What goes with them, in an order in which nothing points to what is gone."""


def upgrade() -> None:
    op.execute(_SOURCES)
    op.execute(_DOCUMENTS)
    op.drop_table("best_practices")
    # A sealed space keeps its points beside its rows.
    points = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'practice_points_*'"
    for name in op.get_bind().exec_driver_sql(points).scalars().all():
        op.drop_table(name)


def downgrade() -> None:
    op.create_table(
        "best_practices",
        sa.Column("seq", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("file_path", sa.String(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("chunk_index", sa.Integer(), nullable=False),
        sa.Column("total_chunks", sa.Integer(), nullable=False),
        sa.Column("timestamp", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_best_practices")),
        sa.UniqueConstraint(
            "knowledge_space_id", "id", name=op.f("uq_best_practices_knowledge_space_id_id")
        ),
        sqlite_autoincrement=True,
    )
    op.execute(_PRACTICES)
    for table, ours in _LEFT.items():
        op.execute(f"DELETE FROM {table} WHERE {ours}")  # noqa: S608
