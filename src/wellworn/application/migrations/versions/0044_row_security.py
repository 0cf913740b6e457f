"""A second wall around each space in PostgreSQL: a transaction sees the rows of its own alone."""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

_OF_SPACES = (
    *("aliases", "answers", "bridges", "chunk_identifiers", "co_use_verdicts"),
    *("compiled_artifacts", "consolidations", "decisions", "derived_facts", "document_digests"),
    *("fact_conflicts", "glossary_entries", "knowledge_chunks", "knowledge_documents"),
    *("knowledge_sources", "learned_aliases", "learned_policies", "name_rulings", "page_visits"),
    *("query_log", "research_documents", "resolutions", "sessions", "sleeps", "sync_runs"),
    *("tags", "term_pins", "thoughts", "topic_changes", "topic_trees", "topics", "trails"),
    *("turn_files", "turns"),
)
_OF_ROWS = {
    "erasures": "EXISTS (SELECT 1 FROM thoughts WHERE seq = thought_seq)",
    "knowledge_staged": "source_id IN (SELECT id FROM knowledge_sources)",
    "replacements": "EXISTS (SELECT 1 FROM thoughts WHERE seq = thought_seq)",
}
"""Words that belong to the rows of another table, whose own policy says who sees those."""

# As a subquery, it is read once for a statement, and not for each row.
_SET = "SELECT current_setting('wellworn.spaces', true)"
_LISTED = "SELECT string_to_array(current_setting('wellworn.spaces', true), ',')"


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        return
    for table in _OF_SPACES:
        _wall(table, f"knowledge_space_id = ANY (({_LISTED})::text[])")
    for table, belongs in _OF_ROWS.items():
        _wall(table, belongs)


def _wall(table: str, condition: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")  # or its owner would pass
    op.execute(f"CREATE POLICY own_space ON {table} USING (({_SET}) = '*' OR {condition})")
