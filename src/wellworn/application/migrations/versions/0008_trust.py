"""Trust: what an admin stored or judged is believed without anybody else's confirmation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("thoughts", "feedback"):
        column = sa.Column("by_admin", sa.Boolean, nullable=False, server_default=sa.text("false"))
        op.add_column(table, column)
