"""What a language model says of what sleep found to say the same."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("consolidations", sa.Column("told", sa.Text(), nullable=True))
