"""Sorts large spaces into topics by jobs, which make way for calls."""

from __future__ import annotations

from typing import Final

from wellworn.application.calls.activity import build_pause
from wellworn.application.calls.guard import CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Mode, Role, upkeep_access
from wellworn.domain.thoughts.topics import TopicOverview
from wellworn.engines.jobs import JobRun, Jobs

TOPIC_JOB: Final = "topics"


class TopicCoordinator:
    """Has the spaces sorted, by jobs where a server runs them.

    A sealed space is sorted where its key is: in the call that asks for it, and by the upkeep of
    the spaces that are open.
    """

    def __init__(self, guard: CallGuard) -> None:
        self._guard = guard
        self._jobs: Jobs | None = None

    def begin(self, jobs: Jobs) -> None:
        """Sort large open spaces by jobs from now on; for the one server of a data folder."""
        jobs.register(TOPIC_JOB, self._run)
        self._jobs = jobs
        self._guard.pool.shared.thoughts.topics.hand_over = self._submit

    def sort(self, access: Access) -> TopicOverview:
        """Sort a space again, a large open one in the background; return its topics as they are.

        Raises:
            Forbidden: a reader asks for it.
        """
        with self._guard.call(access, Action.THOUGHT_LISTED, Role.CONTRIBUTOR) as call:
            thoughts, space = call.services.thoughts, call.access.space
            is_large = thoughts.topics.is_large(call.access)
            if self._jobs is not None and call.access.mode is not Mode.SEALED and is_large:
                self._submit(space)
            else:
                thoughts.topics.sort(space)
            found = thoughts.topic_browser.list_topics(call.access)
            call.touch(found.list_shown())
            return found

    def _submit(self, space: str) -> None:
        """Queue the sorting of a space, unless it is queued or under way."""
        if self._jobs is not None:
            self._jobs.submit(TOPIC_JOB, space)

    def _run(self, run: JobRun) -> None:
        """Sort the space of a job; after a crash it begins again, for nothing of it was stored."""
        pause = build_pause(run, self._guard.activity)
        with self._guard.pool.confine(upkeep_access(run.key)):
            self._guard.pool.shared.thoughts.topics.sort(run.key, pause)
