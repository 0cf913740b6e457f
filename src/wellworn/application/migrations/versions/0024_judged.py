"""The time at which a language model was asked what a thought replaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

INDEXES = (
    ("idx_thoughts_unjudged", "seq", sa.text("judged_at IS NULL AND kind = 'thought'")),
    ("idx_thoughts_judged", "judged_at", sa.text("judged_at IS NOT NULL")),
)


def upgrade() -> None:
    op.add_column("thoughts", sa.Column("judged_at", sa.Float()))
    for name, column, which in INDEXES:
        op.create_index(name, "thoughts", [column], sqlite_where=which, postgresql_where=which)
