"""An index of the thoughts a member confirmed, for the disputes of somebody."""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(op.f("ix_uses_agent_id"), "uses", ["agent_id"])
