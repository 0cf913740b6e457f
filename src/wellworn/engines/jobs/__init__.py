"""Durable jobs and schedules: kept in a file of their own, and known by name to nobody here."""

from wellworn.engines.jobs.cron import next_after, schedule_in_words, schedule_problem
from wellworn.engines.jobs.models import Due, JobState, JobStatus, JobTicket
from wellworn.engines.jobs.run import Run
from wellworn.engines.jobs.service import Jobs
from wellworn.engines.jobs.settings import JobSettings

__all__ = [
    "Due",
    "JobSettings",
    "JobState",
    "JobStatus",
    "JobTicket",
    "Jobs",
    "Run",
    "next_after",
    "schedule_in_words",
    "schedule_problem",
]
