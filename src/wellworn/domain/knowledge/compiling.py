"""The compiler: digests, facts and conflicts kept in step with documents.

Only documents that changed are read again, and it needs no language model; where one is configured,
it is asked by a compile that somebody called for, never while somebody waits for an answer. A
decision about a conflict is replayed after every sync: it holds as long as the places agree to it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Final

from wellworn.domain.knowledge.answers import CompileSummary, ConflictClaim
from wellworn.domain.knowledge.digesting import Digester
from wellworn.domain.knowledge.digests import COMPILER_VERSION
from wellworn.domain.knowledge.enrichment import EnrichedDigest, Enricher, EnrichmentRun
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.periods import find_records, find_superseded
from wellworn.domain.knowledge.quoting import DocumentQuoter
from wellworn.domain.knowledge.store import compiled, conflicts, periods, rulings
from wellworn.domain.knowledge.views import DocumentView
from wellworn.domain.sources import Sources
from wellworn.domain.sources.store import ServedDocument
from wellworn.domain.spaces import Access, Mode
from wellworn.engines.extraction import is_configuration
from wellworn.engines.storage.sql import Database, Transaction, split_into_batches
from wellworn.kit.clock import Clock

_AT_ONCE: Final = 16
"""Documents of one transaction, for which calls that write wait."""
_ASKED_AT_ONCE: Final = 5
"""Documents after which a model's answers are stored, as they take long and cost."""

_TOOK_TOO_LONG: Final = "its facts are unreadable: compiling it took too long; split it"
_log = logging.getLogger(__name__)


def _go_on() -> None:
    """Never ask a compile to stop."""


class Compiler:
    """Compiles the documents of one room, for whomever they are."""

    def __init__(
        self, database: Database, sources: Sources, clock: Clock, enricher: Enricher | None = None
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._enricher = enricher

    def compile(
        self,
        access: Access,
        *,
        changed: Collection[int] = (),
        all_anew: bool = False,
        with_model: bool = False,
        check: Callable[[], None] | None = None,
    ) -> CompileSummary:
        """Bring digests, facts and conflicts up to date; say what it cost.

        Args:
            access: whose space.
            changed: documents whose path or source has changed, though not their words.
            all_anew: whether all are read again.
            with_model: whether the model, where there is one, is asked of what it has not seen.
            check: is called now and then; what it raises stops the compile.
        """
        began = time.perf_counter()
        with self._database.read() as transaction:
            served = self._load_served(transaction, access)
            versions = {} if all_anew else compiled.load_versions(transaction, access)
        todo = [
            document
            for document in served.values()
            if document.id in changed
            or not _is_current(document.id, document.content_hash, versions)
        ]
        gone = versions.keys() - served.keys()
        is_sealed = access.mode is Mode.SEALED
        most_s = self._sources.compile_s
        digester = Digester(len(todo), stays_here=is_sealed, most_s=most_s, check=check or _go_on)
        with closing(digester):
            parts = list(split_into_batches(todo, _AT_ONCE))
            views = (self._load_views(access, part) for part in parts)
            for part, digests in zip(parts, digester.digest(views), strict=True):
                self._store(access, part, map(EnrichedDigest, digests))
                self._flag(part, digester)
            enriching = (
                self._enrich(access, served.values(), versions, todo, digester)
                if with_model
                else None
            )
        with self._database.write() as transaction:
            compiled.drop_digests(transaction, gone)
            if todo or gone or (enriching and enriching.asked):
                self._settle_conflicts(transaction, access, served)
            open_ones = [
                conflict
                for conflict in conflicts.list_conflicts(transaction, access)
                if conflict.state == "open"
            ]
            facts = compiled.count_facts(transaction, access, served)
        return CompileSummary(
            documents=len(served),
            recompiled=len(todo),
            facts=facts,
            conflicts_open=len(open_ones),
            tokens=enriching.usage.tokens if enriching else 0,
            note=enriching.note if enriching else "",
            seconds=time.perf_counter() - began,
            compiler_version=COMPILER_VERSION,
        )

    def _enrich(
        self,
        access: Access,
        served: Collection[ServedDocument],
        versions: Mapping[int, tuple[str, str]],
        todo: Sequence[ServedDocument],
        digester: Digester,
    ) -> EnrichmentRun | None:
        """Ask the model of every document that it has not seen as it is now."""
        enricher = self._enricher
        if enricher is None or not enricher.may_read(access):
            return None
        anew = {document.id for document in todo}
        unseen = [
            document
            for document in served
            if document.id in anew
            or versions.get(document.id) != (document.content_hash, enricher.version)
        ]
        enriching = enricher.begin()
        for part in split_into_batches(unseen, _ASKED_AT_ONCE):
            views = self._load_views(access, part)
            [made] = digester.digest(iter([views]))
            better = [
                enriching.enrich(view, plain)
                for view, plain in zip(views, made, strict=True)
                if view.id not in digester.passed_over
            ]
            self._store(
                access,
                part,
                filter(None, better),
                version=enriching.version,
                derived_by=enriching.derived_by,
            )
        if enriching.note:
            _log.warning("%s", enriching.note)
        return enriching

    def _flag(self, part: Sequence[ServedDocument], digester: Digester) -> None:
        """Say of documents that they were passed over, and no more of those that were not."""
        flagged = {
            document.id: document.id in digester.passed_over
            for document in part
            if document.id in digester.long
        }
        if flagged:
            with self._database.write() as transaction:
                self._sources.flag(transaction, flagged, _TOOK_TOO_LONG)

    def _load_views(self, access: Access, part: Sequence[ServedDocument]) -> list[DocumentView]:
        with self._database.read() as transaction:
            texts = self._sources.load_contents(
                transaction, access, [document.id for document in part]
            )
        return [
            DocumentView(
                document.id, document.source, document.path, document.title, texts[document.id]
            )
            for document in part
            if document.id in texts
        ]

    def _store(
        self,
        access: Access,
        part: Sequence[ServedDocument],
        made: Iterable[EnrichedDigest],
        *,
        version: str = COMPILER_VERSION,
        derived_by: str = "",
    ) -> None:
        """Keep what was made of documents, and of nothing that was changed or went meanwhile."""
        digests = {enriched.digest.document: enriched for enriched in made}
        now = self._clock.now()
        with self._database.write() as transaction:
            hashes = self._sources.load_hashes(transaction, access)
            for document in part:
                if document.id in digests and hashes.get(document.id) == document.content_hash:
                    enriched = digests[document.id]
                    compiled.store_digest(
                        transaction,
                        access,
                        enriched.digest,
                        content_hash=document.content_hash,
                        version=version,
                        facts=_attribute_facts(enriched, derived_by),
                        now=now,
                    )

    def _settle_conflicts(
        self, transaction: Transaction, access: Access, served: Mapping[int, ServedDocument]
    ) -> None:
        """Write down what is past and where documents disagree now.

        Decisions hold as long as their quotes do.
        """
        places = {document.id: document.place for document in served.values()}
        paths = {number: document.path for number, document in served.items()}
        located = [(number, places[number], path) for number, path in paths.items()]
        periods.mark_past(transaction, access, find_superseded(located))
        records = find_records(located)
        stored_facts = compiled.load_facts(transaction, access, None)
        # Settings differ from one environment to the next, and none of them is wrong.
        facts = [
            stored.fact
            for stored in stored_facts
            if not stored.is_past
            and stored.fact.document not in records
            and not is_configuration(paths[stored.fact.document])
        ]
        known = {
            (
                conflict.place,
                name_key(conflict.term),
                conflict.attribute,
                conflict.fact_type,
            ): conflict
            for conflict in conflicts.list_conflicts(transaction, access)
        }
        now = self._clock.now()
        quoter = DocumentQuoter(self._sources, transaction, access, served)
        live: set[int] = set()
        names = rulings.load_rulings(transaction, access)
        citations = {number: document.citation for number, document in served.items()}
        for conflict in names.find_conflicts(facts, places, citations, paths):
            name = (conflict.place, conflict.term, conflict.attribute, conflict.fact_type)
            identity = (conflict.place, name_key(conflict.term), *name[2:])
            claims = sorted(
                (
                    ConflictClaim(fact.value, quoter.quote_fact(fact))
                    for fact in conflict.candidates
                ),
                key=lambda claim: -(claim.evidence.committed_at or 0.0),
            )
            stored = known.get(identity)
            if stored is None:
                conflicts.add_conflict(transaction, access, name, claims, now=now)
                continue
            live.add(stored.id)
            is_settled = conflict.is_settled(stored.resolution, stored.decided_on)
            state = "resolved" if is_settled else "open"
            conflicts.change_conflict(transaction, stored.id, claims=claims, state=state)
        for conflict in known.values():
            if conflict.id not in live and conflict.state != "closed":
                conflicts.change_conflict(transaction, conflict.id, state="closed")

    def settle_conflicts(self, access: Access) -> None:
        """Bring conflicts up to date where the documents have not changed."""
        with self._database.write() as transaction:
            self._settle_conflicts(transaction, access, self._load_served(transaction, access))

    def _load_served(self, transaction: Transaction, access: Access) -> dict[int, ServedDocument]:
        return {
            document.id: document for document in self._sources.list_served(transaction, access)
        }

    def catch_up(self, access: Access) -> None:
        """Compile by rules what changed since the last compile, if anything did."""
        if self._is_behind(access):
            self.compile(access)

    def _is_behind(self, access: Access) -> bool:
        with self._database.read() as transaction:
            return compiled.is_behind(transaction, access, COMPILER_VERSION)


def _attribute_facts(enriched: EnrichedDigest, model: str) -> dict[Fact, str]:
    """Return a document's facts, each with who found it."""
    by_rules = (*enriched.digest.facts, *enriched.digest.headed)
    every = dict.fromkeys(by_rules, f"compiler_{COMPILER_VERSION}")
    return every | dict.fromkeys(enriched.by_model, model)


def _is_current(document: int, content_hash: str, versions: Mapping[int, tuple[str, str]]) -> bool:
    """Tell whether a document's digest is of its words and these rules, whether by a model too."""
    digested, version = versions.get(document, ("", ""))
    return digested == content_hash and version.partition("+")[0] == COMPILER_VERSION
