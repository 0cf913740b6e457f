"""The wall around each space in PostgreSQL, also for rows that hang on those of another table."""

from __future__ import annotations

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

_OF_THOUGHTS = (
    *("accesses", "affirmations", "consolidation_sources", "features", "feedback", "sightings"),
    *("thought_ends", "thought_sources", "trail_agents", "uses"),
)
_OF_ROWS = {
    **dict.fromkeys(_OF_THOUGHTS, "EXISTS (SELECT 1 FROM thoughts WHERE seq = thought_seq)"),
    "secret_notes": "EXISTS (SELECT 1 FROM knowledge_documents AS held WHERE held.id = document_id)",
    "webhook_marks": "EXISTS (SELECT 1 FROM knowledge_sources AS held WHERE held.id = source_id)",
}
"""Whose space is that of the row they name, whose own policy says who sees it."""

# As a subquery, it is read once for a statement, and not for each row.
_SET = "SELECT current_setting('wellworn.spaces', true)"


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        return
    for table, condition in _OF_ROWS.items():
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")  # or its owner would pass
        op.execute(f"CREATE POLICY own_space ON {table} USING (({_SET}) = '*' OR {condition})")
