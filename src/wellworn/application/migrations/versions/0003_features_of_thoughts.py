"""features of thoughts"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "features",
        sa.Column("thought_seq", sa.Integer(), nullable=False),
        sa.Column("maker", sa.Integer(), nullable=False),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("passages", sa.Integer(), nullable=False),
        sa.Column("asks", sa.Boolean(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("codes", sa.LargeBinary(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["thought_seq"], ["thoughts.seq"], name=op.f("fk_features_thought_seq")
        ),
        sa.PrimaryKeyConstraint("thought_seq", name=op.f("pk_features")),
    )
    with op.batch_alter_table("features", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_features_maker"), ["maker"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("features", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_features_maker"))
    op.drop_table("features")
