"""Field types of the wire: what a text, a tag or an id may be.

The patterns are for the schema's readers; the checks are code, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    WithJsonSchema,
    field_validator,
    with_config,
)
from typing_extensions import TypedDict

from wellworn.kit.clock import from_iso
from wellworn.kit.ids import validate_beginning, validate_id
from wellworn.kit.text import (
    INVISIBLE,
    KEYPHRASE,
    LONGEST_KEYPHRASE,
    is_blank,
    is_keyphrase,
    is_on_one_line,
    storable,
)

_Item = TypeVar("_Item")

_SOME_TEXT = rf"^[^\x00]*[^{INVISIBLE}][^\x00]*$"
_ANY_TEXT = r"^[^\x00]*$"
_BEGINNING = "^[0-9a-fA-F]{6,8}$|^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){0,3}$"
_UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


_ONE_LINE = (
    r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*"
    rf"[^{INVISIBLE}]"
    r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"
)


class RequestBody(BaseModel):
    """A request body: strict types, unknown fields refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _take_whole(cls, value: object) -> object:
        """Take `5.0`, which is a whole number in JSON, for one."""
        return int(value) if isinstance(value, float) and value.is_integer() else value

    def to_values(self) -> dict[str, Any]:
        """Return the fields by name, as a service's value of the same fields takes them."""
        return {
            name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
            for name, value in self
        }


def _not_blank(text: str) -> str:
    if is_blank(text):
        message = "is required and must be a non-empty string"
        raise ValueError(message)
    return storable(text)


def _on_one_line(text: str) -> str:
    if not is_on_one_line(_not_blank(text)):
        message = "must be on one line, without control characters"
        raise ValueError(message)
    return text


def _is_keyphrase(text: str) -> str:
    if not is_keyphrase(_not_blank(text)):
        message = "must be one to five words, without punctuation that ends or divides a sentence"
        raise ValueError(message)
    return text


def _is_moment(text: str) -> str:
    try:
        from_iso(text)
    except (ValueError, OverflowError) as error:
        message = "must be a date or a time in ISO 8601, such as 2026-10-25"
        raise ValueError(message) from error
    return text


def _to_whole(value: object) -> object:
    """Take 10.0 for 10: JSON does not tell them apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_to_whole)
"""Stands after the bounds of an `int`."""


def _schema(pattern: str, longest: int | None, *, least: int = 0) -> WithJsonSchema:
    schema: dict[str, str | int] = {"type": "string", "pattern": pattern}
    if least:
        schema["minLength"] = least
    if longest is not None:
        schema["maxLength"] = longest
    return WithJsonSchema(schema)


PromptText = Annotated[
    str, Field(max_length=10_000), AfterValidator(_not_blank), _schema(_SOME_TEXT, 10_000, least=1)
]
AgentId = Annotated[
    str, Field(max_length=100), AfterValidator(_not_blank), _schema(_SOME_TEXT, 100, least=1)
]
Name = Annotated[
    str, Field(max_length=200), AfterValidator(_not_blank), _schema(_SOME_TEXT, 200, least=1)
]
Label = Annotated[
    str, Field(max_length=100), AfterValidator(_on_one_line), _schema(_ONE_LINE, 100, least=1)
]
Statement = Annotated[
    str,
    Field(max_length=1_000),
    AfterValidator(_not_blank),
    _schema(_SOME_TEXT, 1_000, least=1),
]
"""One sentence, or one item of a list."""
Speaker = Literal["user", "agent"]


@with_config(ConfigDict(extra="forbid", strict=True))
class SaidStatement(TypedDict):
    """A sentence of a session, and who said it."""

    text: Statement
    by: Speaker


Note = Annotated[str, Field(max_length=2_000), AfterValidator(storable), _schema(_ANY_TEXT, 2_000)]
EntryText = Annotated[
    str, Field(max_length=50_000), AfterValidator(storable), _schema(_ANY_TEXT, 50_000)
]
Tag = Annotated[
    str, Field(max_length=100), AfterValidator(_not_blank), _schema(_SOME_TEXT, 100, least=1)
]
Words: TypeAlias = Name
"""Words that are looked for, each by itself."""
TopicId: TypeAlias = Annotated[
    str, Field(pattern="^(topic:)?[0-9a-f]{16}$", description="Id of a topic.")
]
Tags = Annotated[list[Tag], Field(max_length=20)]
NewTag = Annotated[
    str,
    Field(max_length=LONGEST_KEYPHRASE),
    AfterValidator(_is_keyphrase),
    _schema(KEYPHRASE, LONGEST_KEYPHRASE, least=1),
]
NewTags = Annotated[list[NewTag], Field(max_length=20)]
NodeName = Annotated[
    str, Field(max_length=500), AfterValidator(_not_blank), _schema(_SOME_TEXT, 500, least=1)
]
Moment = Annotated[
    str,
    Field(max_length=40),
    AfterValidator(_is_moment),
    WithJsonSchema(
        {
            "type": "string",
            "anyOf": [{"format": "date"}, {"format": "date-time"}],
            "maxLength": 40,
            "examples": ["2026-10-25", "2026-10-25T09:30:00Z"],
        }
    ),
]
Uuid = Annotated[
    str,
    AfterValidator(validate_id),
    WithJsonSchema({"type": "string", "format": "uuid", "pattern": _UUID}),
]
UuidBeginning = Annotated[
    str,
    AfterValidator(validate_beginning),
    WithJsonSchema({"type": "string", "pattern": f"{_BEGINNING}|{_UUID}"}),
]
"""A UUID, or so much of its beginning as stands for all of it."""
Listed: TypeAlias = Annotated[
    Sequence[_Item], GetPydanticSchema(lambda kind, read: read(list[get_args(kind)]))
]
"""Values that callers pass as any sequence, and the wire knows as an array."""
Number = Annotated[int, Field(ge=1, le=2**53)]
"""Of a row: a source, a document, a conflict, a ruling."""
Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]
Citation = Annotated[str, Field(max_length=1_000), AfterValidator(storable)]
"""A text that may be empty, and is no longer than a citation can be."""
SourceConfig = Annotated[Mapping[str, Any], GetPydanticSchema(lambda _, read: read(dict[str, Any]))]
Secret = Annotated[str, Field(max_length=8_000)]
Schedule = Annotated[str, Field(max_length=100)]
Agents = Annotated[Listed[AgentId], Field(max_length=100)]
UpToFifty = Annotated[int, Field(ge=1, le=50)]
UpToHundred = Annotated[int, Field(ge=1, le=100)]
