"""Decodes the bytes of an answer to the shapes of the client.

Fields that a newer server adds are passed over; a field that is missing or of another type means
that something else than wellworn answered.
"""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from wellworn.client.errors import UNEXPECTED_ANSWER, WellwornClientError

T = TypeVar("T")


def decode(kind: type[T], content: bytes) -> T:
    """Return a JSON answer as a `kind`.

    Raises:
        WellwornClientError: UNEXPECTED_ANSWER, naming the field that does not fit.
    """
    try:
        return _adapter(kind).validate_json(content, strict=True)
    except ValidationError as failure:
        # Without its cause, which quotes the answer: that may hold a key.
        raise WellwornClientError(UNEXPECTED_ANSWER, _explain(kind, failure)) from None


def _explain(kind: type[object], failure: ValidationError) -> str:
    first = failure.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return "the answer is not JSON"
    place = ".".join(map(str, (kind.__name__, *first["loc"])))
    return f"the answer is not wellworn's: {place}"


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)
