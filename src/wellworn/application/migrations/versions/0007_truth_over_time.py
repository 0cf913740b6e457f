"""Truth over time: which thought replaces which, and who called one outdated or wrong."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "replacements",
        sa.Column("thought_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("replaced_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("origin", sa.String, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("made_by", sa.String, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("withdrawn_by", sa.String),
        sa.Column("withdrawn_at", sa.Float),
        sa.PrimaryKeyConstraint("thought_seq", "replaced_seq"),
        sa.CheckConstraint("thought_seq <> replaced_seq", name="other"),
    )
    op.create_index(None, "replacements", ["replaced_seq"])
    op.create_index(
        "idx_feedback_verdicts",
        "feedback",
        ["thought_seq"],
        sqlite_where=sa.text("signal IN ('outdated', 'wrong')"),
        postgresql_where=sa.text("signal IN ('outdated', 'wrong')"),
    )
