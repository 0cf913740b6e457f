"""Answering turns: whether a turn came to an answer; unknown of older ones until it is rebuilt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("has_answer", sa.Boolean()))
