"""Names: what terms are looked up by folds spellings of one name, and no longer their stems."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wellworn.domain.knowledge.store.compiled import term_key

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Facts get theirs when documents are compiled again, which the compiler's version sees to.
    _give_keys("learned_aliases", "is_taught DESC, usage_count DESC")
    _give_keys("term_pins", "pinned_at")
    _give_keys("fact_conflicts", "resolution IS NULL, id", "attribute", "fact_type")
    connection = op.get_bind()
    for term in (
        connection.execute(sa.text("SELECT DISTINCT term FROM resolutions")).scalars().all()
    ):
        connection.execute(
            sa.text("UPDATE resolutions SET term_key = :key WHERE term = :term"),
            {"key": term_key(term), "term": term},
        )


def _give_keys(table: str, best_first: str, *more: str) -> None:
    """Write the keys of a table's terms; of rows that have one key now only the best stays."""
    connection = op.get_bind()
    within = ", ".join(["knowledge_space_id", *more])
    rows = connection.execute(
        sa.text(f"SELECT {within}, term, term_key FROM {table} ORDER BY {best_first}")  # noqa: S608
    ).mappings()
    here = " AND ".join(f"{name} = :{name}" for name in ("knowledge_space_id", *more, "term_key"))
    # A new key may be another row's old one: all get one that is nobody's first.
    steps = [(f"{number}\x01", dict(row)) for number, row in enumerate(rows.all())]
    for passing, row in steps:
        statement = sa.text(f"UPDATE {table} SET term_key = :new WHERE {here}")  # noqa: S608
        connection.execute(statement, {**row, "new": passing})
    taken: set[tuple[str, ...]] = set()
    for passing, row in steps:
        new = term_key(row["term"])
        identity = (row["knowledge_space_id"], new, *(row[name] for name in more))
        change = "DELETE FROM {0}" if identity in taken else "UPDATE {0} SET term_key = :new"
        statement = sa.text(f"{change.format(table)} WHERE {here}")
        named = {"new": new} if identity not in taken else {}
        connection.execute(statement, {**row, "term_key": passing, **named})
        taken.add(identity)
