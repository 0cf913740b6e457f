"""The services of each space while it is in use.

All open spaces share services, over the database and the vector engine. A sealed space has services
of its own, in this process's memory alone, made when a member with a key calls and dropped when
nobody has called for a while. Both run the same code.

Source: `docs/adr/0013-sealed-spaces.md`.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace

from wellworn.application.calls.audit_names import FRAME, audit_actor, count_losses
from wellworn.application.calls.space_services import SpaceServices
from wellworn.domain.audit import Action, Actor, Audit
from wellworn.domain.spaces import (
    DEFAULT_SPACE,
    Access,
    Mode,
    Role,
    Spaces,
    SpaceSettings,
    UnlockedSpace,
    upkeep_access,
)
from wellworn.domain.spaces import space_locked as refuse_locked
from wellworn.engines.embedding import Pace
from wellworn.errors import (
    HeldElsewhere,
    IndexUnavailable,
    SpaceLocked,
    StorageUnavailable,
    Tampered,
    WellwornError,
)
from wellworn.kit.clock import Clock

# Of several servers, one does this in the open spaces.
_EMBEDDING, _UPKEEP = "embedding", "upkeep"
_OPEN_ELSEWHERE = (
    "this sealed space is open at another server of this database: send its calls there, or again"
    " when nobody has used it there for a while"
)
_GRACE_S = 1.0
_LONGEST_CALL_S = 30.0
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _OpenSpace:
    """A sealed space in use; `roles` are those who have shown a key to its epoch."""

    services: SpaceServices
    epoch: int
    used_at: float
    callers: int = 0
    roles: dict[str, Role] = field(default_factory=dict[str, Role])


class SpacePool:
    """The services of the open spaces, and those of each sealed space in use."""

    def __init__(
        self,
        shared: SpaceServices,
        spaces: Spaces,
        clock: Clock,
        settings: SpaceSettings,
        *,
        audit: Audit,
        unseal: Callable[[UnlockedSpace], SpaceServices],
    ) -> None:
        self.shared = shared
        self._spaces = spaces
        self._clock = clock
        self._settings = settings
        self._audit = audit
        self._unseal = unseal
        self._open: dict[str, _OpenSpace] = {}
        self._shutting: set[str] = set()
        self._hurried: set[str] = set()
        self._exports: Counter[str] = Counter()
        self._in_shared: Counter[str] = Counter()
        self._no_more_shared: set[str] = set()
        self._projects: set[str] = set()
        self._left_behind: set[str] = set()
        # One for each space: opening a large one keeps nobody out of another.
        self._guards: dict[str, threading.Condition] = {}

    def enter(self, access: Access) -> tuple[SpaceServices, Access]:
        """Return the services of a space and the access with its proven role; leave it afterwards.

        Raises:
            SpaceLocked: the space is sealed and the caller's credential cannot unlock it.
            HeldElsewhere: it is open at another server.
            Tampered: what is stored of the space is not as it was written.
        """
        if access.mode is not Mode.SEALED:
            self._enter_shared(access)
            return self.shared, access
        credential = access.credential
        if credential is None or credential.kid is None or credential.kek is None:
            raise refuse_locked()
        guard = self._guard(access.space)
        with guard:
            guard.wait_for(lambda: access.space not in self._shutting)
            entry = self._usable(access.space)
            if entry is None or credential.kid not in entry.roles:
                entry = self._unlock(access, credential.kid, entry)
            entry.used_at = self._clock.now()
            entry.callers += 1
            role = access.role.limit_to(entry.roles[credential.kid])
            hours = self._spaces.policies.find_hours(access.space)
        return entry.services, replace(access, role=role, unconfirmed_hours=hours)

    def leave(self, access: Access) -> None:
        """Say that a call in the space is over."""
        if access.space == DEFAULT_SPACE:
            return
        guard = self._guard(access.space)
        with guard:
            if access.mode is not Mode.SEALED:
                self._in_shared[access.space] -= 1
            elif entry := self._open.get(access.space):
                entry.callers = max(0, entry.callers - 1)
            guard.notify_all()

    def confine(self, access: Access) -> AbstractContextManager[None]:
        """Let what this thread reads and writes be of the spaces of a call alone."""
        return self.shared.database.confine(access.spaces)

    @contextmanager
    def use(self, access: Access) -> Generator[tuple[SpaceServices, Access]]:
        """Yield what `enter` returns, confined to the space, and leave it afterwards.

        Raises:
            SpaceLocked, HeldElsewhere, Tampered: see `enter`.
        """
        services, proven = self.enter(access)
        try:
            with self.confine(proven):
                yield services, proven
        finally:
            self.leave(access)

    @contextmanager
    def export(self, access: Access) -> Generator[None]:
        """Let a call that lasts as long as its reader likes hold up no change of its space.

        It goes on until it finds the space closed; a space is not closed as unused meanwhile.
        """
        self.leave(access)
        guard = self._guard(access.space)
        with guard:
            self._exports[access.space] += 1
        try:
            yield
        finally:
            with guard:
                self._exports[access.space] -= 1

    def check_unhurried(self, access: Access) -> None:
        """Go on with a call that may take long, unless a change of its space waits for it.

        Raises:
            SpaceLocked: it does.
        """
        if access.space in self._hurried:
            raise SpaceLocked("the space is being changed; send it again afterwards")

    def _enter_shared(self, access: Access) -> None:
        """Note a call in an open space, unless the space was sealed since the call came."""
        if access.space == DEFAULT_SPACE:
            return
        guard = self._guard(access.space)
        with guard:
            guard.wait_for(lambda: access.space not in self._shutting)
            if access.space in self._no_more_shared:
                message = "the space changed during the call; send it again"
                raise SpaceLocked(message)
            self._in_shared[access.space] += 1

    def create_project(self, access: Access) -> bool:
        """Make the space of a project, if the access is to one; tell whether it was made now."""
        if not access.in_project or access.space in self._projects:
            return False
        is_new = self._spaces.create_project(access.space)
        self._projects.add(access.space)
        return is_new

    def is_open(self, space: str) -> bool:
        """Tell whether a sealed space is in this process's memory."""
        return space in self._open

    @property
    def has_left_behind(self) -> bool:
        """Tell whether this process's memory may hold what was in a space that is locked now."""
        return bool(self._left_behind)

    @contextmanager
    def move_from_shared(self, access: Access) -> Generator[None]:
        """Keep an open space shut; unless the block fails, no call that came before gets in.

        A project is made again by the next to store something there.
        """
        with self.close_for(access.space):
            yield
            self._projects.discard(access.space)
            self._left_behind.add(access.space)
            if not access.in_project:
                self._no_more_shared.add(access.space)

    def let_in(self, space: str) -> None:
        """Let calls into an open space again that was sealed before."""
        self._no_more_shared.discard(space)

    @contextmanager
    def close_for(self, space: str) -> Generator[None]:
        """Close a sealed space after the calls in it; new calls wait until the block ends.

        Those that may take long are told to end.

        Raises:
            HeldElsewhere: it is open at another server.
        """
        guard = self._guard(space)
        with guard:
            guard.wait_for(lambda: space not in self._shutting)
            self._shutting.add(space)
        try:
            with guard:
                if not guard.wait_for(lambda: not self._has_callers(space), _GRACE_S):
                    self._hurried.add(space)
                    guard.wait_for(lambda: not self._has_callers(space), _LONGEST_CALL_S)
                self._close(space)
            self._take_lease(space)
            try:
                yield
            finally:
                self._end_lease(space)
        finally:
            with guard:
                self._shutting.discard(space)
                self._hurried.discard(space)
                guard.notify_all()

    def close_idle(self) -> None:
        """Close the sealed spaces that nobody has used for a while; tidy up in the others."""
        since = self._clock.now() - self._settings.idle_s
        with ExitStack() as visits:
            for space in list(self._open):
                visits.callback(self._close_idle, space, since)

    def _close_idle(self, space: str, since: float) -> None:
        self._close_unused(space, since)
        if entry := self._open.get(space):
            # It may be closed at any time; then there is nothing left to tidy up.
            with suppress(StorageUnavailable):
                entry.services.database.scrub_if_due()

    def embed_pending(self, pace: Pace, most: int) -> int:
        """Embed up to `most` waiting units of each kind and service; return how many these were.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the rest waits.
        """
        counts: list[int] = []
        database = self.shared.database

        def embed(services: SpaceServices) -> None:
            for waiting in services.unembedded:
                if not (units := waiting.list_pending(most)):
                    continue
                if services is not self.shared or database.take_lease(_EMBEDDING):
                    waiting.embed(units, pace)
                    counts.append(len(units))

        goes_on = False
        try:
            self.visit_all(embed, IndexUnavailable, everywhere=True)
            goes_on = bool(counts)
        finally:
            if not goes_on:  # Where it fails here, it may not at another server.
                database.end_lease(_EMBEDDING)
        return sum(counts)

    @property
    def keeps_open_spaces(self) -> bool:
        """Tell whether this server, of several, does what is due in the open spaces."""
        return self.shared.database.take_lease(_UPKEEP)

    def visit_all(
        self,
        work: Callable[[SpaceServices], object],
        *closed: type[WellwornError],
        everywhere: bool = False,
    ) -> None:
        """Do something with all services; `closed` is how those fail that close meanwhile.

        What fails otherwise is raised after the last: none keeps the others from it. Of several
        servers one visits the open spaces, unless each must, `everywhere`.
        """

        def visit(services: SpaceServices) -> None:
            # It may be closed at any time; then there is nothing left to do.
            with suppress(StorageUnavailable, *closed):
                work(services)

        with ExitStack() as visits:  # the last first
            for entry in reversed(self._open.copy().values()):
                visits.callback(visit, entry.services)
            if everywhere or self.keeps_open_spaces:
                visits.callback(work, self.shared)

    def close_all(self) -> None:
        """Close every sealed space, calls or not."""
        for space in list(self._open):
            with self._guard(space):
                self._close(space)

    def _guard(self, space: str) -> threading.Condition:
        return self._guards.setdefault(space, threading.Condition())

    def _has_callers(self, space: str) -> bool:
        entry = self._open.get(space)
        return self._in_shared[space] > 0 or (entry is not None and entry.callers > 0)

    def _usable(self, space: str) -> _OpenSpace | None:
        entry = self._open.get(space)
        has_lease = self.shared.database.has_lease
        if entry is not None and (entry.services.is_over or not has_lease(_lease(space))):
            self._close(space)
            return None
        return entry

    def _unlock(self, access: Access, kid: str, entry: _OpenSpace | None) -> _OpenSpace:
        by = audit_actor(access)
        try:
            unlocked = self._spaces.unlock(access)
            if entry is not None and entry.epoch != unlocked.epoch:
                self._close(access.space)
                entry = None
            if entry is None:
                entry = self._open_sealed(unlocked, by)
            else:
                unlocked.data_key.wipe()
        except WellwornError as error:
            self._audit.note(access.space, Action.SPACE_OPENED, by=by, outcome=error.code)
            raise
        # What the credential reaches was proven by opening its keys; a table may change later.
        entry.roles[kid] = unlocked.role.limit_to(access.role)
        return entry

    def _open_sealed(self, unlocked: UnlockedSpace, by: Actor) -> _OpenSpace:
        self._make_way()
        self._take_lease(unlocked.space)
        try:
            services = self._unseal(unlocked)
        except BaseException:
            self._end_lease(unlocked.space)
            raise
        try:
            self._spaces.policies.settle(unlocked.space, services.database)
            self._audit.note(unlocked.space, Action.SPACE_OPENED, by=by, details=_frame(services))
        except WellwornError:
            services.close()
            self._end_lease(unlocked.space)
            raise
        opened = self._open[unlocked.space] = _OpenSpace(
            services, unlocked.epoch, self._clock.now()
        )
        self._left_behind.discard(unlocked.space)
        return opened

    def _make_way(self) -> None:
        surplus = len(self._open) + 1 - self._settings.most_open
        oldest = sorted((entry.used_at, space) for space, entry in self._open.copy().items())
        for used_at, space in oldest[: max(0, surplus)]:
            self._close_unused(space, used_at)

    def _close_unused(self, space: str, since: float) -> None:
        """Close a space without callers that nobody entered after `since`, unless it is busy."""
        guard = self._guard(space)
        if not guard.acquire(blocking=False):
            return
        try:
            entry = self._open.get(space)
            is_used = entry is not None and (entry.callers or self._exports[space])
            if entry is not None and not is_used and entry.used_at <= since:
                self._close(space)
                _log.info("a sealed space was closed because nobody used it")
        finally:
            guard.release()

    def _close(self, space: str) -> None:
        entry = self._open.pop(space, None)
        if entry is None:
            return
        frame = _frame(entry.services)
        entry.services.close()
        self._end_lease(space)
        self._left_behind.add(space)
        # The key is gone from memory whether that can be written down or not.
        server = Actor(upkeep_access(space).principal)
        try:
            self._audit.note(space, Action.SPACE_LOCKED, by=server, details=frame)
        except (StorageUnavailable, Tampered):
            _log.exception("that a sealed space was locked could not be written down")

    def _take_lease(self, space: str) -> None:
        if not self.shared.database.take_lease(_lease(space)):
            raise HeldElsewhere(_OPEN_ELSEWHERE)

    def _end_lease(self, space: str) -> None:
        # A server that cannot be reached has ended it already.
        with suppress(StorageUnavailable):
            self.shared.database.end_lease(_lease(space))


def _lease(space: str) -> str:
    return f"space {space}"


def _frame(services: SpaceServices) -> dict[str, int]:
    seal = services.seal
    return {} if seal is None else {FRAME: seal.frame(), **count_losses(seal.loss)}
