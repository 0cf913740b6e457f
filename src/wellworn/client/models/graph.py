"""The use of a memory: ties of thoughts, who gave what others used, what was learned."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from

NeighbourKind = Literal[
    "co_use", "provenance", "replacement", "affirmation", "co_retrieval", "nearness"
]


class Neighbour(Shape):
    """A thought that is tied to another, and how that is known."""

    kind: NeighbourKind
    thought_id: str = Field(validation_alias=read_from("thought_id", "thought.thought_id"))
    contributor: Text = Field(validation_alias=read_from("contributor", "thought.contributor_name"))
    created_at: Time = Field(validation_alias=read_from("created_at", "thought.created_at"))
    content: Text = Field(validation_alias=read_from("content", "thought.content"))
    outdated_at: Time | None = Field(
        validation_alias=read_from("outdated_at", "thought.outdated_at"),
        description="Since when it is not true any more.",
    )
    relation: Literal["came_from", "built_into", "replaces", "replaced_by"] | None = Field(
        validation_alias=read_from("relation", "tie.relation"),
        description="Which end of the tie; null where both are the same.",
    )
    evidence: Text = Field(
        validation_alias=read_from("evidence", "tie.evidence"),
        description="How it is known, in words.",
    )
    count: int | None = Field(
        validation_alias=read_from("count", "tie.count"),
        description="Sessions in which both were used, or calls that showed both.",
    )
    agents: int | None = Field(
        validation_alias=read_from("agents", "tie.agents"),
        description="How many different users those were of.",
    )
    score: float | None = Field(
        validation_alias=read_from("score", "tie.score"),
        description="Of co-use its weight, of a replacement how sure it is, of nearness the "
        "cosine.",
    )
    first_at: Time | None = Field(validation_alias=read_from("first_at", "tie.first_at"))
    last_at: Time | None = Field(validation_alias=read_from("last_at", "tie.last_at"))


class NeighbourCounts(Shape):
    """Counts of each kind of neighbours; null for what was not asked for or fails."""

    co_use: int | None = None
    provenance: int | None = None
    replacement: int | None = None
    affirmation: int | None = None
    co_retrieval: int | None = None
    nearness: int | None = None


class AffirmedBy(Shape):
    """Times a thought was said again by one, or found useful by so many."""

    contributor: Text | None = Field(
        description="Who said it again; null for those who found it useful."
    )
    count: int
    agents: int
    first_at: Time
    last_at: Time


class Neighbours(Shape):
    """The ties of a thought, of each kind the strongest first."""

    thought_id: str
    neighbours: tuple[Neighbour, ...]
    counts: NeighbourCounts
    affirmed_by: tuple[AffirmedBy, ...]


class ExperimentVerdict(Shape):
    """The verdict of the log when it was judged; the last verdict holds."""

    judged_at: Time
    is_open: bool = Field(description="Whether answers name what is often needed next.")
    gain: float = Field(
        description="Of what was needed next, the share that is found among ten besides."
    )
    low: float = Field(description="Where its 95 % interval begins.")
    high: float
    sessions: int
    uses: int = Field(description="How long the log was; a fifth more, and it is judged again.")


class Experiment(Shape):
    """Whether what was used together tells more than what lies together."""

    answer: Literal["yes", "no", "not_enough"]
    sessions: int = Field(description="How many tell of it.")
    needed: int = Field(description="How many it takes.")
    verdicts: tuple[ExperimentVerdict, ...] = Field(description="The newest first.")


class TopicValue(Shape):
    """A contributor's thoughts on one topic."""

    topic_id: str | None = Field(description="Null for what is in no topic.")
    title: Text | None
    thoughts: int = Field(validation_alias=read_from("thoughts", "usage.thoughts"))
    uses: int = Field(validation_alias=read_from("uses", "usage.uses"))
    users: int = Field(validation_alias=read_from("users", "usage.users"))
    last_used_at: Time = Field(validation_alias=read_from("last_used_at", "usage.last_at"))
    is_alone: bool | None = Field(
        description="All that others used of the topic is theirs; null where that cannot be told."
    )


class ContributorValue(Shape):
    """A contributor's thoughts that others used."""

    contributor_id: Text = Field(description="The member; at the open door, the agent.")
    name: Text
    thoughts: int = Field(
        validation_alias=read_from("thoughts", "usage.thoughts"),
        description="Those of theirs that others used.",
    )
    uses: int = Field(validation_alias=read_from("uses", "usage.uses"))
    users: int = Field(
        validation_alias=read_from("users", "usage.users"), description="How many others."
    )
    last_used_at: Time = Field(validation_alias=read_from("last_used_at", "usage.last_at"))
    topics: tuple[TopicValue, ...]


class Values(Shape):
    """The contributors of what others used, who gave most first."""

    values: tuple[ContributorValue, ...]
    contributors: int = Field(description="How many there are, listed or not.")
    alone: int = Field(description="How many topics hang on one of them alone.")


class LearnedFactor(Shape):
    """By how much a reason of the ranking weighs more or less than as shipped."""

    reason: str
    factor: float


class PolicyVersion(Shape):
    """Weights that a space learned, and what they were learned from."""

    version: int
    learned_at: Time
    factors: tuple[LearnedFactor, ...] = Field(description="None where the shipped weights won.")
    gain: float
    low: float
    high: float
    queries: int = Field(description="How many questions decided.")
    withdrawn_at: Time | None = Field(description="When an admin went back to the one before.")
    tried_at: Time | None = Field(description="Since when it was on trial beside those in use.")
    taken_at: Time | None = Field(description="When an admin put it in use after that.")


class PolicyValue(Shape):
    """How often what some weights put first is used, by what happened in a trial."""

    rate: float = Field(description="0 to 1.")
    low: float = Field(description="Where its 95 % interval begins.")
    high: float
    effective: float = Field(description="How many questions it rests on, if all counted alike.")


class PolicyTrial(Shape):
    """Learned weights on trial: they and the weights in use pick the results in turn."""

    version: int
    since: Time
    questions: int = Field(description="How many were answered so, of the newest 5,000.")
    wins: int = Field(
        description="Sessions, each day by itself, in which more was used of what they picked."
    )
    losses: int
    ties: int = Field(description="Sessions in which as much was used of what either picked.")
    needed: int = Field(description="Wins and losses that it takes before a lead is told.")
    lead: float | None = Field(
        description="Wins minus losses, a decided session, -1 to 1; null while there are too few."
    )
    low: float | None = Field(description="Where its 95 % interval begins.")
    high: float | None
    more: int | None = Field(
        description="Decided sessions that it takes beside these, at this lead, until it is sure; "
        "0 where it is; null where no number up to 10,000 can be told."
    )
    in_use: PolicyValue | None = Field(
        description="Of the weights in use, alone; null where that cannot be said."
    )
    tried: PolicyValue | None = Field(description="Of the weights on trial, alone.")


PlaceEvidence = Literal["used", "irrelevant", "shown", "unknown"]


class FirstPlace(Shape):
    """What comes first for a question, and what became of it when it was shown."""

    thought_id: str
    content_preview: Text = Field(validation_alias=read_from("content_preview", "opening"))
    evidence: PlaceEvidence = Field(
        description="`shown` and nothing said of it; `unknown`: not shown, or the asker's own."
    )


class PolicyChange(Shape):
    """A question to which something else comes first by the learned weights."""

    query_id: str
    asked_at: Time
    question: Text
    shipped: FirstPlace
    learned: FirstPlace
    reason: str = Field(description="The reason of the ranking that moved it most.")


class PolicyChanges(Shape):
    """What the newest learned weights change in the order of the last questions."""

    version: int
    questions: int = Field(description="How many were searched again, by both weights.")
    controls: int = Field(description="How many keep the shipped order, as one in five does.")
    reordered: int = Field(description="How many lists are in another order.")
    first_places: int = Field(description="To how many something else comes first.")
    gained: int = Field(description="Of these: something used comes first now, and did not before.")
    lost: int = Field(description="Of these: something used came first, and does not now.")
    changes: tuple[PolicyChange, ...] = Field(description="At most 20, the newest first.")


class Policy(Shape):
    """By which weights a space ranks, and what they were learned from."""

    is_on: bool = Field(description="Whether learning is switched on.")
    in_use: Literal["shipped", "learned"]
    version: int = Field(description="The number that answers are logged with.")
    factors: tuple[LearnedFactor, ...] = Field(description="None for the shipped weights.")
    gain: float | None = Field(
        description="What the learned order gained above the shipped one, a label; null if none."
    )
    low: float | None = Field(description="Where its 95 % interval begins.")
    high: float | None
    queries: int = Field(description="How many questions decided.")
    learned_at: Time | None = Field(description="When it was last tried since the server started.")
    labelled: int = Field(description="Of the newest 1,000 questions, those that tell something.")
    needed: int = Field(description="How many it takes.")
    versions: tuple[PolicyVersion, ...] = Field(description="All that are kept, newest first.")
    changes: PolicyChanges | None = Field(
        description="By the last questions, as many as were asked for; null if none were learned."
    )
    trial: PolicyTrial | None = Field(description="Null where no weights are on trial.")
