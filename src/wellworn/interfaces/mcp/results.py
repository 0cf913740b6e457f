"""Structured results of the tools.

Others wrote the texts in these results, so every result that carries one says whose they are, and
`dump_result` fences them: many clients show a model nothing but the structured result.

Source: the search and fetch shapes that ChatGPT connectors expect.
"""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import (
    BaseModel,
    Field,
    PlainSerializer,
    SerializationInfo,
    SerializeAsAny,
)

from wellworn.client.models import (
    Alike,
    Cluster,
    NeededNext,
    Node,
    Outline,
    Part,
    Passage,
    Replacement,
    Shape,
    Text,
    Time,
)
from wellworn.engines.safety import Fence, new_nonce
from wellworn.kit.clock import drop_fraction


def _enclose(text: str, info: SerializationInfo[Fence | None]) -> str:
    return info.context.enclose(text) if info.context else text


Quotation = Annotated[Text, PlainSerializer(_enclose)]
"""Words of an agent or a document; `dump_result` puts them between delimiters."""


def dump_result(result: BaseModel) -> dict[str, Any]:
    """Return a result as JSON, its quotations fenced with one nonce and its times to the second.

    What is None is left out.
    """
    fence = Fence(new_nonce())
    dumped = result.model_dump(mode="json", exclude_none=True, context=fence)
    return {name: _shorten_times(part) for name, part in dumped.items()}


def _shorten_times(value: object) -> object:
    if isinstance(value, dict):
        parts = cast("dict[str, object]", value)
        return {name: _shorten_times(part) for name, part in parts.items()}
    if isinstance(value, list):
        return [_shorten_times(part) for part in cast("list[object]", value)]
    return drop_fraction(value) if isinstance(value, str) else value


class Thought(Shape):
    """A recalled thought with its provenance; `score` is a cosine, `created_at` ISO 8601.

    `characters` is null, or how many all of it has where `content` is only its beginning.
    """

    thought_id: str
    contributor: Text
    created_at: Time
    score: float
    content: Quotation
    tags: tuple[Text, ...]
    characters: int | None = None
    replaces: tuple[Replacement, ...] = ()
    replaced_by: tuple[Replacement, ...] = ()
    outdated_at: Time | None = None
    expires_at: Time | None = None
    contested: bool | None = None
    unconfirmed_until: Time | None = None
    rediscovered: int | None = None
    space: str | None = None
    alike: Alike | None = None
    answers: float | None = None
    span: Text | None = None
    why: dict[str, float] | None = None


class OverviewQuote(Shape):
    """A quote of an overview."""

    thought_id: str
    contributor: Text
    created_at: Time
    content: Quotation


class Retold(BaseModel):
    """A sentence of a language model, borne out by its sources."""

    text: Quotation
    source_ids: list[str]


class Told(BaseModel):
    """What several thoughts say alike; the quotes that are no results themselves."""

    title: Text
    size: int
    source_ids: list[str]
    quotes: list[OverviewQuote]
    claims: list[Retold] = []


class Related(BaseModel):
    """The answer of memory."""

    session_id: str
    thought_id: str | None = None
    stored: bool | None = None
    note: str
    thoughts: list[Thought]
    highways_nearby: list[Text]
    areas: list[Cluster]
    guidance: str | None = None
    outline: Quotation | None = None
    often_needed_next: list[NeededNext] = []
    overview: Told | None = None


class Weighed(BaseModel):
    """A thought's trail after feedback."""

    thought_id: str
    pheromone_weight: float


class Hit(BaseModel):
    """One line of a search."""

    id: str
    title: str
    url: str


class Hits(BaseModel):
    """The lines of a search, best first."""

    results: list[Hit]


class FetchedThought(BaseModel):
    """One thought in full."""

    id: str
    title: str
    text: Quotation
    url: str
    metadata: dict[str, Any]


class Outlined(Outline):
    """A node with what is below it, or what a name may mean."""

    note: str


class Stretch(Part):
    """A stretch of text by one contributor."""

    text: Quotation


class OutlinePage(Passage):
    """A page of a node's text, or what a name may mean."""

    node: Node | None = Field(exclude=True)
    offset: int = Field(exclude=True)
    note: str
    parts: tuple[SerializeAsAny[Part], ...]
