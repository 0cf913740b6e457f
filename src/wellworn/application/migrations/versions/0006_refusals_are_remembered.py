"""refusals are remembered"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

# Until now what refused a document stood where what made its text stands; 0 was nobody.
_REMEMBER = """
UPDATE knowledge_documents
SET refused_version = item_version, refused_by = nullif(maker, 0), item_version = '', maker = 0
WHERE state = 'refused'
"""
_FORGET = """
UPDATE knowledge_documents
SET item_version = coalesce(refused_version, ''), maker = coalesce(refused_by, 0)
WHERE state = 'refused'
"""


def upgrade() -> None:
    # One by one: made anew as a whole, every word of the documents would be copied.
    op.add_column("knowledge_documents", sa.Column("refused_version", sa.String(), nullable=True))
    op.add_column("knowledge_documents", sa.Column("refused_by", sa.Integer(), nullable=True))
    op.execute(_REMEMBER)
    op.drop_column("knowledge_documents", "times_missing")


def downgrade() -> None:
    op.execute(_FORGET)
    op.add_column(
        "knowledge_documents",
        sa.Column("times_missing", sa.Integer(), server_default=sa.text("0"), nullable=False),
    )
    op.drop_column("knowledge_documents", "refused_by")
    op.drop_column("knowledge_documents", "refused_version")
