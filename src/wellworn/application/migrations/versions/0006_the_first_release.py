"""The first release, 0.1.0: every table, and the default space.

Its number goes on from the revisions before the release, which it replaces: a database that went
through all of them has the same tables and is at this revision already.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from alembic import op

from wellworn.engines.storage.sql import create_tables

revision = "0006"
down_revision = None
branch_labels = None
depends_on = None

_SPACE = (
    "INSERT INTO knowledge_spaces (id, name, created_at, created_by, settings, mode, epoch)"
    " VALUES ('ks-default', 'ks-default', :now, 'local', '{}', 'open', 0)"
)


def upgrade() -> None:
    tables = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    create_tables(op.get_bind(), tables)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    op.get_bind().execute(sa.text(_SPACE), {"now": now})
