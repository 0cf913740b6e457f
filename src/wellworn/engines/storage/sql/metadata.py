"""One MetaData with named constraints, so that revisions can name them; tables of a script."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, MetaData, create_engine, event

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def create_tables(connection: Connection, script: str) -> None:
    """Run a script of `CREATE` statements; elsewhere, make what SQLite reads of them.

    There tables come in the order of their keys, and columns have the types of the engine.
    """
    if connection.dialect.name == "sqlite":
        _run(connection, script)
        return
    engine = create_engine("sqlite://")
    with engine.connect() as model:
        _run(model, script)
        tables = MetaData()
        event.listen(tables, "column_reflect", _generalise)
        tables.reflect(model)
    engine.dispose()
    for table in tables.tables.values():
        for index in table.indexes:
            where = index.dialect_options["sqlite"]["where"]
            index.dialect_options[connection.dialect.name]["where"] = where
    tables.create_all(connection)


def _run(connection: Connection, script: str) -> None:
    for statement in script.split(";\n"):
        if statement.strip():
            connection.exec_driver_sql(statement)


def _generalise(_inspector: object, _table: object, column: dict[str, Any]) -> None:
    column["type"] = column["type"].as_generic()
