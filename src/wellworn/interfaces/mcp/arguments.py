"""Declares what each tool takes, and how a wrong argument is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Self, TypeVar, cast, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from wellworn.client.fields import (
    AgentId,
    EntryText,
    Label,
    Moment,
    Name,
    NodeName,
    Note,
    Offset,
    PromptText,
    Tag,
    Tags,
    UpToFifty,
    Uuid,
    UuidBeginning,
)
from wellworn.client.models import Signal
from wellworn.errors import InvalidInput
from wellworn.interfaces.complaints import describe_fault
from wellworn.interfaces.turn_requests import Claims, Entries
from wellworn.kit.ids import SHORTEST_BEGINNING

_TEXT = "must be a non-empty string of at most {} characters"
_TAGS = "must be a list of at most 20 strings of 1 to 100 characters"
_UUID = "must be a UUID"
_ID = f"must be a UUID, or at least the first {SHORTEST_BEGINNING} characters of one"
_IDS = (
    f"must be a list of at most 20 UUIDs, or at least the first {SHORTEST_BEGINNING} characters of "
    "each"
)
_NEITHER = "query is required, or turn_id to go on with a turn that is open"
_BOTH = "turn_id names a turn that is open: query, follows and key are for a new one"
_NOTHING = "entries must be an array of at least 1 items, or answer must end the turn"
_NO_ANSWER = "claims are what an answer states: answer is required with them"
_KEY = "key is of a turn of your own: entries or answer is required with it"
_MOMENT = "must be a date or a time in ISO 8601, such as 2026-10-25"
RULES = {
    "content": _TEXT.format(10_000),
    "query": _TEXT.format(10_000),
    "context": "must be a string of at most 2000 characters",
    "reason": "must be a string of at most 2000 characters",
    "session_id": _UUID,
    "thought_id": _ID,
    "id": _ID,
    "follows": _UUID,
    "turn_id": _UUID,
    "tags": _TAGS,
    "filter_tags": _TAGS,
    "limit": "must be an integer from 1 to 50",
    "of": _TEXT.format(500),
    "node": _TEXT.format(500),
    "depth": "must be an integer from 0 to 6",
    "offset": "must be an integer of at least 0",
    "explain": "must be true or false",
    "history": "must be true or false",
    "shared": "must be true or false",
    "replaces": _IDS,
    "source_ids": _IDS,
    "since": _MOMENT,
    "until": _MOMENT,
    "as_of": _MOMENT,
    "by": _TEXT.format(100),
    "min_relevance": "must be a number from 0 to 1",
    "signal": f"must be one of {', '.join(get_args(Signal))}",
    "term": _TEXT.format(200),
    "source": _TEXT.format(200),
    "fact_type": _TEXT.format(100),
    "agent_id": _TEXT.format(100),
    "agent_name": _TEXT.format(200),
}


# Where nobody comes near a bound, only a refusal names it.
_TEXT_SCHEMA = WithJsonSchema({"type": "string"})
_Query = Annotated[PromptText, _TEXT_SCHEMA]
_Remark = Annotated[Note, _TEXT_SCHEMA]
# What each is made of is said in the description of the tool, in fewer words than in a schema.
_OBJECTS = WithJsonSchema({"type": "array", "items": {"type": "object"}})
_ThoughtIds = Annotated[list[UuidBeginning], Field(max_length=20)]


class Arguments(BaseModel):
    """Arguments of a tool: nothing unknown, no type taken for another, null means absent."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: Any) -> Any:
        arguments = cast("dict[str, Any]", values)
        return {name: value for name, value in arguments.items() if value is not None}


class Spoken(Arguments):
    """Arguments of a tool that somebody uses; who that is, a call can say otherwise."""

    agent_id: AgentId | None = None


class Named(Spoken):
    """Arguments of a tool that others see the name of."""

    agent_name: Name | None = None


class Remember(Named):
    """Something to store."""

    content: PromptText
    tags: Tags = []
    context: Note | None = None
    session_id: Uuid | None = None
    replaces: _ThoughtIds = []
    source_ids: _ThoughtIds = []
    shared: bool = False


class Recall(Named):
    """Something to ask."""

    query: _Query
    context: _Remark | None = None
    session_id: Uuid | None = None
    limit: UpToFifty = 10
    filter_tags: Tags = []
    explain: bool = False
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    by: AgentId | None = None
    history: bool = False
    min_relevance: Annotated[float, Field(ge=0, le=1, strict=False)] | None = None


class AskArguments(Arguments):
    """Something to work on in a turn, which may go on from another.

    With `entries` or `answer` it is a turn of the agent's own, which `query` opens and `turn_id`
    continues; they are as HTTP takes them.
    """

    query: _Query | None = None
    follows: Uuid | None = None
    turn_id: Uuid | None = None
    key: Annotated[Label, _TEXT_SCHEMA] | None = None
    entries: Annotated[Entries, _OBJECTS] | None = None
    answer: Annotated[EntryText, _TEXT_SCHEMA] | None = None
    claims: Annotated[Claims, _OBJECTS] = []

    @model_validator(mode="after")
    def _check_purpose(self) -> Self:
        if self.turn_id is None and self.query is None:
            raise ValueError(_NEITHER)
        if self.turn_id is not None and (self.query or self.follows or self.key):
            raise ValueError(_BOTH)
        if self.turn_id is not None and self.answer is None and not self.entries:
            raise ValueError(_NOTHING)
        if self.answer is None and self.claims:
            raise ValueError(_NO_ANSWER)
        if self.key is not None and not self.is_own:
            raise ValueError(_KEY)
        return self

    @property
    def is_own(self) -> bool:
        """Whether the agent works on the turn by itself."""
        return self.entries is not None or self.answer is not None


class Forget(Spoken):
    """A thought to erase."""

    thought_id: UuidBeginning
    reason: _Remark | None = None


class Feedback(Spoken):
    """A judgement on a thought that was shown."""

    session_id: Uuid
    thought_id: UuidBeginning
    signal: Signal


class Search(Arguments):
    """Something to look up."""

    query: _Query


class Fetch(Arguments):
    """A thought to read."""

    id: UuidBeginning


class OutlineArguments(Arguments):
    """A node to outline, by id or name; the whole space without one."""

    of: NodeName | None = None
    depth: Annotated[int, Field(ge=0, le=6)] = 1
    offset: Offset = 0


class Read(Arguments):
    """A node to read."""

    node: NodeName
    offset: Offset = 0


class KnowledgeSearch(Arguments):
    """Something to look for in documents, of one source or of all."""

    query: _Query
    limit: UpToFifty = 5
    source: Name | None = None


class KnowledgeResolve(Arguments):
    """A name, what it is asked for, and what the user answered to the question about it."""

    term: Name
    context: _Remark | None = None
    answer: Annotated[NodeName, _TEXT_SCHEMA] | None = None


class KnowledgeProvenance(Arguments):
    """A name, and which kind of its values; of every kind without."""

    term: Name
    fact_type: Tag | None = None


_Kind = TypeVar("_Kind", bound=Arguments)


def check_arguments(kind: type[_Kind], arguments: dict[str, Any] | None) -> _Kind:
    """Return the arguments of a tool.

    Models write a list as its JSON text, a number as its digits and nothing as an empty text or
    "null", and clients make `["null"]` of that where a list is wanted: what can mean one thing
    alone is taken as that.

    Raises:
        InvalidInput: one is missing, unknown, or not as it must be; it is named, never quoted.
    """
    optional = _with_default(kind)
    sent = {
        name: value
        for name, value in (arguments or {}).items()
        if value not in _NULLS or name not in optional
    }
    try:
        return kind.model_validate(sent)
    except ValidationError as error:
        meant = _read_plainly(kind, sent, error)
    try:
        return kind.model_validate(meant)
    except ValidationError as error:
        raise InvalidInput(_refusal(kind, error)) from None


def _read_plainly(
    kind: type[Arguments], sent: dict[str, Any], error: ValidationError
) -> dict[str, Any]:
    """Return arguments with what each of a wrong type plainly means."""
    meant = dict(sent)
    for fault in error.errors(include_url=False, include_input=False):
        name = str(fault["loc"][0]) if len(fault["loc"]) == 1 else ""
        if name not in kind.model_fields or name not in sent:
            continue
        if sent[name] == "" and name in _with_default(kind):
            del meant[name]
        else:
            meant[name] = _read_as(fault["type"], sent[name])
    return meant


def _with_default(kind: type[Arguments]) -> Sequence[str]:
    return [name for name, field in kind.model_fields.items() if not field.is_required()]


def _read_as(fault: str, value: Any) -> Any:
    """Return what a value means where another type was wanted, or the value itself."""
    wanted = _WANTED.get(fault)
    if wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if wanted is None or not isinstance(value, str):
        return value
    with suppress(ValueError, RecursionError):
        read: object = json.loads(value)
        # A truth value is an `int` to Python alone.
        if type(read) is wanted:
            return cast("object", read)
    if wanted is not list or {*value} & {*"[{"}:
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


_WANTED = {"list_type": list, "int_type": int, "bool_type": bool}
_NULLS = ("null", ["null"])
"""What is sent for null, where an argument may be absent."""


def _refusal(kind: type[Arguments], error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    if not fault["loc"]:
        return fault["msg"].removeprefix("Value error, ")
    name = str(fault["loc"][0])
    if name not in kind.model_fields:
        return f"unknown argument; this tool takes {', '.join(kind.model_fields)}"
    if name not in RULES:
        return describe_fault(fault, fault["loc"])
    required = "is required and " if fault["type"] == "missing" else ""
    return f"{name} {required}{RULES[name]}"
