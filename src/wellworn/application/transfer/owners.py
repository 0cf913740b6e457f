"""Whose a record is: what travels beside its own fields."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from wellworn.domain.thoughts import MOST_BY_ONE_OWNER, ThoughtStatus
from wellworn.engines.formats import Record
from wellworn.errors import InvalidInput

_LONGEST_OWNER = 100


def read_mark(beside: Mapping[str, Any], line: int) -> ThoughtStatus:
    """Return whose a thought is, whether an admin stored it, and since when it is held.

    Raises:
        InvalidInput: that is not what an export writes; the message names the line.
    """
    return ThoughtStatus(
        _owner(beside, line),
        _read_time(beside, "quarantined_at", line),
        by_admin=beside.get("by_admin") is True,
        unconfirmed_until=_read_time(beside, "unconfirmed_until", line),
    )


def _read_time(beside: Mapping[str, Any], name: str, line: int) -> float | None:
    at = beside.get(name)
    if at is not None and not (isinstance(at, float) and isfinite(at)):
        raise InvalidInput(f"line {line}: {name} must be a time in seconds")
    return at


def _owner(beside: Mapping[str, Any], line: int) -> str | None:
    owner = beside.get("owner")
    if owner is not None and not (isinstance(owner, str) and 0 < len(owner) <= _LONGEST_OWNER):
        raise InvalidInput(f"line {line}: owner must be the id of a member")
    return owner


def read_owner_fields(record: Record, beside: Mapping[str, Any], line: int) -> dict[str, Any]:
    """Return what the ledger keeps of an owner beside a record's own fields.

    Raises:
        InvalidInput: as `read_mark`.
    """
    if record.record in {"affirmation", "session"}:
        return {"owner": _owner(beside, line)}
    if record.record == "end":
        return {"owner": _owner(beside, line), "by_admin": beside.get("by_admin") is True}
    if record.record in {"feedback", "replacement"}:
        return {"by_admin": beside.get("by_admin") is True}
    if record.record != "query":
        return {}
    deposits = beside.get("deposits")
    if deposits is not None and not _are_deposits(deposits):
        raise InvalidInput(f"line {line}: deposits must be numbers from 0 to 1")
    return {"owner": _owner(beside, line), "deposits": deposits}


def _are_deposits(value: object) -> bool:
    if not isinstance(value, list):
        return False
    amounts = cast("list[object]", value)
    return all(
        isinstance(amount, int | float) and 0 <= amount <= MOST_BY_ONE_OWNER for amount in amounts
    )
