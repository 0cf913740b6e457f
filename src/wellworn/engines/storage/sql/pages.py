"""Rows read page by page, each page in a transaction that is over before the page is used.

A row that cannot be read ends the reading, or is left out and named where the caller asks for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Integer, Row, Select, tuple_

from wellworn.engines.storage.sql.database import Database
from wellworn.errors import DamagedStore

T = TypeVar("T")
AnyRow = Row[*tuple[Any, ...]]
AnySelect = Select[*tuple[Any, ...]]
Lose = Callable[[str, str, Exception], None]
"""Is told the kind and the name of what cannot be read, and why; it raises, or it is left out."""

UNREADABLE: Final = (
    DamagedStore,
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors that reading a damaged row may raise: of the database, or of who makes a value of it."""
_NAMES: Final = ("id", "thought_id", "path", "term")
_LARGEST_STEP: Final = 2**40


def refuse(_kind: str, _name: str, failure: Exception) -> None:
    """Leave nothing out."""
    raise failure


class _PagePosition(NamedTuple):
    """The beginning of the next page: the first row for which `where` holds."""

    where: tuple[ColumnElement[bool], ...] = ()
    last: Any = 0
    """The value of the order's first column in the last row before it."""


def read_pages(
    database: Database,
    statement: AnySelect,
    *order: Any,
    convert: Callable[[Sequence[AnyRow]], Iterable[T]],
    size: int = 200,
    kind: str = "row",
    lose: Lose = refuse,
) -> Iterator[list[T]]:
    """Yield what `convert` makes of the rows, page by page.

    `order` names columns that are never null and together unique. Their values follow each row's
    own as `key_0`, `key_1` and so on. Rows that cannot be read are told to `lose`, as of a `kind`.

    Raises:
        DamagedStore, StorageUnavailable: the database failed.
    """
    keys = [column.label(f"key_{number}") for number, column in enumerate(order)]
    paged = statement.add_columns(*keys).order_by(*order)
    place: _PagePosition | None = _PagePosition()
    count = size
    while place is not None:
        try:
            with database.read() as connection:
                page = connection.execute(paged.where(*place.where).limit(count)).all()
            values = list(convert(page)) if page else []
        except UNREADABLE as failure:
            if count == 1:
                name, place = _pass_over(database, statement, order, place)
                lose(kind, name, failure)
            count = max(1, count // 2)
            continue
        if values:
            yield values
        if len(page) < count:
            return
        place = _after(order, page[-1][-len(order) :])
        count = min(count * 2, size)


def _after(order: Sequence[Any], key: Sequence[Any]) -> _PagePosition:
    return _PagePosition((tuple_(*order) > tuple_(*key),), key[0])


def _pass_over(
    database: Database, statement: AnySelect, order: Sequence[Any], place: _PagePosition
) -> tuple[str, _PagePosition | None]:
    """Return the name of the row at a place that cannot be read, and the place behind it."""
    keys = statement.with_only_columns(*order, maintain_column_froms=True)

    def read_key(where: Sequence[ColumnElement[bool]]) -> AnyRow | None:
        with database.read() as connection:
            return connection.execute(keys.where(*where).order_by(*order).limit(1)).first()

    try:
        key = read_key(place.where)
    except DamagedStore:
        end = _find_end(read_key, order[0], place.last)
        if end is None:
            return f"all after {order[0].name} {place.last}", None
        name = f"{order[0].name} {place.last + 1} to {end - 1}"
        return name, _PagePosition((order[0] >= end,), end - 1)
    if key is None:
        return "the last rows", None
    return _find_name(database, statement, order, key), _after(order, key)


def _find_end(
    read_key: Callable[[Sequence[ColumnElement[bool]]], object], column: Any, last: Any
) -> int | None:
    """Return a number from which on keys can be read again; None where there seems to be none."""
    if not isinstance(column.type, Integer):
        return None

    def is_readable(number: int) -> bool:
        try:
            read_key([column >= number])
        except DamagedStore:
            return False
        return True

    step = 1
    while not is_readable(last + step):
        step *= 2
        if step > _LARGEST_STEP:
            return None
    damaged, readable = last + step // 2, last + step
    while readable - damaged > 1:
        middle = (damaged + readable) // 2
        damaged, readable = (damaged, middle) if is_readable(middle) else (middle, readable)
    return readable


def _find_name(
    database: Database, statement: AnySelect, order: Sequence[Any], key: Sequence[Any]
) -> str:
    """Return the id of a row, or its key where that cannot be read either."""
    columns = statement.selected_columns
    labels = [columns[name] for name in _NAMES if name in columns][:1]
    try:
        with database.read() as connection:
            chosen = statement.with_only_columns(*labels, maintain_column_froms=True)
            name = connection.execute(chosen.where(tuple_(*order) == tuple_(*key))).scalar()
    except DamagedStore:
        name = None
    return str(name or ", ".join(f"{c.name} {value}" for c, value in zip(order, key, strict=True)))
