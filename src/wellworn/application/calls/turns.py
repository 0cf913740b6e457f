"""Turns: asked and read by callers, and resumed after the process that worked on them died."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Final

from wellworn.application.calls.guard import CallContext, CallGuard
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Access, Role, local_access
from wellworn.domain.turns import (
    Claim,
    DailyMetrics,
    Evidence,
    IndexedResearch,
    Listener,
    Phase,
    RecordedEntry,
    SiteRecord,
    Turn,
    TurnAnswer,
    TurnQuery,
    TurnRecorder,
)
from wellworn.engines.jobs import DueJob, JobRun, Jobs, JobStopped
from wellworn.engines.slots import CallerSlots
from wellworn.errors import (
    DiskFull,
    HeldElsewhere,
    IndexUnavailable,
    InvalidInput,
    SpaceLocked,
    StorageUnavailable,
    TurnNotFound,
)

TURN_JOB: Final = "turn"
MOST_OF_A_READER: Final = 100
"""Turns that are stored of a reader, who may store nothing else and remove nothing."""


class TurnCoordinator:
    """Calls about turns; each passes the guard like every other call into a space."""

    def __init__(
        self,
        guard: CallGuard,
        is_member: Callable[[str], bool],
        confirm: Callable[[Access], None],
    ) -> None:
        """Begin without turns.

        Args:
            guard: what each call passes.
            is_member: tells members from labels of agents at the open door.
            confirm: refuses who may not do any more what they came for.
        """
        self.slots = CallerSlots("turns")
        self._guard = guard
        self._is_member = is_member
        self._confirm = confirm
        self._running = 0
        self._lock = Lock()

    @property
    def is_busy(self) -> bool:
        """Tell whether a turn is being worked on; it is also when nobody waits for it."""
        return self._running > 0

    def ask(self, access: Access, query: TurnQuery, notify: Listener | None = None) -> TurnAnswer:
        """Work on a new turn to its end; one that was asked under the same key is gone on with.

        On a full disk the answer is given, and no turn is stored. A reader's takes the place of the
        oldest once there are many.

        Raises:
            TurnNotFound: the turn to go on from is not there.
            InvalidInput: something else was asked under the key.
            StorageUnavailable: its files could not be written; it can be resumed.
        """
        with self._running_turn(), self._guard.call(access, Action.TURN_ASKED) as call:
            try:
                turn = call.services.turns.open(call.access, query)
            except DiskFull:
                return call.services.turns.answer_unkept(call.access, query, notify)
            call.touch([turn.id])
            answer = self._work(call, turn, notify, waits=query.key is not None)
            if not call.access.role.allows(Role.CONTRIBUTOR):
                call.services.turns.remove_oldest(call.access, MOST_OF_A_READER)
            return answer

    def resume(self, access: Access, turn_id: str, notify: Listener | None = None) -> TurnAnswer:
        """Work on an interrupted turn from its last finished phase; return one that is over.

        Only its member does, as it finds what its worker may see.

        Raises:
            TurnNotFound: there is none, or it is another member's.
            InvalidInput: it is being worked on.
        """
        targets = [turn_id]
        with (
            self._running_turn(),
            self._guard.call(access, Action.TURN_ASKED, targets=targets) as call,
        ):
            turn = call.services.turns.get(call.access, turn_id)
            if turn.status.is_over:
                return call.services.turns.read_answer(call.access, turn_id)
            turn = call.services.turns.get(call.access, turn_id, is_written=True)
            return self._work(call, turn, notify)

    def _work(
        self, call: CallContext, turn: Turn, notify: Listener | None, *, waits: bool = False
    ) -> TurnAnswer:
        check = partial(self._guard.pool.check_unhurried, call.access)
        notify = self._watch(call.access, notify)
        return call.services.turns.work(call.access, turn, notify, waits=waits, check=check)

    def _watch(self, access: Access, notify: Listener | None) -> Listener:
        """Let no phase begin for somebody who has lost the right to it meanwhile."""

        def tell(phase: Phase, attempt: int, section: str | None) -> None:
            if section is None:
                self._confirm(access)
            if notify is not None:
                notify(phase, attempt, section)

        return tell

    @contextmanager
    def _running_turn(self) -> Generator[None]:
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1

    def open(self, access: Access, query: TurnQuery) -> Turn:
        """Begin a turn that its agent works on by itself; raises as `TurnRecorder.open`."""
        with self._guard.call(access, Action.TURN_ASKED, Role.CONTRIBUTOR) as call:
            turn = TurnRecorder(call.services.turns).open(call.access, query)
            call.touch([turn.id])
            return turn

    def append(
        self,
        access: Access,
        turn_id: str,
        entries: Sequence[RecordedEntry],
        key: str | None = None,
    ) -> list[Evidence]:
        """Keep what an agent did in its open turn; raises as `TurnRecorder.append`."""
        with self._guard.call(
            access, Action.TURN_ASKED, Role.CONTRIBUTOR, targets=[turn_id]
        ) as call:
            return TurnRecorder(call.services.turns).append(call.access, turn_id, entries, key)

    def close(self, access: Access, turn_id: str, text: str, claims: Sequence[Claim]) -> TurnAnswer:
        """End an agent's open turn with its answer; raises as `TurnRecorder.close`."""
        with self._guard.call(
            access, Action.TURN_ASKED, Role.CONTRIBUTOR, targets=[turn_id]
        ) as call:
            return TurnRecorder(call.services.turns).close(call.access, turn_id, text, claims)

    def read(self, access: Access, turn_id: str) -> TurnAnswer:
        """Return what a turn ended in, or how far it is."""
        with self._guard.call(access, Action.TURN_READ, targets=[turn_id]) as call:
            return call.services.turns.read_answer(call.access, turn_id)

    def list_turns(
        self,
        access: Access,
        *,
        agent_id: str | None = None,
        limit: int = 20,
        before: str | None = None,
        is_archived: bool = False,
    ) -> list[Turn]:
        """Return turns, newest first: a member's own, or at the open door those of a label.

        `before` is the id of a turn after which the list goes on.

        Raises:
            TurnNotFound: that one is not there.
        """
        with self._guard.call(access, Action.TURN_READ) as call:
            turns = call.services.turns
            moment = turns.get(call.access, before).created_at if before else None
            item = turns.list_turns(
                call.access, agent_id=agent_id, limit=limit, before=moment, is_archived=is_archived
            )
            call.touch(turn.id for turn in item)
        return item

    def list_research(
        self, access: Access, *, agent_id: str | None, topic: str | None, limit: int
    ) -> list[tuple[IndexedResearch, str]]:
        """Return research documents and their states, newest first, of whom `list_turns` lists."""
        with self._guard.call(access, Action.TURN_READ) as call:
            library = call.services.turns.library
            user_id = call.access.owner or agent_id
            documents = library.list_documents(call.access, user_id, topic=topic, limit=limit)
            return [(each, library.find_state(each).value) for each in documents]

    def read_statistics(
        self, access: Access, *, agent_id: str | None, days: int
    ) -> tuple[list[DailyMetrics], dict[str, SiteRecord]]:
        """Return what the turns of the newest days came to, and how visits to sites went."""
        with self._guard.call(access, Action.TURN_READ) as call:
            turns = call.services.turns
            user_id = call.access.owner or agent_id
            newest = turns.list_days(call.access, agent_id=agent_id, limit=days)
            return newest, turns.library.list_sites(call.access, user_id)

    def list_files(self, access: Access, turn_id: str) -> list[str]:
        """Return the paths of a turn's files, relative to its folder."""
        with self._guard.call(access, Action.TURN_READ, targets=[turn_id]) as call:
            return call.services.turns.list_files(call.access, turn_id)

    def read_file(self, access: Access, turn_id: str, path: str) -> str:
        """Return one file of a turn."""
        with self._guard.call(access, Action.TURN_READ, targets=[turn_id]) as call:
            return call.services.turns.read_file(call.access, turn_id, path)

    def remove(self, access: Access, turn_id: str) -> None:
        """Remove a turn with its files."""
        with self._guard.call(
            access, Action.TURN_REMOVED, Role.CONTRIBUTOR, targets=[turn_id]
        ) as call:
            call.services.turns.remove(call.access, turn_id)

    def archive(
        self, access: Access, *, agent_id: str | None, before: float, dry_run: bool = False
    ) -> list[Turn]:
        """Archive the turns that ended before a moment, of whom `list_turns` lists; return them.

        Raises:
            StorageUnavailable: files could not be written; archive them again.
        """
        with self._guard.call(access, Action.TURN_ARCHIVED, Role.CONTRIBUTOR) as call:
            archive = call.services.turns.archive
            due = archive.list_due(call.access, call.access.owner or agent_id, before)
            if not dry_run:
                archive.archive(call.access, due)
                call.touch(turn.id for turn in due)
            return due

    def restore(self, access: Access, turn_id: str) -> Turn:
        """Move a turn out of the archive; one that is not there is returned as it is.

        Raises:
            TurnNotFound: there is none, or it is another member's.
        """
        with self._guard.call(
            access, Action.TURN_ARCHIVED, Role.CONTRIBUTOR, targets=[turn_id]
        ) as call:
            turns = call.services.turns
            turn = turns.get(call.access, turn_id, is_written=True)
            return turns.archive.restore(call.access, turn)

    def rebuild_index(self, access: Access) -> int:
        """Make the index of the space's turns again from their files; return how many there are."""
        with self._guard.call(access, Action.TURN_REMOVED, Role.ADMIN) as call:
            return call.services.turns.indexer.rebuild(call.access)

    def begin(self, jobs: Jobs) -> None:
        """Resume what the last process left, by jobs; for the one server of a data folder."""
        turns = self._guard.pool.shared.turns
        turns.mark_interrupted()
        jobs.register(TURN_JOB, self._run, self._give_up)
        jobs.add_planner(self._list_due)

    def _list_due(self, _moment: datetime) -> list[DueJob]:
        """Return the interrupted turns of those who are no members.

        A member's turn waits for its member: nobody else may see what that member may see. One that
        was given up waits for somebody to resume it.
        """
        return [
            DueJob(TURN_JOB, f"{space}:{turn.id}", f"resume-{turn.number}")
            for space, turn in self._guard.pool.shared.turns.list_interrupted()
            if not turn.is_given_up and not self._is_member(turn.user_id)
        ]

    def _run(self, run: JobRun) -> None:
        space, _, turn_id = run.key.partition(":")
        try:
            with suppress(TurnNotFound):
                self.resume(local_access(space), turn_id)
        except (
            HeldElsewhere,
            IndexUnavailable,
            InvalidInput,
            SpaceLocked,
            StorageUnavailable,
        ) as error:
            # Its asker or another server works on it, its space is changed, the server ends or the
            # disk is full: it is tried again later.
            raise JobStopped from error

    def _give_up(self, key: str, reason: str) -> None:
        """Write into a turn that no job resumes it any more."""
        space, _, turn_id = key.partition(":")
        access = local_access(space)
        with (
            suppress(TurnNotFound),
            self._guard.call(access, Action.TURN_ASKED, targets=[turn_id]) as call,
        ):
            call.services.turns.give_up(call.access, turn_id, reason)
