"""The traces of a memory: what each call showed, withheld and stored, and why."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wellworn.client.models.shape import Shape, Text, Time, read_from

Fate = Literal[
    "shown",
    "below_relevance",
    "alike",
    "replaced",
    "retracted",
    "held",
    "beyond_limit",
    "other_area",
    "not_meant",
    "out_of_scope",
]


class JudgedThought(Shape):
    """A thought that a call came across."""

    thought_id: str
    fate: Fate = Field(
        description=(
            "`shown`, or why it was withheld: too little to do with what was asked, in the same "
            "words as what is shown, replaced, called wrong, held, beyond `limit`, of another area "
            "than was shown beside a counter-question, not meant by a follow-up, of another time "
            "or speaker."
        )
    )
    rank: int | None = Field(description="Its place among what was shown, from 1.")
    cosine: float | None
    score: float | None = Field(description="What the order follows.")
    by: str | None = Field(description="The thought that stands in its place.")
    opening: Text = Field(description="Its first 80 characters.")
    team: Literal["in_use", "tried", "both"] | None = Field(
        description="Whose weights picked it; null where none were on trial."
    )


class Decision(Shape):
    """One call: what it showed, what it withheld and why, and what it stored."""

    query_id: str
    decided_at: Time
    agent_id: Text
    session_id: str
    question: Text = Field(description="Empty where its words were erased.")
    method: str = Field(description="`hybrid`, `vector`, or what answered without a search.")
    policy_version: int = Field(description="Of the weights that ranked.")
    propensity: float = Field(
        description="How likely what was put first was put there: 0.5 where a coin decided, else 1."
    )
    ranked: int | None = Field(
        description="How many thoughts were ranked; null where nothing was searched."
    )
    answered: bool | None = Field(
        description="Whether anything shown has to do with what was asked; null if nobody judged."
    )
    reason: str = Field(description="Why it was stored or not, as `trace.contribution` says.")
    outcome: Literal["nothing", "stored", "affirmed", "held"]
    contributed_id: str | None = Field(description="The thought that was stored or affirmed.")
    replaces: tuple[str, ...] = Field(description="What that was linked to as its replacement.")
    shown: tuple[JudgedThought, ...]
    withheld: tuple[JudgedThought, ...]


class Converged(Shape):
    """A text that several said in the same words, as it was said first."""

    thought_id: str = Field(validation_alias=read_from("thought_id", "thought.thought_id"))
    contributor: Text = Field(validation_alias=read_from("contributor", "thought.contributor_name"))
    created_at: Time = Field(validation_alias=read_from("created_at", "thought.created_at"))
    content: Text = Field(validation_alias=read_from("content", "thought.content"))
    independent: int = Field(
        description="How many said it later whom no door of the memory had shown it to."
    )
    echoes: int = Field(description="How many said it later whom one had.")
    unknown: int = Field(description="Of how many others that is not known.")
    others: tuple[str, ...] = Field(description="Ids of the other thoughts that say it.")
    last_at: Time = Field(
        description="When the last said it who found it independently, or else the last of all."
    )


class ConvergenceCounts(Shape):
    """Counts of what was said again since then, in each way."""

    independent: int
    echo: int
    unknown: int


class GatheredThought(Shape):
    """A thought that many of those who gathered were shown."""

    thought_id: str
    opening: Text = Field(description="Its first 80 characters.")


class GatheredRegion(Shape):
    """Questions that more agents came with in three days than chance would have it."""

    agents: int = Field(description="How many different ones came.")
    sessions: int = Field(description="In how many sessions.")
    p: float = Field(
        description="How probable any region as unusual is in a log in which nobody gathers."
    )
    first_at: Time = Field(description="When the first of them came.")
    topic_id: str | None = Field(description="Of most of what they were shown.")
    title: Text | None = Field(description="Of that topic.")
    thoughts: tuple[GatheredThought, ...] = Field(description="What they were shown the most.")
    questions: tuple[Text, ...] = Field(
        description="What some of them asked: for admins, or of your own."
    )


class Gathered(Shape):
    """Whether several came to one region in the last three days that usually do not."""

    answer: Literal["yes", "no", "not_enough_agents", "not_enough_days"]
    agents: int = Field(description="Of how many agents it is known what they usually ask.")
    needed: int = Field(description="How many it takes.")
    days: int = Field(description="How far the log reaches back, at most 33.")
    regions: tuple[GatheredRegion, ...] = Field(description="The surest first.")


class Convergence(Shape):
    """Texts that several said, what most found independently first, and where several gathered."""

    converged: tuple[Converged, ...]
    counts: ConvergenceCounts
    gathered: Gathered


class LoggedSession(Shape):
    """A session by what was asked in it."""

    session_id: str
    agent_id: Text
    questions: int
    first_at: Time
    last_at: Time


class Sessions(Shape):
    """Sessions, those that something was asked in last first."""

    sessions: tuple[LoggedSession, ...]


class PathStep(Shape):
    """A question of a session, and how far it moved: 1 minus the cosine, from 0 to 2."""

    query_id: str
    asked_at: Time
    question: Text = Field(description="Empty where its words were erased.")
    local_drift: float = Field(description="From the question before; 0 of the first.")
    global_drift: float = Field(description="From the first.")


class SessionPath(Shape):
    """The path of a session through its questions, the newest 50 at most."""

    session_id: str
    agent_id: Text
    steps: tuple[PathStep, ...] = Field(description="In order.")
    dispersion: float = Field(description="The mean distance of two questions.")
    regime: Literal["contractive", "oscillatory", "exploratory", "undetermined"] = Field(
        description="Closing in, going back and forth, or moving on step by step; `undetermined` "
        "where the order of the questions says no more than chance, or where there are too few."
    )
    p: float | None = Field(
        description="How probable so much order is by chance; null where there are too few."
    )
    needed: int = Field(description="How many questions it takes.")


class Decisions(Shape):
    """Decisions, the newest first."""

    decisions: tuple[Decision, ...]
    since: Time | None = Field(description="When the oldest was made that is kept.")


class SpaceEvent(Shape):
    """Something that happened in a space; its words are read by their ids."""

    kind: Literal[
        "watching",
        "missed",
        "said",
        "imported",
        "ended",
        "merged",
        "withdrawn",
        "erased",
        "released",
        "source",
        "synced",
        "decided",
        "asked",
        "judged",
        "held",
        "turn",
    ] = Field(
        description="`watching` begins every stream; `asked`, `judged`, `held` and `turn` are for "
        "admins."
    )
    at: Time
    ids: tuple[str, ...] = Field(
        description="Of thoughts, sources or conflicts, as the kind says; of `asked`, `turn` and "
        "`imported` none."
    )
    missed: int = Field(default=0, description="How many were lost before, as you read slowly.")
