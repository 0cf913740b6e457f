"""Names that are spelt nearly as another: what begins as it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Final

from sqlalchemy import Column, ColumnElement, Connection, func, select, true

from wellworn.domain.knowledge.claims import HEADED
from wellworn.domain.knowledge.store.compiled import LONGEST, term_key
from wellworn.domain.knowledge.tables import derived_facts, glossary_entries
from wellworn.domain.spaces import Access

_FIRST_LETTERS: Final = 3
"""Letters that all forms of a word have in common."""


def list_alike(
    connection: Connection, access: Access, terms: Collection[str]
) -> dict[str, list[str]]:
    """Return for each of some terms those that begin as it does and are about as long."""
    keys = {term: key for term in terms if (key := term_key(term))}
    lengths = {len(key) + more for key in keys.values() for more in (-1, 0, 1)}
    alike: dict[tuple[str, int], list[str]] = defaultdict(list)
    firsts = {key[0] for key in keys.values()}
    for key, each in _list_terms(
        connection,
        access,
        lambda column: func.substr(column, 1, 1).in_(firsts) & func.length(column).in_(lengths),
    ):
        alike[key[0], len(key)].append(each)
    return {
        term: sorted(
            {each for more in (-1, 0, 1) for each in alike.get((key[0], len(key) + more), ())}
        )
        for term, key in keys.items()
    }


def list_longer(connection: Connection, access: Access, term: str) -> list[str]:
    """Return the terms that another begins, letter for letter."""
    beginning = term_key(term)
    lengths = len(beginning) + 1, LONGEST
    longer = _list_terms(
        connection,
        access,
        lambda column: (
            column.startswith(beginning, autoescape=True) & func.length(column).between(*lengths)
        ),
    )
    return sorted({each for _, each in longer})


def list_beginnings(connection: Connection, access: Access, names: Collection[str]) -> set[str]:
    """Return the terms that begin with the first letters of one of some names."""
    begins = {term_key(name)[:_FIRST_LETTERS] for name in names} - {""}
    found = _list_terms(
        connection, access, lambda column: func.substr(column, 1, _FIRST_LETTERS).in_(begins)
    )
    return {term for _, term in found}


def _list_terms(
    connection: Connection,
    access: Access,
    is_alike: Callable[[Column[str]], ColumnElement[bool]],
) -> set[tuple[str, str]]:
    """Return names and their keys."""
    terms: set[tuple[str, str]] = set()
    of_names = {derived_facts: derived_facts.c.confidence > HEADED, glossary_entries: true()}
    for table, is_name in of_names.items():
        statement = select(table.c.term_key, table.c.term).where(
            table.c.knowledge_space_id == access.space, is_name, is_alike(table.c.term_key)
        )
        terms.update((row.term_key, row.term) for row in connection.execute(statement.distinct()))
    return terms
