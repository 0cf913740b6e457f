"""Since when weights are on trial beside those in use, and when they took their place."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("learned_policies", sa.Column("tried_at", sa.Float(), nullable=True))
    op.add_column("learned_policies", sa.Column("taken_at", sa.Float(), nullable=True))
