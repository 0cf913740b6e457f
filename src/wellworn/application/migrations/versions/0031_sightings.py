"""The first sight somebody had of a thought by a door that leaves no row in the query log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sightings",
        sa.Column("thought_seq", sa.Integer, sa.ForeignKey("thoughts.seq"), nullable=False),
        sa.Column("seen_by", sa.String, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("thought_seq", "seen_by", name=op.f("pk_sightings")),
    )
