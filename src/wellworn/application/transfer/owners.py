"""Reads the owner of a record: what travels beside its own fields."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from wellworn.domain.thoughts import MOST_BY_ONE_OWNER, MOST_JUDGED, Fate, ThoughtStatus
from wellworn.engines.formats import Moment, Record, Uuid
from wellworn.errors import InvalidInput

_LONGEST_OWNER = 100


def _is_told(code: str) -> str:
    if code not in {fate.code for fate in Fate}:
        raise ValueError("must say what became of a thought")
    return code


_Number = Annotated[float, Field(ge=-60_000, le=60_000)]
_Told = Annotated[str, AfterValidator(_is_told)]
_Judged = (
    tuple[Uuid, _Told, _Number | None, _Number | None, Uuid | None]
    | tuple[
        Uuid,
        _Told,
        _Number | None,
        _Number | None,
        Uuid | None,
        Literal["in_use", "tried", "both"],
        bool,
    ]
)


class _ExportedDecision(BaseModel):
    """A call's decision; of each thought its id, fate, cosine, score and what stands for it.

    Where weights were on trial, also who picked it, and whether it was picked first.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    at: Moment
    ranked: Annotated[int, Field(ge=0, le=32_767)] | None
    answered: Literal["unknown", "yes", "no"]
    reason: Annotated[str, Field(pattern="^[a-z_]{0,16}$")]
    outcome: Literal["nothing", "stored", "affirmed", "held"]
    propensity: Annotated[float, Field(ge=0, le=1)]
    thoughts: Annotated[list[_Judged], Field(max_length=MOST_JUDGED)]


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
    decision = _read_decision(beside, line)
    return {"owner": _owner(beside, line), "deposits": deposits, "decision": decision}


def _read_decision(beside: Mapping[str, Any], line: int) -> dict[str, Any] | None:
    if (decision := beside.get("decision")) is None:
        return None
    try:
        return _ExportedDecision.model_validate(decision).model_dump()
    except ValidationError:
        raise InvalidInput(f"line {line}: decision is not as an export writes it") from None


def _are_deposits(value: object) -> bool:
    if not isinstance(value, list):
        return False
    amounts = cast("list[object]", value)
    return all(
        isinstance(amount, int | float) and 0 <= amount <= MOST_BY_ONE_OWNER for amount in amounts
    )
