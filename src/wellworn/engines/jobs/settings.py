"""Settings of jobs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class JobSettings(BaseModel):
    """Limits and intervals of jobs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_at_once: int = Field(
        default=2, ge=1, le=12, description="Jobs that one process runs side by side."
    )
    most_starts: int = Field(
        default=3,
        ge=1,
        description="Times a job is begun whose process dies; then it has failed.",
    )
    keep_days: float = Field(
        default=30.0, gt=0, description="Days for which it is known how a job ended."
    )
    tick_s: float = Field(
        default=30.0, gt=0, description="Seconds between two looks at what is due."
    )
    poll_s: float = Field(
        default=0.5, ge=0.05, description="Seconds between two looks at the queue."
    )
    stop_s: float = Field(
        default=5.0,
        ge=0,
        description="Seconds a running job has to stop in when the server ends.",
    )
