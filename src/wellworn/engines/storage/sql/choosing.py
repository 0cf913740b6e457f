"""Opens the database that the settings name; only here is the engine chosen."""

from __future__ import annotations

from pathlib import Path

from wellworn.engines.storage.sql.database import Database, StorageSettings


def open_database(path: Path, settings: StorageSettings) -> Database:
    """Open the database that the settings name, or else the file; nothing is asked of it yet.

    Raises:
        InvalidInput: the settings have a URL that is none of PostgreSQL.
    """
    if settings.url is None:
        return Database(path)
    # What speaks to PostgreSQL is loaded by those alone who use it.
    from wellworn.engines.storage.sql.postgresql import PostgreSQL  # noqa: PLC0415
    from wellworn.engines.storage.sql.shared import SharedDatabase  # noqa: PLC0415

    url = settings.url.get_secret_value()
    return SharedDatabase(PostgreSQL(url, connections=settings.connections))
