"""Unconfirmed: until when a member's thought waits for somebody else to confirm it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("thoughts", sa.Column("unconfirmed_until", sa.Float))
