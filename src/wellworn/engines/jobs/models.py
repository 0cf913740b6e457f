"""The values that describe a job: its ticket, state and record, and the jobs that are due.

A ticket's id consists of the job's name, key and slot, so submitting the same slot any number of
times, from any number of processes, makes one job.
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
    """The receipt for a submitted job; `is_new` is false if the key or slot already had one."""

    id: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class JobState:
    """A job's state; `message` is safe to show, and empty unless it failed. Times: epoch s."""

    id: str
    name: str
    key: str
    status: JobStatus
    message: str = ""
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job as recorded; `deaths` counts the earlier runs in which the process crashed."""

    state: JobState
    deaths: int
    interruptions: int
    is_cancel_requested: bool


@dataclass(frozen=True, slots=True)
class DueJob:
    """A job that should run; each `slot`, such as the minute it is planned for, runs once."""

    name: str
    key: str
    slot: str


def make_ticket_id(name: str, key: str, slot: str) -> str:
    """Return the id of the job for a slot.

    Raises:
        InvalidInput: a part is too long or has characters that are not allowed.
    """
    for part in (name, key, slot):
        if not _PART.fullmatch(part):
            message = "a job's name, key and slot are 1 to 128 letters, digits or any of _.:@+-"
            raise InvalidInput(message)
    return f"{name}/{key}/{slot}"


def split_ticket_id(ticket: str) -> tuple[str, str]:
    """Return the name and the key in a ticket's id."""
    name, key, _ = ticket.split("/")
    return name, key
