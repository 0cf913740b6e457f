"""What each version of a consolidation changed, in numbers alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("consolidations", sa.Column("changes", sa.Text(), nullable=True))
