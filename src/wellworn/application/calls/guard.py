"""Every call into a space passes here: its role, its services, its line in the audit trail.

Calls at the open door are not written down: the one there owns the machine and the trail. The line
is written after the call and before its answer, whatever came of it.

Over MCP, where agents read, ids of thoughts are short, as git shows its commits: a full id is
sixteen tokens or more. What programs read has full ids. Agents and people may give the beginning of
an id in its place, which is completed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar, cast

from wellworn.application.calls.activity import CallActivity
from wellworn.application.calls.audit_names import FRAME, audit_actor
from wellworn.application.calls.feed import Feed, SpaceEvent
from wellworn.application.calls.pool import SpacePool
from wellworn.application.calls.space_services import SpaceServices
from wellworn.domain.audit import OK, Action, Audit
from wellworn.domain.spaces import Access, Role
from wellworn.engines.safety import tally_secrets
from wellworn.engines.storage.sql import split_into_batches
from wellworn.errors import InvalidInput, NotFound, WellwornError
from wellworn.kit.clock import Clock
from wellworn.kit.ids import canonical_id, validate_beginning

_Answer = TypeVar("_Answer")
_OVER: Final = object()

MOST_TARGETS = 100
"""Ids named in one line of the trail; the count is always complete."""

_MOST_KINDS = 14
"""Kinds of secrets counted in one line, beside their sum and the frame."""

_STORING = frozenset(
    {
        Action.MEMORY_REMEMBERED,
        Action.IMPORT_MADE,
        Action.KNOWLEDGE_DECIDED,
        Action.PRACTICE_STORED,
        Action.SOURCE_CREATED,
    }
)
"""Actions that may be a space's first to store something."""

_OF_QUARANTINE = frozenset({Action.QUARANTINE_HELD, Action.QUARANTINE_DROPPED})
_CURATING = frozenset(
    {
        Action.THOUGHT_ENDED,
        Action.THOUGHT_MERGED,
        Action.MEMORY_FORGOTTEN,
        Action.QUARANTINE_RELEASED,
    }
)
"""Calls that change many thoughts at once, each of which is to be named."""
_SHOWING = frozenset({Action.THOUGHT_READ, Action.THOUGHT_LISTED})
"""Calls that show the thoughts that they name, and write that down nowhere else."""

_OF_DOCUMENTS = frozenset(
    action for action in Action if action.startswith(("document.", "knowledge.", "source."))
) - {Action.SOURCE_CREATED}
"""Calls about documents that are there."""


@dataclass(slots=True)
class CallContext:
    """One call into a space: the services it may use, what it did, and to which ids."""

    services: SpaceServices
    access: Access
    action: Action
    targets: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    effects: list[tuple[Action, list[str]]] = field(default_factory=list[tuple[Action, list[str]]])
    """Other effects of the call, each with a line of its own, and to which ids."""
    said: list[str] = field(default_factory=list[str])
    """Thoughts that the call stored, or that were said again, and that everybody may see."""
    made_project: bool = False
    """Whether the call was the first to store something in a project."""

    def touch(self, ids: Iterable[str]) -> None:
        """Name what the call read or wrote, each once."""
        self.targets += dict.fromkeys(ids)

    def note_named(self, replaces: Sequence[str], source_ids: Sequence[str]) -> None:
        """Name and count the thoughts that the call said are replaced or built on."""
        for name, ids in (("replaces", replaces), ("source_ids", source_ids)):
            if ids:
                self.counts[name] = len(set(ids))
                self.touch(named for named in ids if named not in self.targets)

    def hold(self, ids: Iterable[str]) -> None:
        """Name thoughts that the call put into quarantine."""
        if targets := list(ids):
            self.effects.append((Action.QUARANTINE_HELD, targets))


class CallGuard:
    """Lets calls into spaces and records them in the audit trail."""

    def __init__(self, pool: SpacePool, audit: Audit, clock: Clock) -> None:
        self.pool = pool
        self.audit = audit
        self.feed = Feed(clock)
        self.activity = CallActivity()
        self.thought_ids = ThoughtIds(pool)

    @contextmanager
    def call(
        self,
        access: Access,
        action: Action,
        role: Role = Role.READER,
        *,
        targets: Iterable[str] = (),
    ) -> Generator[CallContext]:
        """Yield the services of the space to a caller who has the role in it.

        A call from a project may be about the shared space: about a thought of it, or about
        documents as long as the project has none.

        Raises:
            Forbidden: the role is too small.
            SpaceLocked: the space is sealed and the credential cannot unlock it.
            HeldElsewhere: the space is sealed, and open at another server.
        """
        targets = [*targets]
        services, access = self.pool.enter(self._choose_space(access, action, targets))
        call = CallContext(services, access, action, targets)
        stay = ExitStack()
        if action is Action.EXPORT_MADE:
            # Its reader confirms the access for each part of it, and may go on in another thread.
            stay.enter_context(self.pool.export(access))
        else:
            stay.callback(self.pool.leave, access)
            stay.enter_context(self.pool.confine(access))
        outcome = WellwornError.code
        with self.activity.track(action), tally_secrets() as secrets:
            try:
                access.require(role)
                yield call
                self._complete(call)
                outcome = OK
            except WellwornError as error:
                outcome = error.code
                raise
            except GeneratorExit:
                # The reader of a stream broke it off; what was read was given.
                outcome = OK
                raise
            finally:
                stay.close()
                self._write_down(call, outcome, secrets)

    def read_stepwise(self, access: Access, records: Iterator[_Answer]) -> Iterator[_Answer]:
        """Yield what is read in a call, each in the thread that asks for it, and no more there."""
        while True:
            with self.pool.confine(access):
                record = next(records, _OVER)
            if record is _OVER:
                return
            yield cast("_Answer", record)

    def _choose_space(self, access: Access, action: Action, targets: Sequence[str]) -> Access:
        """Return the access to the space that a call is about, with what others changed there."""
        self.pool.shared.database.catch_up()
        if access.shared is not None and self._is_shared(access, access.shared, action, targets):
            return access.shared
        return access

    def _describe(self, call: CallContext) -> Iterator[SpaceEvent]:
        """Yield what a call tells those who watch its space, if anybody does."""
        if not self.feed.is_watched(call.access.space):
            return

        def is_held(thought_id: str) -> bool:
            with suppress(NotFound):
                return call.services.thoughts.is_held(call.access, thought_id)
            return False

        hidden = [each for action, ids in call.effects if action in _OF_QUARANTINE for each in ids]
        yield from self.feed.describe(
            call.action, call.targets, said=call.said, hidden=hidden, is_held=is_held
        )

    def _complete(self, call: CallContext) -> None:
        """Write down what a call showed that is written down nowhere else, and make its project."""
        if call.action in _SHOWING:
            call.services.thoughts.sightings.note(call.access, call.targets)
        if call.action in _STORING or call.counts.get("contributed"):
            call.made_project = self.pool.create_project(call.access)
        self.feed.publish(call.access.space, self._describe(call))

    def _is_shared(
        self, access: Access, shared: Access, action: Action, targets: Sequence[str]
    ) -> bool:
        services = self.pool.shared
        with self.pool.confine(access):
            if action in _OF_DOCUMENTS:
                return not services.sources.list_sources(access)
            has = services.thoughts.searcher.has
            return any(has(shared, target) and not has(access, target) for target in targets)

    def _write_down(self, call: CallContext, outcome: str, secrets: Counter[str]) -> None:
        if call.access.credential is None:
            return
        by = audit_actor(call.access)
        frame = {} if call.services.seal is None else {FRAME: call.services.seal.frame()}

        def note(action: Action, ids: Sequence[str], counts: Mapping[str, int]) -> None:
            self.audit.note(
                call.access.space,
                action,
                by=by,
                targets=ids[:MOST_TARGETS],
                outcome=outcome,
                details={**counts, **frame},
            )

        note(call.action, call.targets, {"touched": len(call.targets), **call.counts})
        if call.action in _CURATING:
            for rest in split_into_batches(call.targets[MOST_TARGETS:], MOST_TARGETS):
                note(call.action, rest, {"touched": len(rest)})
        for action, ids in call.effects:
            note(action, ids, {"touched": len(ids)})
        if secrets:
            note(Action.SECRET_REDACTED, (), _secret_counts(secrets))


def _secret_counts(secrets: Counter[str]) -> dict[str, int]:
    """Return how many secrets there were, and of which kinds; never what they were."""
    kinds = {kind.replace("-", "_"): count for kind, count in secrets.most_common(_MOST_KINDS)}
    return {"secrets": secrets.total(), **kinds}


def read_either(access: Access, read: Callable[[Access], _Answer]) -> _Answer:
    """Return what is read in the space, or in the shared one where a project does not have it."""
    try:
        return read(access)
    except NotFound:
        if access.shared is None:
            raise
        return read(access.shared)


_SHORT = 8
_MOST_NAMED = 20
_THOUGHT = "thought:"


class ThoughtIds:
    """Beginnings of ids, unique in what a caller reads: a space, and the shared one of a project.

    Nothing is written down, as the call is that an id is for.
    """

    def __init__(self, pool: SpacePool) -> None:
        self._pool = pool

    def complete(self, access: Access, beginning: str) -> str:
        """Return the id that begins so; what begins none as it is, for the call to refuse.

        Raises:
            InvalidInput: several ids begin so.
        """
        if canonical_id(beginning):
            return beginning
        with self._open(access) as find:
            ids = find(beginning, limit=_MOST_NAMED)
        if len(ids) > 1:
            message = f"the ids of several thoughts begin so, give one whole: {', '.join(ids)}"
            raise InvalidInput(message)
        return ids[0] if ids else beginning

    def complete_place(self, access: Access, place: str) -> str:
        """Return a place with its full id if it is a thought: an id, or `thought:` and an id.

        Raises:
            InvalidInput: several ids begin so.
        """
        kind = _THOUGHT if place.startswith(_THOUGHT) else ""
        try:
            return kind + self.complete(access, validate_beginning(place.removeprefix(kind)))
        except ValueError:
            return place

    def shorten(self, access: Access, thought_ids: Iterable[str]) -> dict[str, str]:
        """Return by id what shows it: its first 8 characters, all of it where others begin so."""
        with self._open(access) as find:
            return {
                whole: whole if len(find(whole[:_SHORT], limit=2)) > 1 else whole[:_SHORT]
                for whole in thought_ids
            }

    def shorten_places(self, access: Access, places: Iterable[str]) -> dict[str, str]:
        """Return by place what shows it, where it is a thought: its id, with `thought:` or not."""
        ids = {place: place.removeprefix(_THOUGHT) for place in places}
        thoughts = {place: whole for place, whole in ids.items() if canonical_id(whole)}
        names = self.shorten(access, set(thoughts.values()))
        return {
            place: place.removesuffix(whole) + names[whole] for place, whole in thoughts.items()
        }

    @contextmanager
    def _open(self, access: Access) -> Generator[Callable[..., list[str]]]:
        with self._pool.use(access) as (services, proven):
            yield partial(services.thoughts.searcher.find_ids, proven)
