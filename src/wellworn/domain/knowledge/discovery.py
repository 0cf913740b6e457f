"""The discovery layer: what is compiled of documents, asked and looked after."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from wellworn.domain.knowledge.aliases import ALIAS_FIELDS
from wellworn.domain.knowledge.answers import (
    BOTH,
    Answer,
    Artifact,
    ArtifactName,
    CompileSummary,
    Quality,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    UnknownTerm,
    Value,
)
from wellworn.domain.knowledge.compiling import Compiler
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.files import ArtifactFiles
from wellworn.domain.knowledge.name_registry import NameRegistry
from wellworn.domain.knowledge.questions import is_question
from wellworn.domain.knowledge.resolving import Resolver
from wellworn.domain.knowledge.store import compiled, conflicts, learning, periods, rulings
from wellworn.domain.knowledge.value_reading import ValueReader
from wellworn.domain.reading import PassageReader
from wellworn.domain.sources import Snippet, Sources
from wellworn.domain.spaces import Access, Role
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import UNREADABLE, Database, Lose, Transaction
from wellworn.errors import InvalidInput, NotFound
from wellworn.kit.clock import Clock
from wellworn.kit.folding import fold_forms
from wellworn.kit.text import normalise_text

REOPEN: Final = "reopen"
_LONGEST_TERM: Final = 200
_MOST_UNKNOWN: Final = 100


class Discovery:
    """The compiled side of one database; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        enricher: Enricher | None = None,
        *,
        passages: PassageReader | None = None,
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._compiler = Compiler(database, sources, clock, enricher=enricher)
        self._files = ArtifactFiles(database, sources, self._compiler, clock)
        self._resolver = Resolver(database, sources, clock, self._compiler.catch_up)
        self._values = passages and ValueReader(
            database, sources, clock, passages, self._resolver.select_naming
        )
        sources.searcher.find_past = periods.find_past
        self.names = NameRegistry(database, clock, _normalize_term, self._compiler.settle_conflicts)

    def compile(
        self,
        access: Access,
        *,
        changed: Collection[int] = (),
        all_anew: bool = False,
        check: Callable[[], None] | None = None,
    ) -> CompileSummary:
        """Bring digests, facts and conflicts up to date, asking the model; say what it cost.

        `check` is called now and then; what it raises stops the compile.
        """
        return self._compiler.compile(
            access, changed=changed, all_anew=all_anew, with_model=True, check=check
        )

    def artifact(self, access: Access, name: ArtifactName) -> Artifact:
        """Return a virtual file as the caller may see it, made again when something changed."""
        return self._files.get_artifact(access, name)

    def preamble(self, access: Access, *, budget_tokens: int) -> str:
        """Return what an agent is told about knowledge, with the catalog when it fits."""
        return self._files.build_preamble(access, budget_tokens=budget_tokens)

    # ------------------------------------------------------------ resolving

    def resolve(
        self,
        access: Access,
        term: str,
        *,
        context: str,
        agent_id: str,
        learn: bool = True,
        reads: bool = True,
    ) -> Answer:
        """Return what a term stands for, or the one question to ask.

        The question counts, and its answer teaches, unless `learn` says to leave no trace. What no
        fact states is read out of passages, unless `reads` says that the caller reads them.

        Raises:
            InvalidInput: the term is empty or far too long for one.
        """
        term = _normalize_term(term)
        context = fold_forms(context)
        answer = self._resolver.resolve(access, term, context=context)
        if self._values is not None and reads:
            answer = self._values.complete(access, term, context, answer)
        if not learn:
            return answer
        with self._database.write() as transaction:
            learning.record_resolution(
                transaction,
                access,
                term,
                outcome=answer.outcome,
                found_by=answer.found_by,
                agent_id=redact(agent_id).text,
                now=self._clock.now(),
            )
            # What context decided, or a mere mention, says nothing of the next question, and a
            # question is no name.
            is_bare = not context.strip() and not is_question(term)
            is_named = answer.found_by in {ResolverStep.HOT_TERMS, ResolverStep.ALIASES}
            is_learned = answer.outcome is ResolutionOutcome.RESOLVED and is_bare and is_named
            if is_learned and access.role.allows(Role.CONTRIBUTOR):
                self._resolver.learn(transaction, access, term, answer)
        return answer

    def search(self, access: Access, text: str, *, limit: int) -> list[Snippet]:
        """Return the best passages for a question, marked as weak by reading, where anybody reads.

        Without a reader those are weak that are hardly near in meaning and in words.
        """
        text = fold_forms(text)
        passages = self._sources.search(access, text, limit=limit)
        return self._values.mark_weak(text, passages) if self._values else passages

    def correct_name(self, access: Access, text: str) -> str:
        """Return a question that names nothing known with its one misspelt name spelt right."""
        return self._resolver.correct_name(access, fold_forms(text))

    def learn(self, access: Access, term: str, citation: str) -> Answer:
        """Take somebody's word for what a term stands for; return what it resolves to now.

        Raises:
            InvalidInput: the citation names no section of a document that the caller may see.
        """
        term = _normalize_term(term)
        self._resolver.teach(access, term, citation)
        return self._resolver.resolve(access, term, context="")

    def provenance(self, access: Access, term: str, *, fact_type: str | None) -> tuple[Value, ...]:
        """Return every value known of a term, each with where it stands."""
        self._compiler.catch_up(access)
        values = self._resolver.find_values(access, [_normalize_term(term)])
        return tuple(value for value in values if fact_type in {None, value.fact_type})

    # ------------------------------------------------------------ conflicts

    def conflicts(self, access: Access, *, with_closed: bool) -> list[StoredConflict]:
        """Return where documents that the caller sees disagree, the open ones first."""
        with self._database.read() as transaction:
            view = self._sources.find_visible(transaction, access)
            visible = conflicts.list_visible(transaction, access, view.documents)
        shown = [conflict for conflict in visible if with_closed or conflict.state != "closed"]
        return sorted(shown, key=lambda conflict: (conflict.state != "open", conflict.id))

    def decide(
        self, access: Access, conflict_id: int, resolution: str, *, reason: str
    ) -> StoredConflict:
        """Settle a conflict: one of its values, `both`, or `reopen` to take a decision back.

        Raises:
            NotFound: there is no such conflict for this caller.
            InvalidInput: the resolution is none of those.
        """
        conflict = self._conflict(access, conflict_id)
        values = {claim.value for claim in conflict.claims}
        if resolution not in {*values, BOTH, REOPEN}:
            message = "resolution must be one of the conflict's values, both, or reopen"
            raise InvalidInput(message)
        is_open = resolution == REOPEN
        with self._database.write() as transaction:
            conflicts.change_conflict(
                transaction,
                conflict_id,
                state="open" if is_open else "resolved",
                resolution=None if is_open else resolution,
                reason=redact(reason[:2_000]).text or None,
                resolved_by=None if is_open else access.principal,
                resolved_at=None if is_open else self._clock.now(),
                decided_on=None if is_open else _list_quotes(conflict),
            )
        return self._conflict(access, conflict_id)

    def _conflict(self, access: Access, conflict_id: int) -> StoredConflict:
        for conflict in self.conflicts(access, with_closed=True):
            if conflict.id == conflict_id:
                return conflict
        raise NotFound("there is no such conflict")

    # ------------------------------------------------------------ pins, gaps, quality

    def pins(self, access: Access) -> list[str]:
        """Return the terms that are always hot."""
        with self._database.read() as transaction:
            return learning.list_pins(transaction, access)

    def pin(self, access: Access, term: str, *, pinned: bool) -> list[str]:
        """Make a term always hot, or no longer; return all that are."""
        term = _normalize_term(term)
        with self._database.write() as transaction:
            if pinned:
                learning.pin(transaction, access, term, self._clock.now())
            else:
                learning.unpin(transaction, access, term)
            return learning.list_pins(transaction, access)

    def unknowns(self, access: Access) -> list[UnknownTerm]:
        """Return terms that nothing explains, the most wanted first."""
        self._compiler.catch_up(access)
        with self._database.read() as transaction:
            view = self._sources.find_visible(transaction, access)
            digests = self._files.load_digests(transaction, access, view)
            return self._files.list_unknown(transaction, access, digests)[:_MOST_UNKNOWN]

    def quality(self, access: Access) -> Quality:
        """Return how well knowledge serves this space, of documents that the caller may see."""
        with self._database.read() as transaction:
            outcomes = learning.count_outcomes(transaction, access)
            visible = self._sources.exchange.list_visible_ids(transaction, access)
            facts = compiled.count_facts(transaction, access, visible)
        counts = self._sources.progress.collect_counts(access)
        by_step: dict[str, int] = {}
        for (outcome, step), times in outcomes.items():
            if outcome == ResolutionOutcome.RESOLVED:
                by_step[step] = by_step.get(step, 0) + times
        return Quality(
            asked=sum(outcomes.values()),
            resolved=_count(outcomes, ResolutionOutcome.RESOLVED),
            ambiguous=_count(outcomes, ResolutionOutcome.AMBIGUOUS),
            not_stated=_count(outcomes, ResolutionOutcome.NOT_STATED),
            unknown=_count(outcomes, ResolutionOutcome.UNKNOWN),
            by_step={
                step.value: by_step.get(step.value, 0)
                for step in ResolverStep
                if step is not ResolverStep.NOTHING
            },
            facts=facts,
            conflicts_open=sum(
                conflict.state == "open" for conflict in self.conflicts(access, with_closed=False)
            ),
            top_unknown=tuple(self.unknowns(access)[:10]),
            **counts,
        )

    def export_records(self, access: Access, lose: Lose) -> Iterator[dict[str, Any]]:
        """Yield what was learned, pinned and decided: all that does not follow from documents."""
        kinds = {
            "alias": self._export_aliases,
            "pin": self._export_pins,
            "decision": self._export_decisions,
            "name_ruling": self.names.export_records,
        }
        for kind, export in kinds.items():
            try:
                with self._database.read() as transaction:
                    records = list(export(transaction, access))
            except UNREADABLE as failure:
                lose(kind, "all", failure)
            else:
                yield from records

    def _export_aliases(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        visible = self._sources.exchange.list_visible_ids(transaction, access)
        for alias in learning.list_aliases(transaction, access):
            if alias.document_id in visible:
                yield {"record": "alias", **{name: getattr(alias, name) for name in ALIAS_FIELDS}}

    def _export_pins(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        for term in learning.list_pins(transaction, access):
            yield {"record": "pin", "term": term}

    def _export_decisions(
        self, transaction: Transaction, access: Access
    ) -> Iterator[dict[str, Any]]:
        visible = self._sources.exchange.list_visible_ids(transaction, access)
        for conflict in conflicts.list_visible(transaction, access, visible):
            if conflict.resolution is not None:
                yield _to_record(conflict)

    def import_records(self, access: Access, records: Sequence[Mapping[str, Any]]) -> int:
        """Store what was learned, pinned and decided elsewhere; return how many were new."""
        # What is one thing decides where there are conflicts to have been decided.
        with self._database.write() as transaction:
            imported = sum(
                self.names.import_record(transaction, access, record)
                for record in records
                if record["record"] == "name_ruling"
            )
        self._compiler.compile(access)
        if imported:
            self._compiler.settle_conflicts(access)
        now = self._clock.now()
        with self._database.write() as transaction:
            for record in records:
                if record["record"] == "pin":
                    imported += record["term"] not in learning.list_pins(transaction, access)
                    learning.pin(transaction, access, record["term"], now)
                elif record["record"] == "alias":
                    imported += self._resolver.import_alias(transaction, access, record)
                elif record["record"] == "decision":
                    imported += conflicts.import_decision(transaction, access, record)
        return imported

    def roll_back(self, access: Access, owner: str, since: float) -> None:
        """Take back what a member decided and taught since a moment, in epoch seconds."""
        with self._database.write() as transaction:
            self.names.roll_back(transaction, access, owner, since)
            learning.roll_back(transaction, access, owner, since)
            conflicts.reopen(transaction, access, owner, since)
        self._compiler.settle_conflicts(access)

    def purge(self, transaction: Transaction, access: Access) -> None:
        """Remove everything of the space, in the caller's transaction."""
        compiled.purge(transaction, access)
        learning.purge(transaction, access)
        rulings.purge(transaction, access)


def _to_record(conflict: StoredConflict) -> dict[str, Any]:
    columns = {name: getattr(conflict, name) for name in conflicts.RECORDED}
    return {"record": "decision", **columns, "decided_on": sorted(conflict.decided_on)}


def _normalize_term(term: str) -> str:
    plain = redact(" ".join(fold_forms(term).split())).text
    if not plain or len(plain) > _LONGEST_TERM:
        raise InvalidInput(f"term must be 1 to {_LONGEST_TERM} characters")
    return plain


def _list_quotes(conflict: StoredConflict) -> frozenset[str]:
    return frozenset(normalise_text(claim.evidence.text) for claim in conflict.claims)


def _count(outcomes: Mapping[tuple[str, str], int], wanted: ResolutionOutcome) -> int:
    return sum(times for (outcome, _), times in outcomes.items() if outcome == wanted)
