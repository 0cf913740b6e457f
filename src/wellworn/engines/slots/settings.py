"""Settings of how many calls run and wait at once."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SlotSettings(BaseModel):
    """Bounds on calls of all members, and of one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_once: int = Field(default=16, ge=1, le=32, description="Calls that run at once.")
    most_waiting: int = Field(
        default=64, ge=0, description="Calls that wait for others to end; more are refused."
    )
    most_of_a_caller: int = Field(
        default=48,
        ge=1,
        description="Calls of one member, or one address, that run or wait at once.",
    )
