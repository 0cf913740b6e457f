"""The one conversation: retrieve, wear the trails, maybe contribute, answer.

A call embeds once and searches without a lock; then one transaction writes what it leaves: the
query, the accesses, the pairs, the weights, the new thought, and the answer kept for a retry. What
a call stores is stored after it has searched, so a thought never finds itself.

Source: thought tracing v0.2.0, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import TypeAdapter

from wellworn.domain.memory import store, wording
from wellworn.domain.memory.answering import Found, Outcome, reply_to, shown_of
from wellworn.domain.memory.asides import Aside, Asides
from wellworn.domain.memory.asides import reply_to as reply_beside
from wellworn.domain.memory.calls import Before, Call
from wellworn.domain.memory.disambiguation import Result, ask_back
from wellworn.domain.memory.drafting import chosen_tag, draft_of
from wellworn.domain.memory.models import Prompt, Reply, Retrieval
from wellworn.domain.memory.screening import embedded, without_secrets
from wellworn.domain.outline import Outline
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import (
    Affirmed,
    Exposure,
    FoundThought,
    NeededNext,
    PreparedThought,
    RankedThought,
    RetrievalMethod,
    RollbackSummary,
    SearchQuery,
    Stored,
    ThoughtDraft,
    Thoughts,
    Trail,
    tag_key,
)
from wellworn.engines.embedding import Embedder, Encoded
from wellworn.engines.safety import redacted
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.ids import new_id
from wellworn.kit.text import fingerprint

MOST_PASSAGES = 5
"""Passages of documents that are shown after thoughts."""

_REPLY = TypeAdapter(Reply)
_PROMPT = TypeAdapter(Prompt)


class Memory:
    """The conversation; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        thoughts: Thoughts,
        embedder: Embedder,
        clock: Clock,
        *,
        outline: Outline | None = None,
        sources: Sources | None = None,
    ) -> None:
        self._database = database
        self._thoughts = thoughts
        self._journal = thoughts.sessions
        self._embedder = embedder
        self._clock = clock
        self._sources = sources
        self._asides = Asides(database, thoughts, outline)

    def converse(self, access: Access, prompt: Prompt) -> Reply:
        """Answer a prompt from memory, and remember it if the contribution rule says so.

        Raises:
            SessionNotFound: the session is unknown or another agent's.
            InvalidInput: the idempotency key was used for another request.
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: nothing was written.
        """
        prompt = without_secrets(prompt)
        with self._database.read() as transaction:
            kept = self._kept(transaction, access, prompt)
            if kept is not None:
                return kept
            before = self._before(transaction, access, prompt)
            draft = self._drafted(transaction, access, prompt)
        # What is stored, or picks a tag that was offered, is never taken for something else.
        is_more = draft is not None or before.chosen_tag is not None
        aside = None if is_more else self._asides.answer(access, prompt)
        if aside is not None:
            return self._answer_beside(access, prompt, aside)
        asked = self._embedder.encode_query(embedded(prompt))
        call = Call(prompt, before, draft, asked.vector, prompt.session_id or new_id())
        search = self._search(prompt, before, asked)
        hits = self._thoughts.searcher.rank(access, search)
        asks = not call.draft and not search.filter_tags
        clusters = ask_back(prompt.prompt, _results(hits), tag_key=tag_key) if asks else None
        shown = self._thoughts.searcher.load(shown_of(hits, clusters, search.limit))
        passages = self._passages(access, prompt, asked) if clusters is None else None
        return self._write(access, call, Found(shown, hits, clusters, search.method, passages))

    def _passages(self, access: Access, prompt: Prompt, asked: Encoded) -> Sequence[Snippet] | None:
        """Return passages of documents, if they were asked for; they leave no trail."""
        if not prompt.include_knowledge or self._sources is None:
            return None
        limit = min(prompt.limit, MOST_PASSAGES)
        return self._sources.search_encoded(access, embedded(prompt), asked, limit=limit)

    def look_up(
        self, access: Access, text: str, *, limit: int = 10, filter_tags: Sequence[str] = ()
    ) -> list[FoundThought]:
        """Search by words without leaving a trace."""
        text = redacted(text).text
        asked = self._embedder.encode_query(text)
        search = SearchQuery(
            vector=asked.vector,
            pieces=asked.pieces,
            spans=asked.spans,
            text=text,
            agent_id="",
            limit=limit,
            filter_tags=tuple(filter_tags),
            method=self._thoughts.settings.retrieval_method,
        )
        return self._thoughts.search(access, search)

    def retrieve(self, access: Access, retrieval: Retrieval) -> list[FoundThought]:
        """Search and wear the trails of what is found; the session is opened when it is new.

        Raises:
            SessionNotFound: the session is another agent's.
        """
        query = retrieval.query and redacted(retrieval.query).text
        retrieval = replace(retrieval, query=query, agent_id=redacted(retrieval.agent_id).text)
        asked = self._asked(retrieval)
        method = retrieval.retrieval_method or self._thoughts.settings.retrieval_method
        if retrieval.query is None:
            method = RetrievalMethod.VECTOR
        search = SearchQuery(
            vector=asked.vector,
            pieces=asked.pieces,
            spans=asked.spans,
            text=retrieval.query or "",
            agent_id=retrieval.agent_id,
            limit=retrieval.limit,
            filter_tags=tuple(retrieval.filter_tags),
            match_all_tags=retrieval.match_all_tags,
            exclude_self=retrieval.exclude_self,
            min_score=retrieval.min_score,
            method=method,
            include_unverified=retrieval.include_unverified,
        )
        exposure = Exposure(
            query_id=new_id(),
            agent_id=retrieval.agent_id,
            session_id=retrieval.session_id,
            query_text=retrieval.query or "",
            context_text=None,
            vector=asked.vector,
            method=method,
        )
        return self._thoughts.retrieve(access, search, exposure)

    def _asked(self, retrieval: Retrieval) -> Encoded:
        if retrieval.query_embedding is None:
            return self._embedder.encode_query(retrieval.query or "")
        # In double precision first: the square of a large component overflows in single.
        given = np.array(retrieval.query_embedding, dtype=np.float64)
        given /= np.abs(given).max()
        return Encoded.of(given / np.linalg.norm(given))

    def forget(
        self, access: Access, thought_id: str, *, agent_id: str, reason: str | None = None
    ) -> float:
        """Erase a thought's words everywhere this memory holds them; return when.

        Raises:
            ThoughtNotFound: the space has no such thought.
        """
        known = self._thoughts.get_record(access, thought_id)
        # Answers quote a thought beside its id, and a highway by how it is labelled.
        mentions = (thought_id, wording.label(known.content, known.tags))
        with self._database.write() as transaction:
            erased_at = self._thoughts.erase(
                transaction, access, thought_id, erased_by=agent_id, reason=reason
            )
            store.drop_answers_with(transaction, access, mentions, known.tags)
        self._database.scrub()
        return erased_at

    def roll_back(
        self, access: Access, owner: str, *, since: float, dry_run: bool = False
    ) -> RollbackSummary:
        """Take back everything that one owner did in the space since a moment, in epoch seconds.

        `owner` is a member's id, or an agent's label for what came through the open door. Its
        thoughts go, and what anybody built on them; its queries, uses and signals go; the trails of
        all other thoughts become what they would be without. With `dry_run` it is only counted.

        Raises:
            Forbidden: the caller is no admin of the space.
        """
        access.require(Role.ADMIN)
        with self._database.write() as transaction:
            done, removed = self._thoughts.roll_back(
                transaction, access, owner, since=since, dry_run=dry_run
            )
            if dry_run:
                return done
            store.drop_answers_to(transaction, access, owner)
            for one in removed:
                mentions = (one.thought_id, wording.label(one.content, one.tags))
                store.drop_answers_with(transaction, access, mentions, one.tags)
        self._database.scrub()
        return done

    def forget_documents(self, access: Access, document_ids: Sequence[int]) -> None:
        """Drop the answers kept for a retry that show passages of documents which are removed."""
        with self._database.write() as transaction:
            for one in document_ids:
                store.drop_answers_with(transaction, access, (f"document:{one}",))

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Drop what is kept of the space's conversations, in the caller's transaction."""
        store.drop_answers(transaction, access)

    def _kept(self, transaction: Transaction, access: Access, prompt: Prompt) -> Reply | None:
        key = prompt.idempotency_key
        kept = store.kept_answer(transaction, access, key) if key is not None else None
        if kept is None:
            return None
        request, answer = kept
        if request != _fingerprint(prompt):
            message = "this Idempotency-Key was used for a different request"
            raise InvalidInput(message)
        return _REPLY.validate_json(answer)

    def _before(self, transaction: Transaction, access: Access, prompt: Prompt) -> Before:
        last = None
        if prompt.session_id is not None:
            last = self._journal.load_last_call(
                transaction, access, prompt.session_id, prompt.agent_id
            )
        if last is None:
            return Before((), None)
        chosen = chosen_tag(prompt.prompt, last.offered_tags)
        return Before(last.returned_ids, chosen, last.query_seq)

    def _drafted(
        self, transaction: Transaction, access: Access, prompt: Prompt
    ) -> ThoughtDraft | None:
        """Return what the call stores, with its tags; before the lock, for there may be many."""
        draft = draft_of(prompt)
        if draft is None:
            return None
        tags = self._journal.collect_tags(transaction, access, draft.content, draft.tags)
        return replace(draft, tags=tags)

    def _answer_beside(self, access: Access, prompt: Prompt, aside: Aside) -> Reply:
        session_id = prompt.session_id or new_id()
        with self._database.write() as transaction:
            if prompt.session_id is None:
                self._journal.open_session(transaction, access, session_id, prompt.agent_id)
            newcomer = self._journal.is_new(transaction, access, prompt.agent_id)
        return reply_beside(prompt, aside, session_id=session_id, newcomer=newcomer)

    def _search(self, prompt: Prompt, before: Before, asked: Encoded) -> SearchQuery:
        chosen = () if before.chosen_tag is None else (before.chosen_tag,)
        return SearchQuery(
            vector=asked.vector,
            pieces=asked.pieces,
            spans=asked.spans,
            text=embedded(prompt),
            agent_id=prompt.agent_id,
            limit=prompt.limit,
            filter_tags=prompt.filter_tags or chosen,
            match_all_tags=prompt.match_all_tags,
            exclude_self=prompt.exclude_self,
            min_score=prompt.min_score,
            method=prompt.retrieval_method or self._thoughts.settings.retrieval_method,
            include_unverified=prompt.include_unverified,
        )

    def _write(self, access: Access, call: Call, found: Found) -> Reply:
        passages = self._thoughts.writer.prepare([call.draft]) if call.draft else []
        with self._database.write() as transaction:
            kept = self._kept(transaction, access, call.prompt)
            if kept is not None:
                return kept
            if call.prompt.session_id is None:
                self._journal.open_session(
                    transaction, access, call.session_id, call.prompt.agent_id
                )
            if call.encourages:
                self._journal.encourage(transaction, access, call.before.returned_ids)
            found = self._still_there(transaction, call.prompt, found)
            newcomer = self._journal.is_new(transaction, access, call.prompt.agent_id)
            seq, kept_as = self._contribute(transaction, access, call, passages)
            worn = self._trace(transaction, access, call, found, seq)
            needed = self._needed_next(transaction, access, call, found)
            outcome = Outcome(call.session_id, newcomer, call.encourages, kept_as, needed)
            reply = reply_to(call.prompt, replace(found, pool=worn), outcome)
            self._keep(transaction, access, call.prompt, reply)
        return reply

    def _still_there(self, transaction: Transaction, prompt: Prompt, found: Found) -> Found:
        """Leave out what was erased since the search, or a kept answer would go on saying it."""
        living = self._journal.filter_living(transaction, [hit.summary.seq for hit in found.pool])
        if len(living) == len(found.pool):
            return found
        pool = [hit for hit in found.pool if hit.summary.seq in living]
        asks = found.clusters is not None
        return replace(
            found,
            shown=[one for one in found.shown if one.seq in living],
            pool=pool,
            clusters=ask_back(prompt.prompt, _results(pool), tag_key=tag_key) if asks else None,
        )

    def _contribute(
        self, transaction: Transaction, access: Access, call: Call, passages: list[PreparedThought]
    ) -> tuple[int | None, Stored | Affirmed | None]:
        if call.draft is None:
            return None, None
        position = self._journal.find_next_position(transaction, access, call.session_id)
        draft = replace(call.draft, session=call.session_id, position=position)
        return self._thoughts.writer.store(transaction, access, draft, passages[0])

    def _trace(
        self, transaction: Transaction, access: Access, call: Call, found: Found, seq: int | None
    ) -> list[RankedThought]:
        """Write what the call leaves; return the pool with the trails as they are then."""
        after = self._journal.leave_trace(
            transaction,
            access,
            call.exposure(found.method),
            found.shown,
            offered_tags=[area.tag for area in found.clusters.areas] if found.clusters else (),
            contributed_seq=seq,
        )
        return [_worn(hit, after.get(hit.summary.seq)) for hit in found.pool]

    def _needed_next(
        self, transaction: Transaction, access: Access, call: Call, found: Found
    ) -> list[NeededNext]:
        """Return what is often needed after what is shown; a counter-question leads nowhere yet."""
        shown = [one.seq for one in found.shown] if found.clusters is None else []
        return self._thoughts.needed_next.predict(transaction, access, call.session_id, shown)

    def _keep(self, transaction: Transaction, access: Access, prompt: Prompt, reply: Reply) -> None:
        if prompt.idempotency_key is None:
            return
        store.keep_answer(
            transaction,
            access,
            prompt.idempotency_key,
            fingerprint=_fingerprint(prompt),
            answer=_REPLY.dump_json(reply).decode(),
            now=self._clock.now(),
        )


def _results(hits: Sequence[RankedThought]) -> list[Result]:
    return [
        Result(
            id=hit.summary.thought_id,
            cosine=hit.ranked.cosine,
            keyword=hit.ranked.keyword,
            fused=hit.ranked.rank_score,
            tags=hit.summary.tags,
        )
        for hit in hits
    ]


def _worn(hit: RankedThought, trail: Trail | None) -> RankedThought:
    return hit if trail is None else replace(hit, summary=replace(hit.summary, trail=trail))


def _fingerprint(prompt: Prompt) -> str:
    return fingerprint(_PROMPT.dump_json(prompt).decode())
