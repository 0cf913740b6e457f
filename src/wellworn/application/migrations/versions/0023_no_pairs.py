"""Drops the counts of what was shown together and used together: accesses and uses tell both."""

from __future__ import annotations

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("pairs")
    op.drop_table("co_uses")
