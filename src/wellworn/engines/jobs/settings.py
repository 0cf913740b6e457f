"""Settings of jobs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class JobSettings(BaseModel):
    """Limits and intervals of jobs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_at_once: int = Field(
        default=2,
        ge=0,
        le=12,
        description="Jobs that one process runs at once; 0 leaves them to other servers.",
    )
    most_starts: int = Field(
        default=3,
        ge=1,
        description="Times that a job is started when its process dies; then it has failed.",
    )
    keep_days: float = Field(
        default=30.0, gt=0, description="Days for which the results of jobs are kept."
    )
    tick_s: float = Field(
        default=30.0, gt=0, description="Seconds between two checks for due jobs."
    )
    poll_s: float = Field(
        default=0.5, ge=0.05, description="Seconds between two checks of the queue."
    )
    stop_s: float = Field(
        default=5.0,
        ge=0,
        description="Seconds that a running job has to stop when the server ends.",
    )
