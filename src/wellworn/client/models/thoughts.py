"""Single thoughts, their provenance, and the trails between them."""

from __future__ import annotations

import operator
from typing import Literal

from pydantic import Field

from wellworn.client.models.server import FindableThoughts
from wellworn.client.models.shape import Shape, Text, Time, Weight, omit_if_none, read_from
from wellworn.client.models.sleep import Overview
from wellworn.kit.likelihood import limit_verb, qualify

ThoughtType = Literal["original", "refinement", "consolidation"]


class Access(Shape):
    """One retrieval of a thought."""

    user_id: Text
    timestamp: Time
    session_id: str


class CoRetrieved(Shape):
    """A thought that came up together with another, `count` times."""

    thought_id: str
    count: int


class NamedCoRetrieved(CoRetrieved):
    """A thought that came up together with a highway."""

    content_preview: Text


class Affirmation(Shape):
    """An agent that said the same as a thought that was there already."""

    contributor_id: Text
    contributor_name: Text
    timestamp: Time


class Alike(Shape):
    """Results that say the same as another in the same words, and the names of who said so."""

    count: int
    contributors: tuple[Text, ...]


class Replacement(Shape):
    """A thought that another replaces, or is replaced by."""

    thought_id: str
    contributor: Text = Field(validation_alias=read_from("contributor", "contributor_name"))
    created_at: Time
    content_preview: Text = Field(validation_alias=read_from("content_preview", "opening"))
    stated: bool = Field(description="Somebody said so; otherwise it was inferred from the words.")
    confidence: float = Field(description="0 to 1; 1 for what was stated.")
    reason: Text
    contested: bool = Field(
        default=False,
        description="One member contradicts another, and neither replaces the other.",
    )

    def is_inferred_by(self, thought_id: str | None) -> bool:
        """Whether the words of a thought alone, which was just stored, make this link."""
        return self.thought_id == thought_id and not self.stated

    def describe(self, replaces: str, contradicts: str) -> str:
        """Return which of two verbs fits, with how sure it is, and whether it is of a part."""
        verb = limit_verb(contradicts if self.contested else replaces, self.reason)
        return qualify(verb, self.confidence, is_stated=self.stated or self.contested)


class Thought(Shape):
    """A thought with its full trace: its newest 100 accesses, its 50 strongest companions."""

    thought_id: str
    contributor_id: Text
    contributor_name: Text
    content: Text
    context_metadata: Text | None
    created_at: Time
    thought_type: ThoughtType
    source_ids: tuple[str, ...]
    tags: tuple[Text, ...]
    access_count: int
    last_accessed: Time | None
    accessed_by: tuple[Text, ...]
    access_log: tuple[Access, ...]
    co_retrieved_with: tuple[CoRetrieved, ...]
    pheromone_weight: Weight
    knowledge_space_id: str
    affirmed_by: tuple[Affirmation, ...]
    kind: Literal["thought", "turn"]
    session: Text | None
    position: int | None
    erased_at: Time | None
    replaces: tuple[Replacement, ...] = Field(description="What it replaces, the surest first.")
    replaced_by: tuple[Replacement, ...] = Field(description="What replaces it, the surest first.")
    outdated_at: Time | None = Field(description="Since when it is not true any more.")
    expires_at: Time | None = Field(
        default=None, description="From when on it is history, as it was said."
    )
    contested: bool = Field(
        default=False,
        description="Another member says otherwise, and nobody has confirmed it.",
    )
    unconfirmed_until: Time | None = Field(
        default=None, description="Until when it waits for another member to confirm it."
    )
    rediscovered: int = Field(
        default=0,
        description="How many others said the same whom no door of the memory had shown it to.",
    )


class ListedThought(Shape):
    """A thought in a list by time, in full, with what replaced it since."""

    thought_id: str
    content: Text
    contributor_id: Text
    contributor_name: Text
    created_at: Time
    tags: tuple[Text, ...]
    replaces: tuple[Replacement, ...]
    replaced_by: tuple[Replacement, ...]
    outdated_at: Time | None
    expires_at: Time | None = None
    contested: bool = False
    unconfirmed_until: Time | None = None
    rediscovered: int = 0


class ThoughtList(Shape):
    """A page of what was said, newest first."""

    thoughts: tuple[ListedThought, ...]
    next_cursor: str | None = Field(description="Brings the next page; null on the last one.")
    matching: int | None = Field(
        default=None, description="How many fit, on all pages; null unless `count` is asked for."
    )


class Withdrawn(Shape):
    """A replacement that was undone: both thoughts are true again."""

    thought_id: str
    replaced_id: str


class Ended(Shape):
    """A thought, and from when on it is history."""

    thought_id: str
    expires_at: Time | None = Field(description="Null if it has no end.")


class Link(Shape):
    """A thought in a chain of provenance, with what lies beyond it in the same direction."""

    thought_id: str
    contributor: Text
    thought_type: ThoughtType
    content_preview: Text
    created_at: Time
    came_from: tuple[Link, ...] | None = omit_if_none()
    built_into: tuple[Link, ...] | None = omit_if_none()


class Provenance(Shape):
    """The origins of a thought and what was built on it."""

    thought_id: str
    came_from: tuple[Link, ...]
    built_into: tuple[Link, ...]


class Highway(Shape):
    """A thought that several agents keep coming back to."""

    thought_id: str
    content_preview: Text
    access_count: int
    unique_users: int
    traffic_score: int
    pheromone_weight: Weight
    tags: tuple[Text, ...]
    last_accessed: Time | None
    use_score: float
    co_retrieved: tuple[NamedCoRetrieved, ...]


class Accessed(Shape):
    """One of a contributor's most accessed thoughts."""

    thought_id: str
    content_preview: Text
    access_count: int


class Contributor(Shape):
    """A contributor's thoughts and how much they were asked for."""

    contributor_id: Text
    contributor_name: Text
    thoughts_contributed: int
    accesses: int
    most_accessed: tuple[Accessed, ...]


class Erased(Shape):
    """A thought whose content is gone; its trace stays."""

    thought_id: str
    erased_at: Time


class HeldThought(Shape):
    """A thought that reads like an order, held back until an admin releases it."""

    thought_id: str
    content: Text
    contributor_id: Text
    contributor_name: Text
    owner: str | None = Field(description="The member who stored it.")
    held_since: Time = Field(validation_alias=read_from("held_since", "quarantined_at"))


class HeldThoughts(Shape):
    """Thoughts that are held back, the newest first."""

    held: tuple[HeldThought, ...]


class Released(Shape):
    """A thought that can be found again."""

    released: str


class Found(Shape):
    """A result of search, which leaves no trail."""

    thought_id: str
    title: Text
    content_preview: Text
    contributor: Text
    created_at: Time
    score: float
    rank_score: float
    why: dict[str, float]
    rediscovered: int = Field(
        default=0,
        exclude_if=operator.not_,
        description="How many others said the same whom no door of the memory had shown it to.",
    )
    answers: float | None = omit_if_none(
        description="The probability that it answers, as a reader says; for the first five."
    )
    span: Text | None = omit_if_none(
        description="Its words that answer likeliest, if it answers at all."
    )


class Findings(Shape):
    """Results of a search, best first."""

    results: tuple[Found, ...]
    overview: Overview | None = omit_if_none(
        description="What several of the results say with others that say it, as quotes."
    )


class Stored(Shape):
    """A thought that `think` stored or affirmed."""

    thought_id: str
    pheromone_weight: Weight


class Retrieved(Shape):
    """A result of `retrieve`; the last two fields come with `explain` only."""

    thought_id: str
    content: Text
    contributor_name: Text
    score: float
    pheromone_weight: Weight
    tags: tuple[Text, ...]
    rank_score: float | None = omit_if_none()
    why: dict[str, float] | None = omit_if_none()


class Settled(Shape):
    """The number of stored weights that were brought up to the present."""

    settled: int


class Imported(Shape):
    """Counts of records that were new and that were there already.

    Attributes:
        clashing: thoughts and turns that were left out, because the space has others of the same
            ids or numbers.
    """

    imported: int
    known: int
    clashing: tuple[str, ...] = ()
    findable: FindableThoughts = Field(
        default=FindableThoughts(thoughts=0, by_words=0, by_meaning=0),
        description="By what the thoughts among the records are found.",
    )


class FoundPractice(Shape):
    """A best practice of the earlier endpoints."""

    id: str
    score: float
    content: Text
    domain: Text
    source: Text
    file_path: Text
    file_name: Text
    chunk_index: int
    total_chunks: int
    timestamp: Time


class FoundPractices(Shape):
    """The best practices nearest in meaning to a query."""

    query: Text
    count: int
    results: tuple[FoundPractice, ...]


class Ingested(Shape):
    """A best practice that was stored, or was there already."""

    id: str
    status: Literal["ingested", "known"]
