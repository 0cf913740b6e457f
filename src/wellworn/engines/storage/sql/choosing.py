"""Opens the database that the settings name; only here is the engine chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

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


_SECRETS: Final = ("password", "sslpassword")


def describe_url(url: str, *, password: str | None = None) -> str:
    """Return a URL without its password, or with another text in its place if it had one.

    >>> describe_url("postgresql://ann:secret@db.example.org/notes")
    'postgresql://ann@db.example.org/notes'
    """
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        return "postgresql://…"
    shown = URL.create(
        address.drivername,
        username=address.username,
        password=password if address.password else None,
        host=address.host,
        port=address.port,
        database=address.database,
        query={name: value for name, value in address.query.items() if name not in _SECRETS},
    )
    return shown.render_as_string(hide_password=False)
