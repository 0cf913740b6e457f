"""Durable jobs and schedules, in a database file of their own; callers register what jobs do."""

from wellworn.engines.jobs.cron import compute_next_run, describe_schedule, find_schedule_problem
from wellworn.engines.jobs.models import DueJob, JobState, JobStatus, JobTicket
from wellworn.engines.jobs.run import JobRun, JobStopped
from wellworn.engines.jobs.service import FILE, Jobs
from wellworn.engines.jobs.settings import JobSettings
