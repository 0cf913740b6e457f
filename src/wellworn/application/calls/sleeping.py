"""Lets spaces sleep: a large open one by a job, which makes way for calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from wellworn.application.calls.activity import build_pause
from wellworn.application.calls.guard import CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Mode, Role, upkeep_access
from wellworn.domain.thoughts import Rest
from wellworn.engines.jobs import JobRun, Jobs

SLEEP_JOB: Final = "sleep"


class SleepCoordinator:
    """Lets spaces sleep, by jobs where a server runs them.

    A sealed space sleeps where its key is: in the call that asks for it, and by the upkeep of the
    spaces that are open.
    """

    def __init__(self, guard: CallGuard) -> None:
        self._guard = guard
        self._jobs: Jobs | None = None

    def begin(self, jobs: Jobs) -> None:
        """Let large open spaces sleep by jobs from now on; for the one server of a data folder."""
        jobs.register(SLEEP_JOB, self._run)
        self._jobs = jobs
        self._guard.pool.shared.thoughts.sleeper.hand_over = self._submit

    def sleep(self, access: Access, *, dry_run: bool, limit: int) -> Rest:
        """Let a space sleep, a large open one in the background; return what it did, or would do.

        Raises:
            Forbidden: a reader asks for it.
        """
        with self._guard.call(access, Action.THOUGHT_LISTED, Role.CONTRIBUTOR) as call:
            thoughts, at = call.services.thoughts, call.access
            is_large = thoughts.topics.is_large(at)
            if not dry_run and self._jobs and at.mode is not Mode.SEALED and is_large:
                self._submit(at.space)
                rest = replace(thoughts.sleeper.tell(at, limit=limit), is_waiting=True)
            else:
                rest = thoughts.sleeper.sleep(at, dry_run=dry_run, limit=limit)
            call.touch(rest.list_shown())
            return rest

    def _submit(self, space: str) -> None:
        """Queue the sleep of a space, unless it is queued or under way."""
        if self._jobs is not None:
            self._jobs.submit(SLEEP_JOB, space)

    def _run(self, run: JobRun) -> None:
        """Let the space of a job sleep; after a crash it goes on with what is not done yet."""
        sleeper = self._guard.pool.shared.thoughts.sleeper
        access, pause = upkeep_access(run.key), build_pause(run, self._guard.activity)
        with self._guard.pool.confine(access):
            sleeper.sleep(access, pause=pause)
