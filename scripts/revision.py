"""Write the Alembic revision that brings the last revision's schema to today's tables.

Usage: python scripts/revision.py "what changes"
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.config import Config

from wellworn.application.migrations import upgrade
from wellworn.engines.storage.sql import Database

HERE = Path(__file__).resolve().parents[1] / "src" / "wellworn" / "application" / "migrations"


def main() -> None:
    """Compare on a scratch database and write the file."""
    versions = [path.name for path in (HERE / "versions").glob("[0-9]*.py")]
    # Earlier revisions were joined into the first release's.
    number = f"{max(int(version[:4]) for version in versions) + 1:04d}"
    config = Config()
    config.set_main_option("script_location", str(HERE))
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "scratch.db")
        upgrade(database)
        with database.write() as transaction:
            config.attributes["connection"] = transaction
            command.revision(config, message=sys.argv[1], rev_id=number, autogenerate=True)
        database.close()


if __name__ == "__main__":
    main()
