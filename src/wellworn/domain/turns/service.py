"""Turns: asked, resumed, read, and found again.

The files of a user's turns are the record; the index in the database is derived from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Final

from wellworn.domain.spaces import DEFAULT_SPACE, Access, upkeep_access
from wellworn.domain.thoughts import Thoughts
from wellworn.domain.turns import store
from wellworn.domain.turns.answers import TurnAnswer, TurnQuery, begin_turn
from wellworn.domain.turns.archiving import TurnArchive
from wellworn.domain.turns.citing import cite_evidence, number_answer
from wellworn.domain.turns.context_document import ContextDocument
from wellworn.domain.turns.daily_metrics import DailyMetrics, read_days
from wellworn.domain.turns.erasure import TurnBusy, TurnErasure, TurnReservations
from wellworn.domain.turns.exchange import TurnExchange
from wellworn.domain.turns.files import UNKEPT, MemoryVault, Vault
from wellworn.domain.turns.gatherer import SpaceGatherer
from wellworn.domain.turns.index import MOST_LISTED, write_metadata
from wellworn.domain.turns.indexing import TurnIndexer, embed_turn
from wellworn.domain.turns.journal import JournalEnds, TurnJournal
from wellworn.domain.turns.models import Phase, Response, Turn, TurnStatus, format_folder
from wellworn.domain.turns.phases import saving
from wellworn.domain.turns.phases.saving import contribute_answer
from wellworn.domain.turns.pipeline import complete_document, run_phases
from wellworn.domain.turns.profile import UserProfiles
from wellworn.domain.turns.relocation import drop_stand_ins, mend_links
from wellworn.domain.turns.turn_run import Listener, TurnDependencies, TurnRun, ignore_progress
from wellworn.domain.turns.vaults import may_read_turns, may_write_turns
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput, TurnNotFound
from wellworn.kit.ids import derive_id, new_id

_MOST_REMOVED: Final = 100_000


class Turns:
    """The turns of the spaces of one database; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        gatherer: SpaceGatherer,
        thoughts: Thoughts,
        parts: TurnDependencies,
    ) -> None:
        self._database = database
        self._gatherer = gatherer
        self._thoughts = thoughts
        self._parts = parts
        self.clock = parts.clock
        self.library = gatherer.library
        self.vaults = self.library.vaults
        self.exchange = TurnExchange(self.vaults)
        self.indexer = TurnIndexer(
            database, self.library, self.exchange, gatherer.turn_vectors, parts.embedder
        )
        self.archive = TurnArchive(database, self.library, self.indexer, parts.clock)
        self._profiles = UserProfiles()
        self.reservations = TurnReservations(database)
        self._left = set[tuple[str, str]]()
        self.erasure = TurnErasure(
            database, self.exchange, self.indexer, self.reservations, parts.embedder
        )
        self.journal_ends = JournalEnds()

    def open(self, access: Access, query: TurnQuery) -> Turn:
        """Begin a turn: its number is taken and its query is stored.

        Raises:
            TurnNotFound: the turn to go on from is not there.
            StorageUnavailable: it could not be stored.
        """
        text = redact(query.text).text
        user_id = access.resolve_user(redact(query.agent_id).text)
        followed = self._find_followed(access, user_id, query.follows) if query.follows else None
        with self._database.write() as transaction:
            number = store.find_last_number(transaction, access, user_id) + 1
            kind = "key" if query.engine else "ask"
            turn_id = (
                derive_id("turn", access.space, user_id, f"{kind}:{query.key}")
                if query.key
                else new_id()
            )
            if query.key and (opened := store.find(transaction, access, turn_id)):
                if opened.query != text and not query.engine:
                    message = "the key of this call was used for another question; use a new one"
                    raise InvalidInput(message)
                return opened
            turn = self._begin(query, user_id, number, turn_id)
            if followed is not None:
                turn = replace(turn, follows=followed.number)
            store.add(transaction, access, turn)
        vault = self.vaults.create(access, user_id)
        drop_stand_ins(vault, turn.folder)
        write_metadata(vault, turn)
        return turn

    def answer_unkept(
        self, access: Access, query: TurnQuery, notify: Listener | None = None
    ) -> TurnAnswer:
        """Answer in a turn of which nothing is stored, as where the disk is full."""
        user_id = access.resolve_user(redact(query.agent_id).text)
        turn = self._begin(query, user_id, 0, new_id())
        run = self.open_run(access, turn, notify, MemoryVault())
        run_phases(run)
        answer = self._build_answer(run, saving.save(run, []))
        return replace(answer, text=f"{answer.text}\n\n{UNKEPT}")

    def _begin(self, query: TurnQuery, user_id: str, number: int, turn_id: str) -> Turn:
        turn = begin_turn(query, turn_id, now=self.clock.now(), engine=self._parts.engine.name)
        return replace(turn, user_id=user_id, number=number)

    def _find_followed(self, access: Access, user_id: str, turn_id: str) -> Turn:
        followed = self.get(access, turn_id)
        if followed.user_id != user_id:
            message = "the turn to go on from is another agent's; go on from one of your own"
            raise TurnNotFound(message)
        return followed

    def work(
        self,
        access: Access,
        turn: Turn,
        notify: Listener | None = None,
        *,
        waits: bool = False,
        check: Callable[[], None] = lambda: None,
    ) -> TurnAnswer:
        """Run what is left of a turn, and return what it ended in.

        Args:
            access: whose space it is in.
            turn: as it was read.
            notify: told of each phase.
            waits: whether to wait for somebody else who works on it.
            check: raises when the turn has to end; it can be resumed.

        Raises:
            InvalidInput: it is being worked on, or open to an agent of its own.
            StorageUnavailable: its files could not be written; it can be resumed.
        """
        if turn.status is TurnStatus.OPEN:
            message = "an agent of its own works on this turn; it is closed, not resumed"
            raise InvalidInput(message)
        with self.reservations.hold(access, turn.id, waits=waits):
            if waits and (turn := self.get(access, turn.id)).status.is_over:
                return self.read_answer(access, turn.id)
            try:
                run = self.open_run(access, self._note_running(access, turn), notify)
                run.obey(check)
                run_phases(run)
                return self.finish(run)
            except BaseException:
                with suppress(Exception), self._database.write() as transaction:
                    store.set_status(transaction, access, turn.id, TurnStatus.INTERRUPTED)
                with suppress(Exception):
                    self.erasure.erase_meanwhile(access, turn, self._thoughts)
                raise

    def _note_running(self, access: Access, turn: Turn) -> Turn:
        """Say of a turn that is resumed that it is worked on, and whose its files are."""
        self.vaults.create(access, turn.user_id)
        with self._database.write() as transaction:
            store.set_status(transaction, access, turn.id, TurnStatus.RUNNING)
        return replace(turn, status=TurnStatus.RUNNING)

    def finish(self, run: TurnRun) -> TurnAnswer:
        """Save what a turn ended in, and return it."""
        access, turn = run.access, run.turn
        run.notify(Phase.SAVING, 1, None)
        with self._database.read() as transaction:
            recent = store.list_newest(transaction, access, turn.user_id, limit=MOST_LISTED)
        ended = saving.save(run, [each for each in recent if each.id != turn.id])
        with self._hold_shared_files(access, turn.user_id):
            self._profiles.learn(run.vault, ended)
            contribute_answer(self._thoughts, run, ended)
            self.library.record(access, run.vault, ended, run.journal)
        vector = embed_turn(self._parts.embedder, ended)
        with self._database.write() as transaction:
            store.change(transaction, access, ended, vector)
        run.notify(Phase.SAVING, 1, "")
        if self.erasure.erase_meanwhile(access, ended, self._thoughts):
            return self.read_answer(access, ended.id)
        return self._build_answer(run, ended)

    def _hold_shared_files(self, access: Access, user_id: str) -> AbstractContextManager[None]:
        """Let one server at a time change what all turns of a user share, such as what it prefers.

        In one process, those that change it have locks.
        """
        if not self._database.holds_files:
            return nullcontext()
        return self.reservations.hold(access, f"files of {user_id}", waits=True)

    def give_up(self, access: Access, turn_id: str, reason: str) -> None:
        """Say of an interrupted turn that nothing but a request resumes it, and why.

        Raises:
            TurnNotFound: there is none.
            InvalidInput: it is being worked on.
            StorageUnavailable: its files could not be written.
        """
        with self.reservations.hold(access, turn_id):
            turn = self.get(access, turn_id)
            if turn.status is not TurnStatus.INTERRUPTED:
                return
            self.vaults.create(access, turn.user_id)
            run = self.open_run(access, turn)
            complete_document(run)
            ended = saving.give_up(run, reason)
            with self._database.write() as transaction:
                store.change(transaction, access, ended, None)

    def open_run(
        self,
        access: Access,
        turn: Turn,
        notify: Listener | None = None,
        vault: Vault | None = None,
    ) -> TurnRun:
        """Return a turn as its files say how far it is; those of its user, if not of a `vault`."""
        vault = vault or self.vaults.open(access, turn.user_id)
        return TurnRun(
            access=access,
            turn=turn,
            vault=vault,
            journal=TurnJournal(vault, turn.folder),
            document=ContextDocument(vault, turn),
            engine=self._parts.engine,
            gatherer=self._gatherer,
            tools=self._parts.tools,
            settings=self._parts.settings,
            clock=self.clock,
            notify=notify or ignore_progress,
        )

    def _build_answer(self, run: TurnRun, turn: Turn) -> TurnAnswer:
        response = run.find_last(Response) or Response("")
        is_given = saving.is_given(run)
        claims = response.claims if is_given else ()
        numbers = number_answer(response, run.evidence) if is_given else {}
        sections = [entry.section for entry in run.journal.phases]
        return TurnAnswer(
            turn,
            saving.find_answer(run) if turn.status.is_over or turn.is_given_up else "",
            tuple(replace(each, evidence=numbers.get(each.evidence or 0)) for each in claims),
            tuple(cite_evidence(numbers, run.evidence)),
            response.missing if is_given else (),
            tuple(run.document.find_edited(sections)),
            saving.find_limits(run).limits if is_given else (),
        )

    def get(self, access: Access, turn_id: str, *, is_written: bool = False) -> Turn:
        """Return a turn of the caller's own; an admin of the space may read all of them.

        Nobody writes into the turn of another member, whatever their role.

        Raises:
            TurnNotFound: there is none, or it is another member's.
        """
        with self._database.read() as transaction:
            turn = store.find(transaction, access, turn_id)
        may_reach = may_write_turns if is_written else may_read_turns
        if turn is None or not may_reach(access, turn.user_id):
            message = "no turn with this id, or not yours"
            raise TurnNotFound(message)
        return turn

    def read_answer(self, access: Access, turn_id: str) -> TurnAnswer:
        """Return what a turn ended in, or how far it is.

        Raises:
            TurnNotFound: there is none, or it is another member's.
        """
        turn = self.get(access, turn_id)
        return self._build_answer(self.open_run(access, turn), turn)

    def list_turns(
        self,
        access: Access,
        *,
        agent_id: str | None = None,
        limit: int = 20,
        before: float | None = None,
        is_archived: bool = False,
    ) -> list[Turn]:
        """Return turns, newest first: a member's own, or at the open door those of a label."""
        user_id = access.owner or agent_id
        with self._database.read() as transaction:
            return store.list_newest(
                transaction, access, user_id, limit=limit, before=before, is_archived=is_archived
            )

    def list_days(self, access: Access, *, agent_id: str | None, limit: int) -> list[DailyMetrics]:
        """Return what the turns of the newest days came to, of those that `list_turns` lists."""
        user_id = access.owner or agent_id
        if user_id is not None:
            return read_days([self.vaults.open(access, user_id)], limit=limit)
        return read_days(self.vaults.list_all(access).values(), limit=limit)

    def list_files(self, access: Access, turn_id: str) -> list[str]:
        """Return the paths of a turn's files, relative to its folder."""
        turn = self.get(access, turn_id)
        paths = self.vaults.open(access, turn.user_id).list_paths(turn.folder)
        return [path.removeprefix(f"{turn.folder}/") for path in paths]

    def read_file(self, access: Access, turn_id: str, path: str) -> str:
        """Return one file of a turn.

        Raises:
            TurnNotFound: there is no such turn, or no such file in it.
        """
        turn = self.get(access, turn_id)
        vault, full = self.vaults.open(access, turn.user_id), f"{turn.folder}/{path}"
        if full in vault.list_damaged(turn.folder):
            message = f"{path} is damaged: a link, a folder or a pipe stands in its place"
            raise TurnNotFound(message)
        if path not in self.list_files(access, turn_id):
            message = "the turn has no such file"
            raise TurnNotFound(message)
        return vault.read(full) or ""

    def adopt_folder(self) -> None:
        """Take in the files of a folder, where several servers see them from now on.

        Meanwhile others may have erased what they quote. Raises as `Vaults.adopt_folder`.
        """
        self.vaults.adopt_folder(
            lambda access: self.erasure.erase_quotes(access, partial(self._is_gone, access.space))
        )

    def _is_gone(self, space: str, thought_id: str) -> bool:
        """Tell whether a thought is neither in a space nor in the one that projects share."""
        searcher = self._thoughts.searcher
        return not any(
            searcher.has(access, thought_id) and not searcher.is_erased(access, thought_id)
            for access in map(upkeep_access, {space, DEFAULT_SPACE})
        )

    def mark_interrupted(self) -> None:
        """Note that the turns of a process that is gone are to be resumed.

        Where there are several, one whose turn two looks found in nobody's hands: it may have just
        been asked.
        """
        with self._database.read() as transaction:
            running = store.list_begun(transaction, TurnStatus.RUNNING)
        left = self.reservations.find_left([(space, turn.id) for space, turn in running])
        for space, turn_id in left & self._left if self._database.holds_files else left:
            hold = self.reservations.hold(upkeep_access(space), turn_id)
            with suppress(TurnBusy), hold, self._database.write() as transaction:
                store.mark_interrupted(transaction, space, turn_id)
        self._left = left

    def list_interrupted(self) -> list[tuple[str, Turn]]:
        """Return the turns that are to be resumed, each with its space."""
        if self._database.holds_files:  # Other servers may have ended meanwhile.
            self.mark_interrupted()
        with self._database.read() as transaction:
            return store.list_begun(transaction, TurnStatus.INTERRUPTED)

    def remove(self, access: Access, turn_id: str) -> None:
        """Remove a turn with its files.

        Raises:
            TurnNotFound: there is none, or it is another member's.
        """
        turn = self.get(access, turn_id)
        self._drop(access, turn.user_id, [turn])

    def remove_oldest(self, access: Access, most: int) -> None:
        """Remove the two oldest turns of the caller's own that are over, if there are too many."""
        with self._database.read() as transaction:
            newest = store.list_newest(
                transaction, access, access.owner, limit=_MOST_REMOVED, is_archived=None
            )
        for turn in newest[most:][-2:]:
            if turn.status.is_over:
                with suppress(TurnNotFound):
                    self.remove(access, turn.id)

    def roll_back(self, access: Access, user_id: str, since: float) -> None:
        """Remove a user's turns since a moment, and what others quote of thoughts that are gone.

        `since` is in epoch seconds.
        """
        self._remove_since(access, user_id, since)
        has = self._thoughts.searcher.has
        self.erasure.erase_quotes(access, lambda thought_id: not has(access, thought_id))

    def _remove_since(self, access: Access, user_id: str, since: float) -> None:
        with self._database.read() as transaction:
            newest = store.list_newest(
                transaction, access, user_id, limit=_MOST_REMOVED, is_archived=None
            )
        gone = [turn for turn in newest if turn.created_at >= since]
        self._drop(access, user_id, gone)

    def _drop(self, access: Access, user_id: str, turns: Sequence[Turn]) -> None:
        """Remove turns of a user, what stands for them, and what they read and learned."""
        vault = self.vaults.open(access, user_id)
        for folder in {
            each for turn in turns for each in (turn.folder, format_folder(turn.number))
        }:
            vault.remove(folder)
        with self._database.write() as transaction:
            for turn in turns:
                store.remove(transaction, access, turn.id)
        numbers = [turn.number for turn in turns]
        with self._hold_shared_files(access, user_id):
            self.library.forget(access, user_id, numbers)
            self._profiles.forget(vault, {*numbers})
        self.indexer.refresh(access)
        mend_links(vault)

    def archive_old(self) -> int:
        """Archive the turns of open spaces as old as the settings say; return how many."""
        days = self._parts.settings.archive_after_days
        if days is None:
            return 0
        with self._database.read() as transaction:
            accesses = [upkeep_access(space) for space in store.list_spaces(transaction)]
        return self.archive.archive_old(accesses, after_days=days)

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Delete the space's turns from the database, in the caller's transaction."""
        store.purge(transaction, access)
