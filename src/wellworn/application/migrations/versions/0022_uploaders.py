"""The uploader of a document and the asker of a name, so that a rollback takes both back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("knowledge_documents", "knowledge_staged"):
        op.add_column(table, sa.Column("uploaded_by", sa.String()))
        op.add_column(table, sa.Column("uploaded_at", sa.Float()))
    op.add_column("resolutions", sa.Column("asked_by", sa.String()))
