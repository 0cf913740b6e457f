"""Sealed trails: keys for which the entries of sealed spaces are sealed, and what seals them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_keys",
        sa.Column("space_id", sa.String, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("encryption_public", sa.LargeBinary, nullable=False),
        sa.Column("signing_public", sa.LargeBinary, nullable=False),
        sa.Column("wrapped", sa.LargeBinary),
        sa.Column("mac", sa.LargeBinary(32), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "number", name="pk_audit_keys"),
    )
    op.create_table(
        "audit_pens",
        sa.Column("space_id", sa.String, nullable=False),
        sa.Column("id", sa.String, nullable=False),
        sa.Column("key_number", sa.Integer, nullable=False),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "id", name="pk_audit_pens"),
    )
