"""The base of every answer on the wire.

A shape is written once. The server makes it from a value of the same attributes, sends it, and
describes it in its OpenAPI document; the client reads it; MCP returns it.
"""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
)

from wellworn.kit.clock import to_iso
from wellworn.kit.neutralising import neutralise


class Shape(BaseModel):
    """An answer, or a part of one. Fields that a newer server adds are passed over."""

    model_config = ConfigDict(frozen=True, from_attributes=True, defer_build=True)

    @classmethod
    def of(cls, value: object, /, **added: object) -> Self:
        """Return the shape of a value; `added` are the fields that it does not hold itself."""
        if not added:
            return cls.model_validate(value)
        names = cls.model_fields.keys() - added.keys()
        return cls.model_validate({name: getattr(value, name) for name in names} | added)


def _to_iso(moment: object, info: ValidationInfo) -> object:
    is_read = info.mode == "json"
    return to_iso(moment) if isinstance(moment, float | int) and not is_read else moment


def _neutralise(text: str, info: ValidationInfo) -> str:
    return text if info.mode == "json" else neutralise(text)


def _round(weight: float) -> float:
    return round(weight, 9)


def _is_none(value: object) -> bool:
    return value is None


Time = Annotated[str, BeforeValidator(_to_iso)]
"""A moment in UTC, ISO 8601; made of seconds since the epoch."""

Text = Annotated[str, AfterValidator(_neutralise)]
"""Text that somebody wrote: sent without hidden or control characters, read as it was sent."""

Weight = Annotated[float, AfterValidator(_round)]
"""A number rounded so that 1.25 reads as 1.25."""


def read_from(name: str, attribute: str) -> AliasChoices:
    """Return where a field is read from: its own name on the wire, an attribute of the value.

    `attribute` may be a path with dots, such as `member.id`.
    """
    first, *rest = attribute.split(".")
    return AliasChoices(name, AliasPath(first, *rest) if rest else first)


def omit_if_none(**described: Any) -> Any:
    """Declare a field that is left out where it has nothing to say."""
    return Field(default=None, exclude_if=_is_none, **described)
