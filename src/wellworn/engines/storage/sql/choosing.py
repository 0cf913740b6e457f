"""Opens the database that the settings name; only here is the engine chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from wellworn.engines.storage.sql.database import Database, StorageSettings
from wellworn.errors import InvalidInput

_NO_URL: Final = (
    "WELLWORN_STORAGE__VECTORS leaves vectors to PostgreSQL: set WELLWORN_STORAGE__URL, too"
)
_ITERATIVE: Final = "-c hnsw.iterative_scan=strict_order -c hnsw.ef_search=200"
"""Go on with a graph until enough of what a filter selects is found, in order."""


def open_database(path: Path, settings: StorageSettings) -> Database:
    """Open the database that the settings name, or else the file; nothing is asked of it yet.

    Raises:
        InvalidInput: the settings have a URL that is none of PostgreSQL, or want pgvector and
            have none.
    """
    if settings.url is None:
        if settings.vectors != "memory":
            raise InvalidInput(_NO_URL)
        return Database(path)
    # What speaks to PostgreSQL is loaded by those alone who use it.
    from wellworn.engines.storage.sql.postgresql import PostgreSQL  # noqa: PLC0415
    from wellworn.engines.storage.sql.shared import SharedDatabase  # noqa: PLC0415

    url = settings.url.get_secret_value()
    options = _ITERATIVE if settings.vectors == "pgvector-hnsw" else ""
    return SharedDatabase(PostgreSQL(url, connections=settings.connections, options=options))
