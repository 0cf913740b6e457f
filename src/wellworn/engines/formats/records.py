"""The records of an exported memory, one kind for each event of the ledger.

What follows from other records is not written: a query's accesses, ranks and pairs follow from its
`returned_ids`, a thought's counts from the queries. So no record can contradict another. Numbers
that depend on the order of events are exact to the last bit. Messages about wrong fields never
repeat what was sent.

Source: docs/reference/formats.md.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wellworn.errors import InvalidInput, InvalidThoughtType
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
"""Epoch seconds of the years 1 to 9999, exact to the last bit."""
Count = Annotated[int, Field(ge=0, le=2**53)]


class ThoughtRecord(Strict):
    """A thought or a turn; a missing id is derived from its words and place."""

    record: Literal["thought"]
    id: Uuid | None = None
    content: Content
    contributor_id: Agent
    contributor_name: Name
    thought_type: Literal["original", "refinement", "consolidation"] = "original"
    source_ids: Annotated[list[Uuid], Field(max_length=1_000, default_factory=list)]
    tags: Annotated[list[Tag], Field(max_length=100, default_factory=list)]
    context_metadata: Note | None = None
    created_at: Time | None = None
    kind: Literal["thought", "turn"] = "thought"
    session: Label | None = None
    position: Count | None = None
    erased_at: Time | None = None


class AffirmationRecord(Strict):
    """A repetition of a thought; `repeat` numbers otherwise equal records from 0."""

    record: Literal["affirmation"]
    thought_id: Uuid
    contributor_id: Agent
    contributor_name: Name
    affirmed_at: Moment
    repeat: Count = 0


class SessionRecord(Strict):
    record: Literal["session"]
    id: Uuid
    agent_id: Agent
    created_at: Moment


class TrailRecord(Strict):
    """A thought's wear; its counts follow from the queries."""

    record: Literal["trail"]
    thought_id: Uuid
    last_accessed: Moment | None
    weight: Annotated[float, Field(ge=0.1, le=10)]
    frozen_until_h: Annotated[int, Field(ge=-(2**53), le=2**53)]
    uses: Annotated[float, Field(ge=0)]
    exposures: Annotated[float, Field(ge=0)]
    counted_at: Moment
    use_score: Annotated[float, Field(ge=0)]


class TrailAgentRecord(Strict):
    """An agent that met a thought; how often follows from the queries and uses."""

    record: Literal["trail_agent"]
    thought_id: Uuid
    agent_id: Agent
    first_accessed: Moment | None
    exposed_at: Moment | None


class QueryRecord(Strict):
    """A call, and what it showed, best first."""

    record: Literal["query"]
    id: Uuid
    agent_id: Agent
    session_id: Uuid
    query_text: Content
    context_text: Note | None
    query_vector: Vector | None
    returned_ids: Annotated[list[Uuid], Field(max_length=100)]
    timestamp: Time
    retrieval_method: Annotated[str, Field(pattern="^[a-z_]{1,40}$")]
    policy_version: Count
    offered_tags: Annotated[list[Tag], Field(max_length=1_000)] | None
    contributed_id: Uuid | None


class UseRecord(Strict):
    record: Literal["use"]
    thought_id: Uuid
    agent_id: Agent
    kind: Annotated[str, Field(pattern="^[a-z_]{1,40}$")]
    session_id: Uuid | None
    query_id: Uuid | None
    used_at: Moment


class CoUseRecord(Strict):
    """Two thoughts used in one session, and how often; of archives that version 0.1 wrote."""

    record: Literal["co_use"]
    thought_id: Uuid
    other_id: Uuid
    together: Count


class FeedbackRecord(Strict):
    """A session's signal on a thought; `used_by` and `used_at` name the use that it counted as."""

    record: Literal["feedback"]
    thought_id: Uuid
    session_id: Uuid
    signal: Literal["useful", "irrelevant", "outdated", "wrong", "none"]
    effect: Annotated[float, Field(ge=-10, le=10)]
    given_at: Moment
    used_by: Agent | None
    used_at: Moment | None


class ErasureRecord(Strict):
    record: Literal["erasure"]
    thought_id: Uuid
    erased_by: Agent
    reason: Note | None
    erased_at: Moment


class ReplacementRecord(Strict):
    """A thought replaces another: stated by somebody, inferred from the words, or refining it."""

    record: Literal["replacement"]
    thought_id: Uuid
    replaced_id: Uuid
    origin: Literal["stated", "inferred", "refined"]
    reason: Note
    confidence: Annotated[float, Field(ge=0, le=1)]
    made_by: Agent
    made_at: Moment
    withdrawn_by: Agent | None
    withdrawn_at: Moment | None


class EndRecord(Strict):
    """From when on a thought is history, as somebody said; null takes back what they said."""

    record: Literal["end"]
    thought_id: Uuid
    contributor_id: Agent
    expires_at: Moment | None
    given_at: Moment


class PracticeRecord(Strict):
    """A chunk of a document, for the earlier endpoints."""

    record: Literal["practice"]
    id: Uuid
    content: Document
    domain: Label
    source: Label
    file_path: Label
    file_name: Label
    chunk_index: Count
    total_chunks: Count
    timestamp: Moment


class SourceRecord(Strict):
    """A source of documents, without its secret: that stays with the server that has it."""

    record: Literal["source"]
    name: Name
    source_type: Label
    config: dict[str, Any]
    sync_schedule: Label | None = None
    time_zone: Label = "UTC"
    agents: Annotated[list[Label], Field(max_length=1_000)] | None = None


class DocumentRecord(Strict):
    """A document of a source as it is served; `item_version` is what its source calls it."""

    record: Literal["document"]
    source: Name
    path: Label
    title: Label | None = None
    content: Text
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    fetched_at: Moment
    item_version: Label
    raw_hash: Label


class AliasRecord(Strict):
    """An alias that was found, or taught, and what it stands for."""

    record: Literal["alias"]
    term: Label
    citation: Note
    confidence: Annotated[float, Field(ge=0, le=1)]
    usage_count: Count
    last_used_at: Moment
    is_taught: bool = False


class PinRecord(Strict):
    """A term that is always hot."""

    record: Literal["pin"]
    term: Label


class DecisionRecord(Strict):
    """The decision on a conflict of documents, and on which quotes."""

    record: Literal["decision"]
    place: str | None = None
    term: Label
    attribute: Label
    fact_type: Label
    resolution: Label
    reason: Note | None = None
    resolved_by: Label | None = None
    resolved_at: Moment | None = None
    decided_on: Annotated[list[Text], Field(max_length=1_000)]


class NameRulingRecord(Strict):
    """A ruling on two names, or on the namesakes of one."""

    record: Literal["name_ruling"]
    term: Label
    other: Label
    verdict: Literal["one", "several"]
    reason: Note | None = None
    said_by: Label | None = None
    said_at: Moment


class TurnFileRecord(Strict):
    """A file of a user's turns, by its path in the user's vault."""

    record: Literal["turn_file"]
    user_id: Agent
    path: Label
    content: Text
    turn_id: Uuid | None = None


class LostRecord(Strict):
    """A loss of an export: a record of a kind, by its id or its place."""

    record: Literal["lost"]
    kind: Label
    id: Label
    reason: Note


Record = (
    ThoughtRecord
    | AffirmationRecord
    | SessionRecord
    | TrailRecord
    | TrailAgentRecord
    | QueryRecord
    | UseRecord
    | CoUseRecord
    | FeedbackRecord
    | ErasureRecord
    | ReplacementRecord
    | EndRecord
    | PracticeRecord
    | SourceRecord
    | DocumentRecord
    | AliasRecord
    | PinRecord
    | DecisionRecord
    | NameRulingRecord
    | TurnFileRecord
    | LostRecord
)

KINDS = tuple(get_args(model.model_fields["record"].annotation)[0] for model in get_args(Record))
"""Every kind, after the kinds that it refers to."""
PASSED_OVER = frozenset({"lost", "co_use"})
"""Kinds that an import leaves out: what is not there, and what follows from uses."""

_ADAPTER: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="record")])

_WORDING = {
    "missing": "is required",
    "string_unicode": "must not contain NUL or unpaired surrogate characters",
    "finite_number": "must be a finite number",
}


def parse_record(record: object, line: int) -> Record:
    """Return a record as a value.

    Raises:
        InvalidInput, InvalidThoughtType: it is invalid; the message names line, field and reason.
    """
    try:
        return _ADAPTER.validate_python(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    except RecursionError:
        raise InvalidInput(f"line {line}: must be a flat JSON object") from None
    complaint = f"line {line}: {_reason(cast('dict[str, Any]', first))}"
    if first["loc"][-1:] == ("thought_type",):
        raise InvalidThoughtType(complaint)
    raise InvalidInput(complaint)


def _reason(error: dict[str, Any]) -> str:
    if error["type"].startswith("union_tag"):
        return f"record must be one of {', '.join(KINDS)}"
    if error["type"] == "extra_forbidden":
        return "has a field that is not known"
    place = [str(part) for part in error["loc"][1:]]
    message = _WORDING.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")
    message = message.replace("Input should be", "must be").replace("should", "must")
    return " ".join([".".join(place) or "record", message])
