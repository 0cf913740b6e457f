"""What is told about a job: its ticket, its state, and the slots of what is due.

A ticket's id is made of the job's name, its key and its slot, so that the same slot can be handed
in any number of times, by any number of processes, and is still one job.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from wellworn.errors import InvalidInput

_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@+-]{0,127}")


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self in {JobStatus.DONE, JobStatus.FAILED, JobStatus.CANCELLED}


@dataclass(frozen=True, slots=True)
class JobTicket:
    """What one gets for a job; `is_new` is false when one for the same key or slot was there."""

    id: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job is; `message` is empty unless it failed, and safe to show. Times are epoch s."""

    id: str
    name: str
    key: str
    status: JobStatus
    message: str = ""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A job as it is written down: `deaths` are the runs before this one whose process died."""

    state: JobState
    deaths: int
    broken_off: int
    is_to_be_cancelled: bool


@dataclass(frozen=True, slots=True)
class Due:
    """A job that should run; one `slot`, such as the minute it is planned for, runs once."""

    name: str
    key: str
    slot: str


def ticket_id(name: str, key: str, slot: str) -> str:
    """Return the id of the one job for a slot.

    Raises:
        InvalidInput: a part has characters that ids of jobs cannot have, or too many.
    """
    for part in (name, key, slot):
        if not _PART.fullmatch(part):
            message = "a job's name, key and slot are 1 to 128 letters, digits or any of _.:@+-"
            raise InvalidInput(message)
    return f"{name}/{key}/{slot}"


def parts_of(ticket: str) -> tuple[str, str]:
    """Return the name and the key in a ticket's id."""
    name, key, _ = ticket.split("/")
    return name, key
