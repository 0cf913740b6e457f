"""Values from rows: a field is read from the column of its name, so each is named once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Row

Value = TypeVar("Value")


def build_value(
    kind: Callable[..., Value], row: Row[*tuple[Any, ...]], /, **values: object
) -> Value:
    """Return a dataclass whose fields are a row's columns of the same names.

    Those in `values` are not read; a field that has neither keeps its default. Where rows are many
    and time counts, unpack them by position instead.
    """
    # The underscore keeps it apart from columns; it is public.
    columns = row._mapping  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    read = {name: columns[name] for name in _list_fields(kind) if name in columns}
    return kind(**(read | values))


@cache
def _list_fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
