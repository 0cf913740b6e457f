"""The discovery layer: what is compiled of documents, asked and looked after.

Source: knowledge sync v1.0, sections 5 to 7; issue 5, points 4 to 6.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from wellworn.domain.knowledge import unknowns as gaps
from wellworn.domain.knowledge.answers import (
    Answer,
    Artifact,
    ArtifactName,
    Compiled,
    ConflictFound,
    FoundBy,
    Outcome,
    Quality,
    Unknown,
    Value,
)
from wellworn.domain.knowledge.compiling import BOTH, Compiler
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.files import Files
from wellworn.domain.knowledge.resolving import Resolver
from wellworn.domain.knowledge.steps import MENTIONED_CONFIDENCE
from wellworn.domain.knowledge.store import compiled, learning
from wellworn.domain.sources import Sources
from wellworn.domain.spaces import Access, Role
from wellworn.engines.safety import redacted
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput, NotFound
from wellworn.kit.clock import Clock
from wellworn.kit.text import folded

REOPEN: Final = "reopen"
_LONGEST_TERM: Final = 200
_MOST_UNKNOWN: Final = 100


class Discovery:
    """The compiled side of one room; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        *,
        enricher: Enricher | None = None,
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._compiler = Compiler(database, sources, clock, enricher=enricher)
        self._files = Files(database, sources, self._compiler, clock)
        self._resolver = Resolver(database, sources, clock, self._files.hot)

    def compile(
        self, access: Access, *, changed: Collection[int] = (), all_anew: bool = False
    ) -> Compiled:
        """Bring digests, facts and conflicts up to date, asking the model; say what it cost."""
        return self._compiler.compile(access, changed=changed, all_anew=all_anew, with_model=True)

    def artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return a virtual file as the caller may see it, made anew when something changed."""
        return self._files.artifact(access, name)

    def preamble(self, access: Access, *, budget_tokens: int) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        return self._files.preamble(access, budget_tokens=budget_tokens)

    # ------------------------------------------------------------ resolving

    def resolve(
        self, access: Access, term: str, *, context: str, agent_id: str, learn: bool = True
    ) -> Answer:
        """Return what a term stands for, or the one question to ask.

        The question counts, and its answer teaches, unless `learn` says to leave no trace.

        Raises:
            InvalidInput: the term is empty or far too long for one.
        """
        term = _checked(term)
        answer = self._resolver.resolve(access, term, context=context)
        if not learn:
            return answer
        with self._database.write() as transaction:
            learning.note(
                transaction,
                access,
                term,
                outcome=answer.outcome,
                found_by=answer.found_by,
                agent_id=agent_id,
                now=self._clock.now(),
            )
            # What context decided, or a mere mention, says nothing of the next question.
            is_sure = answer.confidence > MENTIONED_CONFIDENCE and not context.strip()
            is_learned = answer.outcome is Outcome.RESOLVED and is_sure
            if is_learned and access.role.allows(Role.CONTRIBUTOR):
                self._resolver.learn(transaction, access, term, answer)
        return answer

    def learn(self, access: Access, term: str, citation: str) -> Answer:
        """Take somebody's word for what a term stands for; return what it resolves to now.

        Raises:
            InvalidInput: the citation names no section of a document that the caller may see.
        """
        term = _checked(term)
        self._resolver.teach(access, term, citation)
        return self._resolver.resolve(access, term, context="")

    def provenance(self, access: Access, term: str, *, fact_type: str | None) -> tuple[Value, ...]:
        """Return every value known of a term, each with where it stands."""
        self._compiler.catch_up(access)
        found = self._resolver.values(access, [_checked(term)])
        return tuple(one for one in found if fact_type in {None, one.fact_type})

    # ------------------------------------------------------------ conflicts

    def conflicts(self, access: Access, *, with_closed: bool) -> list[ConflictFound]:
        """Return where documents that the caller sees disagree, the open ones first."""
        with self._database.read() as transaction:
            view = self._sources.served_to(transaction, access)
            found = compiled.conflicts(transaction, access)
        shown = [
            one
            for one in found
            if (with_closed or one.state != "closed")
            and all(claim.evidence.document_id in view.documents for claim in one.claims)
        ]
        return sorted(shown, key=lambda one: (one.state != "open", one.id))

    def decide(
        self, access: Access, conflict_id: int, resolution: str, *, reason: str
    ) -> ConflictFound:
        """Settle a conflict: one of its values, `both`, or `reopen` to take a decision back.

        Raises:
            NotFound: there is no such conflict for this caller.
            InvalidInput: the resolution is none of those.
        """
        found = self._conflict(access, conflict_id)
        values = {one.value for one in found.claims}
        if resolution not in {*values, BOTH, REOPEN}:
            message = "resolution must be one of the conflict's values, both, or reopen"
            raise InvalidInput(message)
        is_open = resolution == REOPEN
        with self._database.write() as transaction:
            compiled.change_conflict(
                transaction,
                conflict_id,
                state="open" if is_open else "resolved",
                resolution=None if is_open else resolution,
                reason=redacted(reason[:2_000]).text or None,
                resolved_by=None if is_open else access.principal,
                resolved_at=None if is_open else self._clock.now(),
                decided_on=None if is_open else _quotes(found),
            )
        return self._conflict(access, conflict_id)

    def _conflict(self, access: Access, conflict_id: int) -> ConflictFound:
        for one in self.conflicts(access, with_closed=True):
            if one.id == conflict_id:
                return one
        raise NotFound("there is no such conflict")

    # ------------------------------------------------------------ pins, gaps, quality

    def pins(self, access: Access) -> list[str]:
        """Return the terms that are always hot."""
        with self._database.read() as transaction:
            return learning.pins(transaction, access)

    def pin(self, access: Access, term: str, *, pinned: bool) -> list[str]:
        """Make a term always hot, or no longer; return all that are."""
        term = _checked(term)
        with self._database.write() as transaction:
            if pinned:
                learning.pin(transaction, access, term, self._clock.now())
            else:
                learning.unpin(transaction, access, term)
            return learning.pins(transaction, access)

    def unknowns(self, access: Access) -> list[Unknown]:
        """Return terms that nothing explains, the most wanted first."""
        self._compiler.catch_up(access)
        with self._database.read() as transaction:
            view = self._sources.served_to(transaction, access)
            digests = self._files.digests(transaction, access, view)
            found = self._files.unknown(transaction, access, digests)
        return [
            Unknown(one.term, one.asked or one.mentions, _note(one))
            for one in found[:_MOST_UNKNOWN]
        ]

    def quality(self, access: Access) -> Quality:
        """Return how well knowledge serves this space."""
        with self._database.read() as transaction:
            outcomes = learning.outcomes(transaction, access)
            facts = compiled.count_facts(transaction, access)
        counts = self._sources.counts(access)
        by_step: dict[str, int] = {}
        for (outcome, step), times in outcomes.items():
            if outcome == Outcome.RESOLVED:
                by_step[step] = by_step.get(step, 0) + times
        return Quality(
            asked=sum(outcomes.values()),
            resolved=_times(outcomes, Outcome.RESOLVED),
            ambiguous=_times(outcomes, Outcome.AMBIGUOUS),
            unknown=_times(outcomes, Outcome.UNKNOWN),
            by_step={
                step.value: by_step.get(step.value, 0)
                for step in FoundBy
                if step is not FoundBy.NOTHING
            },
            facts=facts,
            conflicts_open=sum(
                one.state == "open" for one in self.conflicts(access, with_closed=False)
            ),
            top_unknown=tuple(self.unknowns(access)[:10]),
            **counts,
        )

    def records(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield what was learned, pinned and decided: all that does not follow from documents."""
        view = self._sources.served_to(transaction, access)
        for one in learning.aliases(transaction, access):
            if one.document_id in view.documents:
                yield {
                    "record": "alias",
                    "term": one.term,
                    "citation": one.path,
                    "confidence": one.confidence,
                    "usage_count": one.usage_count,
                    "last_used_at": one.last_used_at,
                    "is_taught": one.is_taught,
                }
        for term in learning.pins(transaction, access):
            yield {"record": "pin", "term": term}
        for one in compiled.conflicts(transaction, access):
            seen = all(claim.evidence.document_id in view.documents for claim in one.claims)
            if one.resolution is not None and seen:
                yield _decision(one)

    def take(self, access: Access, records: Sequence[Mapping[str, Any]]) -> int:
        """Store what was learned, pinned and decided elsewhere; return how many were new."""
        self._compiler.compile(access)
        now = self._clock.now()
        taken = 0
        with self._database.write() as transaction:
            for one in records:
                if one["record"] == "pin":
                    taken += one["term"] not in learning.pins(transaction, access)
                    learning.pin(transaction, access, one["term"], now)
                elif one["record"] == "alias":
                    taken += self._resolver.take(transaction, access, one)
                else:
                    taken += compiled.take_decision(transaction, access, one)
        return taken

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Remove everything of the space, in the caller's transaction."""
        compiled.purge(transaction, access)
        learning.purge(transaction, access)


def _decision(one: ConflictFound) -> dict[str, Any]:
    return {
        "record": "decision",
        "term": one.term,
        "attribute": one.attribute,
        "fact_type": one.fact_type,
        "resolution": one.resolution,
        "reason": one.reason,
        "resolved_by": one.resolved_by,
        "resolved_at": one.resolved_at,
        "decided_on": sorted(one.decided_on),
    }


def _checked(term: str) -> str:
    plain = redacted(" ".join(term.split())).text
    if not plain or len(plain) > _LONGEST_TERM:
        raise InvalidInput(f"term must be 1 to {_LONGEST_TERM} characters")
    return plain


def _quotes(found: ConflictFound) -> frozenset[str]:
    return frozenset(folded(one.evidence.text) for one in found.claims)


def _times(outcomes: Mapping[tuple[str, str], int], wanted: Outcome) -> int:
    return sum(times for (outcome, _), times in outcomes.items() if outcome == wanted)


def _note(one: gaps.Unknown) -> str:
    if one.candidates:
        return f"may be {', '.join(one.candidates[:5])}"
    return "asked for in vain" if one.asked else "spoken of, never explained"
