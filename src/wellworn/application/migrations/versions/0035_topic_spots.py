"""Where topics are on the map, so that they are there again the next day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("x", "y"):
        op.add_column("topics", sa.Column(name, sa.Float(), nullable=True))
