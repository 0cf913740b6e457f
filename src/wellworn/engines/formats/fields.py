"""Field types of records: what a text, an id, a time or a number may be.

Messages say what is wrong and never repeat what was sent.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from wellworn.kit.clock import from_iso, to_iso
from wellworn.kit.ids import validate_id
from wellworn.kit.text import storable


class Strict(BaseModel):
    """A record: strict types, unknown fields refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must be a non-empty string")
    return storable(text)


def _time(text: str) -> str:
    try:
        return to_iso(from_iso(text))
    except (ValueError, OverflowError, OSError):
        raise ValueError("must be an ISO 8601 time") from None


def _vector(text: str) -> str:
    try:
        numbers = [
            number for (number,) in struct.iter_unpack("<f", base64.b64decode(text, validate=True))
        ]
    except (binascii.Error, ValueError, struct.error):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("must be finite float32 numbers in base64")
    return text


Content = Annotated[str, Field(max_length=10_000), AfterValidator(storable)]
Document = Annotated[str, Field(max_length=1_000_000), AfterValidator(_not_blank)]
Text = Annotated[str, Field(max_length=20_000_000), AfterValidator(storable)]
Agent = Annotated[str, Field(max_length=100), AfterValidator(_not_blank)]
Name = Annotated[str, Field(max_length=200), AfterValidator(_not_blank)]
Note = Annotated[str, Field(max_length=2_000), AfterValidator(storable)]
Label = Annotated[str, Field(max_length=1_000), AfterValidator(storable)]
Tag = Annotated[str, Field(max_length=100), AfterValidator(storable)]
Uuid = Annotated[str, AfterValidator(validate_id)]
Time = Annotated[str, Field(max_length=40), AfterValidator(_time)]
"""ISO 8601 in, canonical UTC with microseconds out."""
Vector = Annotated[str, Field(max_length=100_000), AfterValidator(_vector)]
"""Little-endian float32 in base64."""
Moment = Annotated[float, Field(ge=-62_135_596_800, le=253_402_300_799)]
"""Epoch seconds of the years 1 to 9999, kept to the last bit."""
Count = Annotated[int, Field(ge=0, le=2**53)]
