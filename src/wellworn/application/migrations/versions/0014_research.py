"""Research documents and the pages that turns visited: indexes that are made of the files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "research_documents",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("turn_number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("intent", sa.String(length=20), nullable=False),
        sa.Column("quality", sa.Float(), nullable=False),
        sa.Column("scope", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float()),
        sa.Column("superseded_by", sa.String()),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", "user_id", "turn_number"),
    )
    op.create_table(
        "page_visits",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("turn_number", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("is_own", sa.Boolean(), nullable=False),
        sa.Column("is_ok", sa.Boolean(), nullable=False),
        sa.Column("is_cited", sa.Boolean(), nullable=False),
        sa.Column("visited_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", "user_id", "turn_number", "url"),
    )
    op.create_index(
        op.f("ix_page_visits_knowledge_space_id_site"),
        "page_visits",
        ["knowledge_space_id", "site"],
    )
