"""The one conversation: retrieve, wear the trails, maybe contribute, answer.

A call embeds once and searches without a lock; then one transaction writes what it leaves: the
query, the accesses, the weights, the new thought, and the answer stored for a retry. What
a call stores is stored after it has searched, so a thought never finds itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial

from wellworn.domain.memory import store
from wellworn.domain.memory.answer_reading import (
    SHOWN_AT_LEAST,
    AnswerReader,
    answers,
    is_sure,
    select_answers,
)
from wellworn.domain.memory.answering import (
    MOST_HIGHWAYS,
    CallOutcome,
    SearchOutcome,
    build_reply,
    find_worn,
    judge_time,
    tell_of_no_trail,
    to_pool_results,
)
from wellworn.domain.memory.calls import ConversationCall
from wellworn.domain.memory.capturing import Capture
from wellworn.domain.memory.deciding import decide, decide_list
from wellworn.domain.memory.digest import DigestMaker
from wellworn.domain.memory.direct_answers import (
    DirectAnswer,
    DirectAnswers,
    build_direct_exposure,
    build_direct_reply,
)
from wellworn.domain.memory.disambiguation import ask_back
from wellworn.domain.memory.drafting import create_draft, divide_prompt, judge
from wellworn.domain.memory.limit_reader import LimitReader, ListNames, list_nobody
from wellworn.domain.memory.limits import Limits
from wellworn.domain.memory.lookup import ThoughtLookup, list_linked
from wellworn.domain.memory.models import Prompt, Reply
from wellworn.domain.memory.overhearing import Overhearing
from wellworn.domain.memory.prior_state import PriorState, PriorStateLoader
from wellworn.domain.memory.retries import KeptAnswers
from wellworn.domain.memory.screening import build_query, drop_quotes, fold_prompt, redact_prompt
from wellworn.domain.memory.searching import (
    PromptSearcher,
    build_search,
    find_passages,
)
from wellworn.domain.outline import Outline
from wellworn.domain.sources import Sources
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import (
    Affirmed,
    CallStart,
    FoundThought,
    PreparedThought,
    RankedThought,
    RollbackSummary,
    SearchQuery,
    Stored,
    ThoughtDraft,
    Thoughts,
    tag_key,
)
from wellworn.engines.embedding import Embedder, encode_question
from wellworn.engines.reading import ReaderService
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import DiskFull
from wellworn.kit.clock import Clock
from wellworn.kit.folding import fold_forms
from wellworn.kit.ids import new_id


class Memory:
    """The conversation; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        thoughts: Thoughts,
        embedder: Embedder,
        clock: Clock,
        *,
        reader: ReaderService | None = None,
        outline: Outline | None = None,
        sources: Sources | None = None,
        list_names: ListNames = list_nobody,
    ) -> None:
        self._database = database
        self._thoughts = thoughts
        self._sessions = thoughts.sessions
        reader = reader or ReaderService()
        self._prior = PriorStateLoader(thoughts, reader)
        self._embedder = embedder
        self._kept_answers = KeptAnswers(thoughts, clock)
        self._sources = sources
        self.answers = AnswerReader(reader, thoughts, embedder)
        self.capturing = Capture(thoughts, reader, embedder)
        self.digests = DigestMaker(database, thoughts, clock)
        self.searcher = PromptSearcher(database, thoughts, model=embedder.name)
        lookup = ThoughtLookup(thoughts, embedder, self.answers)
        self.look_up, self.retrieve = lookup.look_up, lookup.retrieve
        self.overhearing = Overhearing(database, thoughts, self.look_up)
        self.limits = LimitReader(database, clock, list_names)
        self.direct_answers = DirectAnswers(database, thoughts, clock, outline, self.look_up)

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Answer a prompt from memory, and store it if the contribution rule says so.

        Raises:
            SessionNotFound: the session is unknown or another agent's.
            InvalidInput: the idempotency key was used for another request.
            IndexUnavailable, StorageUnavailable: nothing was written.
        """
        prompt = drop_quotes(redact_prompt(prompt))
        with self._database.read() as transaction:
            if (stored := self._kept_answers.find(transaction, access, prompt)) is not None:
                return stored
            before = self._prior.load(transaction, access, prompt)
            contribution = judge(prompt, before)
            divided = divide_prompt(prompt, contribution)
            draft = None
            if contribution.is_stored:
                draft = create_draft(prompt, before, divided)
                draft = self._add_tags(transaction, access, draft)
        read = fold_prompt(prompt)
        question = replace(read, prompt=fold_forms(divided.question)) if divided else read
        states = draft is not None and not divided
        limits = self.limits.read(access, question.prompt, asker=prompt.agent_id, states=states)
        # A prompt that is stored, or picks from the last answer, gets no direct answer.
        if draft is None and not before.picks:
            is_first = before.query_seq is None
            aside = self.direct_answers.answer(access, read, limits, is_first=is_first)
            if aside is not None:
                return self._answer_directly(access, prompt, aside)
        query = build_query(question, before.complete(question.prompt))
        asked, session_id = encode_question(self._embedder, query), prompt.session_id or new_id()
        call = ConversationCall(
            prompt,
            question,
            before,
            draft,
            asked.vector,
            session_id,
            new_id(),
            contribution,
            divided,
        )
        method = self._thoughts.settings.retrieval_method
        is_stored = draft is not None
        search = build_search(
            question,
            before,
            asked,
            method=method,
            limits=limits,
            call_id="" if is_stored else call.query_id,
        )
        outcome = self._search(access, question, before, search, limits, is_stored=is_stored)
        if outcome.clusters is None:
            passages = find_passages(self._sources, access, question, asked)
            outcome = replace(outcome, passages=passages)
        return self._write(access, call, outcome)

    def _search(
        self,
        access: Access,
        prompt: Prompt,
        before: PriorState,
        search: SearchQuery,
        limits: Limits,
        *,
        is_stored: bool,
    ) -> SearchOutcome:
        """Search for a prompt, and read what was found beside it unless it asks nothing.

        Where nothing close is within its limits, what is beyond them is shown, and they are missed.
        """
        reads = self.answers.is_there and not is_stored and prompt.min_relevance is None
        at_least = SHOWN_AT_LEAST if reads else 0
        outcome = self.searcher.search(
            access, prompt, before, search, may_ask=not is_stored, at_least=at_least
        )
        if reads and outcome.clusters is None:
            outcome = self._arrange(access, search, outcome)
        elif reads:
            # What has a sure answer needs no question back, however many areas it touches.
            known = self.searcher.search(
                access, prompt, before, search, may_ask=False, at_least=at_least
            )
            known = self._arrange(access, search, known)
            outcome = known if is_sure(known.shown) else outcome
        relevant = outcome.relevant | outcome.named
        if not (relevant or answers(outcome.shown)) and (wider := limits.relax()) is not None:
            search = replace(search, scope=wider.narrow(prompt.scope))
            return self._search(access, prompt, before, search, wider, is_stored=is_stored)
        return replace(outcome, limits=judge_time(limits, outcome.shown))

    def _arrange(
        self, access: Access, search: SearchQuery, outcome: SearchOutcome
    ) -> SearchOutcome:
        """Return an outcome as it was read beside the prompt."""
        arranged = self.answers.arrange(access, search, outcome.shown)
        relevant = outcome.relevant | outcome.named
        return replace(outcome, shown=select_answers(arranged, relevant, limit=search.limit))

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        """Erase a thought's content everywhere this memory holds it; return the time.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        known = self._thoughts.get_record(access, thought_id)
        with self._database.write() as transaction:
            erased_at = self._thoughts.erase(
                transaction, access, thought_id, erased_by=agent_id, reason=reason
            )
            with self._database.confine(None):  # answers given in projects may quote it, too
                store.drop_answers_about(transaction, access, thought_id, known.content, known.tags)
        self._database.scrub()
        return erased_at

    def roll_back(
        self, access: Access, owner: str, *, since: float, dry_run: bool = False
    ) -> RollbackSummary:
        """Take back everything that an owner did in the space since a moment, in epoch seconds.

        `owner` is a member's id, or an agent's label for calls without credentials. Its thoughts
        are removed with what anybody built on them, and so are its queries, uses and signals; the
        trails of other thoughts become what they would be without. A `dry_run` only counts.

        Raises:
            Forbidden: the caller is not an admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            summary, removed = self._thoughts.roll_back(
                transaction, access, owner, since=since, dry_run=dry_run
            )
            if dry_run:
                return summary
            store.drop_answers_to(transaction, access, owner)
            with self._database.confine(None):
                for thought in removed:
                    store.drop_answers_about(
                        transaction, access, thought.thought_id, thought.content, thought.tags
                    )
        self._database.scrub()
        return summary

    def forget_documents(self, access: Access, document_ids: Sequence[int]) -> None:
        """Delete the stored answers that show passages of removed documents."""
        with self._database.write() as transaction, self._database.confine(None):
            for document_id in document_ids:
                store.drop_answers_with(transaction, access, (f"document:{document_id}",))

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Delete the stored answers of the space, in the caller's transaction."""
        store.drop_answers(transaction, access)

    def _add_tags(
        self, transaction: Transaction, access: Access, draft: ThoughtDraft
    ) -> ThoughtDraft:
        """Return a draft with its tags, which are searched before the lock."""
        tags = self._sessions.collect_tags(transaction, access, draft.content, draft.tags)
        return replace(draft, tags=tags)

    def _answer_directly(self, access: Access, prompt: Prompt, aside: DirectAnswer) -> Reply:
        session_id = prompt.session_id or new_id()

        def answer(transaction: Transaction) -> Reply:
            start = self._sessions.begin_call(
                transaction, access, prompt.agent_id, session_id=session_id
            )
            if prompt.session_id is None:
                self._sessions.open_session(transaction, access, session_id, prompt.agent_id)
            # A list answers no need, so it leaves no trail.
            exposure = build_direct_exposure(prompt, aside, session_id=session_id)
            listed = [source.thought_id for source in aside.sources]
            seqs = self._sessions.find_seqs(transaction, access, listed)
            exposure = replace(
                exposure, decision=decide_list([seqs[each] for each in listed if each in seqs])
            )
            self._sessions.leave_trace(transaction, access, exposure, (), ahead=start.trace)
            self._sessions.note_seen(transaction, access, listed, prompt.agent_id)
            return build_direct_reply(prompt, aside, session_id=session_id, newcomer=start.is_new)

        return self._keep(answer)

    def _keep(self, answer: Callable[[Transaction], Reply], *, stores: bool = False) -> Reply:
        """Write what an answer leaves; on a full disk a question is answered without a trail."""
        try:
            with self._database.share_write() as transaction:
                return answer(transaction)
        except DiskFull:
            if stores:
                raise
        with self._database.rehearse() as transaction:
            reply = answer(transaction)
        return tell_of_no_trail(reply)

    def _write(self, access: Access, call: ConversationCall, search: SearchOutcome) -> Reply:
        passages = None
        if call.draft is not None:
            is_away = not call.vector.any()
            passages = self._thoughts.writer.prepare(access, call.draft, is_encoder_away=is_away)
        self._thoughts.needed_next.prepare(access)
        leave = partial(self._leave, access=access, call=call, search=search, passages=passages)
        return self._keep(leave, stores=call.draft is not None)

    def _leave(
        self,
        transaction: Transaction,
        *,
        access: Access,
        call: ConversationCall,
        search: SearchOutcome,
        passages: PreparedThought | None,
    ) -> Reply:
        prompt = call.prompt
        if (stored := self._kept_answers.find(transaction, access, prompt)) is not None:
            return stored
        found = {hit.summary.seq for hit in search.pool} | {hit.seq for hit in search.shown}
        start = self._begin(transaction, access, call, search.shown, found)
        if start.living != found:
            search = _drop_erased(access, prompt, search, start.living)
        kept = seq, kept_as = self._contribute(transaction, access, call, passages, start)
        shown, replaced = search.shown, ()
        # What is new and names nothing replaces nothing.
        if seq is not None and (
            isinstance(kept_as, Affirmed) or (call.draft and call.draft.names_others)
        ):
            shown, replaced = self._sessions.restate(transaction, access, seq, shown)
        search = replace(search, shown=shown)
        if call.encourages or isinstance(kept_as, Affirmed) or prompt.source_ids:
            start = start.forget_trails()  # they wore some themselves
        worn = self._leave_trace(transaction, access, call, search, kept, start=start)
        # After a counter-question nothing is predicted.
        shown = () if search.clusters else [thought.seq for thought in search.own]
        needed = self._thoughts.needed_next.predict(transaction, access, call.session_id, shown)
        close = _list_close(prompt, search)
        highways, covering = self._sessions.find_highways(
            transaction,
            find_worn(worn),
            most=MOST_HIGHWAYS,
            beside=self._thoughts.overviews.ask_for(close),
        )
        overview = self._thoughts.overviews.find(transaction, access, close, covering)
        outcome = CallOutcome(
            call.session_id,
            start.is_new,
            call.encourages,
            kept_as,
            call.contribution,
            needed,
            call.stored_part,
            replaced,
            access.owner,
            overview,
        )
        beside = [*list_linked(search.shown), *(need.thought_id for need in needed)]
        beside += [thought.thought_id for thought in search.shown if thought.held]
        beside += outcome.overview.list_shown() if outcome.overview else ()
        self._sessions.note_seen(transaction, access, beside, prompt.agent_id)
        reply = build_reply(call.question, replace(search, pool=worn, highways=highways), outcome)
        self._kept_answers.store(transaction, access, prompt, reply)
        return reply

    def _begin(
        self,
        transaction: Transaction,
        access: Access,
        call: ConversationCall,
        shown: Sequence[FoundThought],
        found: Set[int],
    ) -> CallStart:
        """Read what the call needs under the lock, and open its session; `found` may be erased."""
        prompt = call.prompt
        if call.draft is not None:
            self._database.expect_changes()
        start = self._sessions.begin_call(
            transaction,
            access,
            prompt.agent_id,
            session_id=call.session_id,
            seqs=sorted(found),
            shown=shown,
            draft=call.draft,
        )
        if prompt.session_id is None:
            self._sessions.open_session(transaction, access, call.session_id, prompt.agent_id)
        if call.encourages:
            self._sessions.encourage(transaction, access, call.before.returned_ids)
        return start

    def _contribute(
        self,
        transaction: Transaction,
        access: Access,
        call: ConversationCall,
        passages: PreparedThought | None,
        start: CallStart,
    ) -> tuple[int | None, Stored | Affirmed | None]:
        if call.draft is None or passages is None:
            return None, None
        position = 0
        if call.prompt.session_id is not None:
            position = self._sessions.find_next_position(transaction, access, call.session_id)
        draft = replace(call.draft, session=call.session_id, position=position)
        return self._thoughts.writer.store(transaction, access, draft, passages, start.draft)

    def _leave_trace(
        self,
        transaction: Transaction,
        access: Access,
        call: ConversationCall,
        search: SearchOutcome,
        kept: tuple[int | None, Stored | Affirmed | None],
        *,
        start: CallStart,
    ) -> list[RankedThought]:
        """Write the trace of the call; return the pool with the new trails."""
        seq, kept_as = kept
        trails = self._sessions.leave_trace(
            transaction,
            access,
            replace(call.build_exposure(search.method), decision=decide(call, search, kept_as)),
            search.shown,
            offered_tags=[area.tag for area in search.clusters.areas] if search.clusters else (),
            contributed_seq=seq,
            ahead=start.trace,
        )
        return [hit.with_trail(trails.get(hit.summary.seq)) for hit in search.pool]


def _list_close(prompt: Prompt, search: SearchOutcome) -> list[int]:
    """Return results that an overview may tell of; none where the question limits what is shown."""
    is_limited = prompt.filter_tags or prompt.exclude_self or prompt.min_score is not None
    scope = search.limits.narrow(prompt.scope)
    if is_limited or search.clusters or scope.is_narrow or not scope.is_open:
        return []
    close = search.relevant | search.named | search.exact
    return [
        thought.seq for thought in search.own if thought.thought_id in close and not thought.held
    ]


def _drop_erased(
    access: Access, prompt: Prompt, search: SearchOutcome, living: Set[int]
) -> SearchOutcome:
    """Leave out what was erased since the search, lest a stored answer repeat it."""
    pool = [hit for hit in search.pool if hit.summary.seq in living]
    results = to_pool_results(pool, search.named, asker=access.owner)
    return replace(
        search,
        shown=[thought for thought in search.shown if thought.seq in living],
        pool=pool,
        clusters=search.clusters and ask_back(prompt.prompt, results, tag_key=tag_key),
    )
