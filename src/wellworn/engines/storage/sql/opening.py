"""Chooses where records are kept: a file of SQLite, or a database of PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from wellworn.engines.storage.sql.database import Database


class StorageSettings(BaseModel):
    """Where records are kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: SecretStr | None = Field(
        default=None,
        description=(
            "A PostgreSQL database that keeps the records in place of a file, such as"
            " `postgresql://user:password@host/wellworn`. Vectors, turns' files and keys stay in"
            " the data folder."
        ),
    )
    connections: int = Field(
        default=20, ge=2, le=500, description="Connections to PostgreSQL for reading, at most."
    )


def open_database(path: Path, settings: StorageSettings) -> Database:
    """Open the database that the settings name, or else the file; nothing is asked of it yet.

    Raises:
        InvalidInput: the settings have a URL that is none of PostgreSQL.
    """
    if settings.url is None:
        return Database(path)
    # What speaks to PostgreSQL is loaded by those alone who use it.
    from wellworn.engines.storage.sql.postgresql import PostgreSQL  # noqa: PLC0415

    return Database(PostgreSQL(settings.url.get_secret_value(), connections=settings.connections))
