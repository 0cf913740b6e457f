"""Turns: an id names one turn of a space, and a file of a sealed space grows part by part."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rebuild_turns()
    _rebuild_files()


def _rebuild_turns() -> None:
    op.drop_index(op.f("ix_turns_status"), "turns")
    op.execute("CREATE TABLE turns_before AS SELECT * FROM turns")
    op.drop_table("turns")
    op.create_table(
        "turns",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("resolved_query", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("intent", sa.String(length=20), nullable=False),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("quality", sa.Float()),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("ended_at", sa.Float()),
        sa.Column("follows", sa.Integer()),
        sa.Column("vector", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", "knowledge_space_id"),
        sa.UniqueConstraint("knowledge_space_id", "user_id", "number"),
    )
    op.execute(
        "INSERT INTO turns (id, knowledge_space_id, user_id, number, status, query,"
        " resolved_query, topic, intent, engine, summary, quality, created_at, ended_at, follows,"
        " vector) SELECT id, knowledge_space_id, user_id, number, status, query,"
        " resolved_query, topic, intent, engine, summary, quality, created_at, ended_at, follows,"
        " vector FROM turns_before"
    )
    op.drop_table("turns_before")
    op.create_index(op.f("ix_turns_status"), "turns", ["status"])


def _rebuild_files() -> None:
    op.execute("CREATE TABLE turn_files_before AS SELECT * FROM turn_files")
    op.drop_table("turn_files")
    op.create_table(
        "turn_files",
        sa.Column("knowledge_space_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("part", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("knowledge_space_id", "user_id", "path", "part"),
    )
    op.execute(
        "INSERT INTO turn_files (knowledge_space_id, user_id, path, part, content)"
        " SELECT knowledge_space_id, user_id, path, 0, content FROM turn_files_before"
    )
    op.drop_table("turn_files_before")
