"""Settings of thoughts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from wellworn.domain.thoughts.models import RetrievalMethod


class ThoughtSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    retrieval_method: RetrievalMethod = Field(
        default=RetrievalMethod.HYBRID,
        description="Order of results when a call names none.",
    )
    candidates: int = Field(
        default=100,
        ge=50,
        le=1000,
        description="Passages that each of the index's lists contributes to the ranking.",
    )
    usefulness_weight: float = Field(
        default=0.2,
        ge=0.0,
        le=0.4,
        description="How far confirmed use may move a result, in units of cosine; 0 is off.",
    )
    learned_weights: bool = Field(
        default=False,
        description=("Whether feedback may adapt the ranking weights, where that proves better."),
    )
    try_weights: bool = Field(
        default=False,
        description=(
            "Whether learned weights are first tried beside those in use, until an admin puts them "
            "in use or ends the trial. Needs `decision_days`."
        ),
    )
    order_model: bool = Field(
        default=True,
        description=(
            "Whether a small model reads what members write, who are no admins, for orders to "
            "agents, beside the rules."
        ),
    )
    judge_changes: bool = Field(
        default=False,
        description=(
            "Whether the language model of the settings is asked in the background which earlier "
            "notes a new note replaces. It is sent the notes of open spaces."
        ),
    )
    judged_a_day: int = Field(
        default=1_000,
        ge=1,
        description="Most notes that the model is asked about in 24 hours.",
    )
    decision_days: int = Field(
        default=90,
        ge=0,
        le=3_650,
        description=(
            "Days for which is kept what each call showed, withheld and stored, and why; 0 keeps "
            "nothing of it. Of a space it is at most 50,000 calls, of less than 1 kB each."
        ),
    )
    sleep_hours: float = Field(
        default=24.0,
        ge=0.0,
        le=8_760.0,
        description=(
            "Hours between two sleeps of a space, which bring together what several thoughts say; "
            "sooner where it grew by 100 thoughts. 0 leaves it to `wellworn sleep`."
        ),
    )
    sleep_model: bool = Field(
        default=False,
        description=(
            "Whether the language model of the settings is asked to say what overviews say, beside "
            "their quotes. It is sent the notes that are quoted."
        ),
    )
    capture_model: bool = Field(
        default=False,
        description=(
            "Whether the language model of the settings picks which sentences of a session are "
            "kept. It is sent all of them but those that tell a secret."
        ),
    )
    search_processes: int | None = Field(
        default=None,
        ge=0,
        le=16,
        description=(
            "Processes that search beside the server, for many callers at once; each takes a "
            "processor, and the memory and disk of another index. Without a number there is one "
            "while many call at once, on two processors or more."
        ),
    )
