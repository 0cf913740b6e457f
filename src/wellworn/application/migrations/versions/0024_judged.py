"""When a language model was asked what a thought replaces."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

UNJUDGED = sa.text("judged_at IS NULL AND kind = 'thought'")


def upgrade() -> None:
    op.add_column("thoughts", sa.Column("judged_at", sa.Float()))
    op.create_index(
        "idx_thoughts_unjudged",
        "thoughts",
        ["seq"],
        sqlite_where=UNJUDGED,
        postgresql_where=UNJUDGED,
    )
