"""Clients that members let in by OAuth."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "oauth_connections",
        sa.Column("kid", sa.String, primary_key=True),
        sa.Column("holder", sa.String, nullable=False),
        sa.Column("member_id", sa.String(36), nullable=False),
        sa.Column("label", sa.String, nullable=False),
        sa.Column("client", sa.String(64), nullable=False),
        sa.Column("space_id", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("redirect_uri", sa.Text, nullable=False),
        sa.Column("challenge", sa.String, nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("code_verifier", sa.LargeBinary, nullable=False),
        sa.Column("access_verifier", sa.LargeBinary),
        sa.Column("access_ends_at", sa.Float),
        sa.Column("refresh_verifier", sa.LargeBinary),
        sa.Column("family_verifier", sa.LargeBinary),
    )
    op.create_index(op.f("ix_oauth_connections_holder"), "oauth_connections", ["holder"])
