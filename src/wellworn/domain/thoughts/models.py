"""The values of thoughts: frozen, without behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.thoughts.decisions import Decision
from wellworn.domain.thoughts.truth import ANY_TIME, Alike, LinkedThought, TimeScope
from wellworn.domain.thoughts.truth.models import OPENING_LENGTH
from wellworn.engines.reading import Reading
from wellworn.engines.retrieval import POLICY_VERSION

NO_PIECES: Final[NDArray[np.float32]] = np.empty((0, 128), np.float32)


class ThoughtType(StrEnum):
    ORIGINAL = "original"
    REFINEMENT = "refinement"
    CONSOLIDATION = "consolidation"


class ThoughtKind(StrEnum):
    """The origin of a thought, which decides how a search weighs it."""

    THOUGHT = "thought"
    TURN = "turn"


class FeedbackSignal(StrEnum):
    USEFUL = "useful"
    IRRELEVANT = "irrelevant"
    OUTDATED = "outdated"
    WRONG = "wrong"
    NONE = "none"
    """Takes back what the session said before."""


COURTESY: Final = "courtesy"
"""The `method` of an `Exposure` that answered thanks or a greeting, and showed nothing."""


class RetrievalMethod(StrEnum):
    """The way results are found and ordered."""

    VECTOR = "vector"
    HYBRID = "hybrid"


class UseKind(StrEnum):
    """Why a thought counts as used."""

    FEEDBACK = "feedback"
    AFFIRMED = "affirmed"
    BUILT_UPON = "built_upon"


class HighwayOrder(StrEnum):
    """The order of highways."""

    TRAFFIC = "traffic"
    PHEROMONE = "pheromone"
    RECENT = "recent"
    USE = "use"


@dataclass(frozen=True, slots=True)
class Stored:
    """A new thought was stored; one that is `held` is only shown on request."""

    thought_id: str
    pheromone_weight: float
    held: bool = False


@dataclass(frozen=True, slots=True)
class Affirmed:
    """A thought with the same content was known and has been affirmed; it may still be `held`."""

    thought_id: str
    pheromone_weight: float
    held: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search for thoughts.

    Attributes:
        vector: `(dimensions,)` float32, L2-normalised; of zeros to search by the words alone.
        text: the words to match; empty for a search by vector alone.
        pieces: `(n, 128)` float32, the word pieces of the text, or none to match none.
        spans: the characters of each word piece.
        min_score: least cosine; None keeps keyword matches of any cosine.
        include_unverified: include thoughts in quarantine.
        call_id: the call in whose decision the results are logged, so that weights may be tried;
            empty where none is.
    """

    vector: NDArray[np.float32]
    text: str
    agent_id: str
    pieces: NDArray[np.float32] = field(default_factory=lambda: NO_PIECES)
    spans: Sequence[tuple[int, int]] = ()
    limit: int = 10
    filter_tags: tuple[str, ...] = ()
    match_all_tags: bool = False
    exclude_self: bool = False
    min_score: float | None = None
    method: RetrievalMethod = RetrievalMethod.HYBRID
    include_unverified: bool = False
    scope: TimeScope = ANY_TIME
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class FoundThought:
    """A search result, as it was before this retrieval.

    Attributes:
        score: cosine similarity to the query, -1 to 1.
        keyword: BM25 score, 0 without a shared word.
        rank_score: the sum of `parts`, which the order follows.
        owner: whose credential stored it; None without credentials.
        held: it is in quarantine, and retrievals leave no trace on it.
        policy_version: version of the weights that ranked it.
        replaces, replaced_by: the surest first.
        outdated_at: since when it is not true any more, in epoch seconds; None while it is.
        contested: another member says otherwise, and nobody but its author has confirmed it.
        expires_at: from when on it is history, due or not, in epoch seconds; None without an end.
        unconfirmed_until: until when it waits for somebody else to confirm it; None if it does not.
        rediscovered: how many others said the same later whom no door had shown it to.
        space: the shared space, for what a project's search found there; None in the space asked.
        alike: what was folded into it; None where nothing was.
        folded: the seqs of that.
        reading: what a reader made of it beside the question; None where nobody read it.
    """

    seq: int
    thought_id: str
    content: str
    contributor_id: str
    contributor_name: str
    score: float
    keyword: float
    rank_score: float
    parts: Mapping[str, float]
    tags: tuple[str, ...]
    pheromone_weight: float
    access_count: int
    unique_users: int
    created_at: float
    owner: str | None = None
    held: bool = False
    policy_version: int = POLICY_VERSION
    replaces: tuple[LinkedThought, ...] = ()
    replaced_by: tuple[LinkedThought, ...] = ()
    outdated_at: float | None = None
    contested: bool = False
    expires_at: float | None = None
    unconfirmed_until: float | None = None
    rediscovered: int = 0
    space: str | None = None
    alike: Alike | None = None
    folded: tuple[int, ...] = ()
    reading: Reading | None = None

    @property
    def answers(self) -> float | None:
        """The probability that it answers what was asked; None where nobody read it."""
        return None if self.reading is None else round(self.reading.answers, 3)

    @property
    def span(self) -> str | None:
        """Its words that answer likeliest, if it answers; None where a reader names none."""
        if self.reading is None or self.reading.span is None:
            return None
        return self.content[slice(*self.reading.span)]

    def link(self, confidence: float, reason: str) -> LinkedThought:
        """Return it as what another seems to replace."""
        return LinkedThought(
            thought_id=self.thought_id,
            contributor_name=self.contributor_name,
            created_at=self.created_at,
            opening=self.content[:OPENING_LENGTH],
            stated=False,
            confidence=round(confidence, 2),
            reason=reason,
        )

    @property
    def author(self) -> str:
        """The one who counts as its author."""
        return self.owner or self.contributor_id


@dataclass(frozen=True, slots=True)
class ThoughtStatus:
    """The owner of an imported thought, whether an admin stored it, and since when it is held."""

    owner: str | None = None
    quarantined_at: float | None = None
    by_admin: bool = False
    unconfirmed_until: float | None = None


@dataclass(frozen=True, slots=True)
class FindableThoughts:
    """Counts of thoughts, in all and by what they are found.

    Attributes:
        thoughts: those that are not erased.
        by_words: those that are found by their words.
        by_meaning: those of which every passage is embedded as well.
    """

    thoughts: int
    by_words: int
    by_meaning: int

    @property
    def is_embedded(self) -> bool:
        """Tell whether all are found by their meaning."""
        return self.by_meaning == self.thoughts


@dataclass(frozen=True, slots=True)
class HeldThought:
    """A thought in quarantine, for an admin to review."""

    thought_id: str
    content: str
    contributor_id: str
    contributor_name: str
    owner: str | None
    quarantined_at: float


@dataclass(frozen=True, slots=True)
class RollbackSummary:
    """The extent of a rollback, done or to be done.

    Attributes:
        thoughts: contributed by the owner.
        derived: built on those by anybody.
        uses: all removed uses, including others' uses of those thoughts.
    """

    thoughts: int
    derived: int
    queries: int
    uses: int
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Exposure:
    """The row of the query log that a retrieval writes.

    Attributes:
        query_id: UUID of the call.
        may_repeat: whether the call may be one that was repeated, which counts once.
        vector: None if nothing was searched by meaning.
        method: how the answer was found: a `RetrievalMethod`, or what answered without a search.
        encourages: the session's earlier query whose results this call confirmed.
        policy_version: version of the weights that ranked the results; filled in by `Sessions`.
        decision: what is stored of how the results came about; without one, what is shown.
    """

    query_id: str
    agent_id: str
    session_id: str
    query_text: str
    context_text: str | None
    vector: NDArray[np.float32] | None
    method: str
    encourages: int | None = None
    policy_version: int = POLICY_VERSION
    may_repeat: bool = False
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Companion:
    """A thought retrieved together with another, and how often."""

    thought_id: str
    count: int
    content_preview: str = ""


@dataclass(frozen=True, slots=True)
class Highway:
    """A thought that several agents return to."""

    thought_id: str
    content_preview: str
    access_count: int
    unique_users: int
    traffic_score: int
    pheromone_weight: float
    tags: tuple[str, ...]
    last_accessed: float | None
    use_score: float
    co_retrieved: tuple[Companion, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessEntry:
    user_id: str
    timestamp: float
    session_id: str


@dataclass(frozen=True, slots=True)
class Affirmation:
    contributor_id: str
    contributor_name: str
    timestamp: float


@dataclass(frozen=True, slots=True)
class TracedThought:
    """A thought with its full trace, as specified in section 5.1."""

    thought_id: str
    contributor_id: str
    contributor_name: str
    content: str
    context_metadata: str | None
    created_at: float
    thought_type: ThoughtType
    source_ids: tuple[str, ...]
    tags: tuple[str, ...]
    access_count: int
    last_accessed: float | None
    accessed_by: tuple[str, ...]
    access_log: tuple[AccessEntry, ...]
    co_retrieved_with: tuple[Companion, ...]
    pheromone_weight: float
    knowledge_space_id: str
    affirmed_by: tuple[Affirmation, ...] = ()
    kind: ThoughtKind = ThoughtKind.THOUGHT
    session: str | None = None
    position: int | None = None
    erased_at: float | None = None
    replaces: tuple[LinkedThought, ...] = ()
    replaced_by: tuple[LinkedThought, ...] = ()
    outdated_at: float | None = None
    contested: bool = False
    expires_at: float | None = None
    unconfirmed_until: float | None = None
    rediscovered: int = 0


@dataclass(frozen=True, slots=True)
class Origin:
    """One step of provenance; `beyond` continues in the same direction."""

    thought_id: str
    contributor: str
    thought_type: ThoughtType
    content_preview: str
    created_at: float
    beyond: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    thought_id: str
    came_from: tuple[Origin, ...] = field(default=())
    built_into: tuple[Origin, ...] = field(default=())

    def list_shown(self) -> Iterator[str]:
        """Yield the ids of the steps."""
        steps = [*self.came_from, *self.built_into]
        while steps:
            step = steps.pop()
            steps += step.beyond
            yield step.thought_id


@dataclass(frozen=True, slots=True)
class MostAccessed:
    thought_id: str
    content_preview: str
    access_count: int


@dataclass(frozen=True, slots=True)
class Contributor:
    contributor_id: str
    contributor_name: str
    thoughts_contributed: int
    accesses: int
    most_accessed: tuple[MostAccessed, ...] = ()
