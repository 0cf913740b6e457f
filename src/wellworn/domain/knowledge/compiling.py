"""The compiler: digests, facts and conflicts kept in step with documents.

Only documents that changed are read again, and it needs no language model; where one is configured,
it is asked by a compile that somebody called for, never while somebody waits for an answer. A
decision about a conflict is replayed after every sync: it holds as long as the places say what they
said then.

Source: knowledge sync v1.0, sections 5 and 6; issue 5, point 4.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from wellworn.domain.knowledge.answers import Claim, Compiled, ConflictFound
from wellworn.domain.knowledge.conflicts import Decision, conflicts, decision_on
from wellworn.domain.knowledge.digests import COMPILER_VERSION, digest, to_dict
from wellworn.domain.knowledge.enrichment import Enriched, Enricher, Enriching
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.quoting import Shelf
from wellworn.domain.knowledge.store import compiled
from wellworn.domain.knowledge.views import DocumentView
from wellworn.domain.sources import Served, Sources
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.kit.clock import Clock

BOTH: Final = "both"
_AT_ONCE: Final = 100
_ASKED_AT_ONCE: Final = 5
"""Documents after which what a model said is kept, as it takes long and costs."""

_log = logging.getLogger(__name__)


class Compiler:
    """Compiles the documents of one room, for whomever they are."""

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
        self._enricher = enricher

    def compile(
        self,
        access: Access,
        *,
        changed: Collection[int] = (),
        all_anew: bool = False,
        with_model: bool = False,
    ) -> Compiled:
        """Bring digests, facts and conflicts up to date; say what it cost.

        Args:
            access: whose space.
            changed: documents whose path or source has changed, though not their words.
            all_anew: whether all are read again.
            with_model: whether the model, where there is one, is asked of what it has not seen.
        """
        began = time.perf_counter()
        with self._database.read() as transaction:
            served = {one.id: one for one in self._sources.served(transaction, access)}
            made = {} if all_anew else compiled.made_of(transaction, access)
        todo = [
            one
            for one in served.values()
            if one.id in changed or not _is_current(one.id, one.content_hash, made)
        ]
        gone = made.keys() - served.keys()
        for start in range(0, len(todo), _AT_ONCE):
            self._digest(access, todo[start : start + _AT_ONCE])
        enriching = self._enrich(access, served.values(), made, todo) if with_model else None
        with self._database.write() as transaction:
            compiled.drop(transaction, gone)
            if todo or gone or (enriching and enriching.asked):
                self._settle_conflicts(transaction, access, served)
            open_ones = [
                one for one in compiled.conflicts(transaction, access) if one.state == "open"
            ]
            facts = compiled.count_facts(transaction, access)
        return Compiled(
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
        served: Collection[Served],
        made: Mapping[int, tuple[str, str]],
        todo: Sequence[Served],
    ) -> Enriching | None:
        """Ask the model of every document that it has not seen as it is now."""
        enricher = self._enricher
        if enricher is None or not enricher.may_read(access):
            return None
        anew = {one.id for one in todo}
        unseen = [
            one
            for one in served
            if one.id in anew or made.get(one.id) != (one.content_hash, enricher.version)
        ]
        enriching = enricher.begin()
        for start in range(0, len(unseen), _ASKED_AT_ONCE):
            self._digest(access, unseen[start : start + _ASKED_AT_ONCE], enriching)
        if enriching.note:
            _log.warning("%s", enriching.note)
        return enriching

    def _digest(
        self, access: Access, part: Sequence[Served], enriching: Enriching | None = None
    ) -> None:
        """Keep what the rules make of documents; with a model only what it made better."""
        with self._database.read() as transaction:
            texts = self._sources.words(transaction, access, [one.id for one in part])
        digests: dict[int, Enriched] = {}
        for one in part:
            if one.id in texts:
                view = DocumentView(one.id, one.source, one.path, one.title, texts[one.id])
                by_rule = digest(view)
                better = enriching.enrich(view, by_rule) if enriching else Enriched(by_rule)
                if better is not None:
                    digests[one.id] = better
        now = self._clock.now()
        version, derived_by = COMPILER_VERSION, ""
        if enriching:
            version, derived_by = enriching.version, enriching.derived_by
        with self._database.write() as transaction:
            # One that was changed or went meanwhile is left for the next compile.
            hashes = self._sources.hashes(transaction, access)
            for one in part:
                if one.id in digests and hashes.get(one.id) == one.content_hash:
                    made = digests[one.id]
                    compiled.keep(
                        transaction,
                        access,
                        one.id,
                        content_hash=one.content_hash,
                        version=version,
                        digest=to_dict(made.digest),
                        facts=_found_by(made, derived_by),
                        now=now,
                    )

    def _settle_conflicts(
        self, transaction: Transaction, access: Access, served: Mapping[int, Served]
    ) -> None:
        """Write down where documents disagree now; decisions hold as long as their quotes do."""
        facts = [one.fact for one in compiled.facts(transaction, access, None)]
        known = {
            (one.term, one.attribute, one.fact_type): one
            for one in compiled.conflicts(transaction, access)
        }
        now = self._clock.now()
        shelf = Shelf(self._sources, transaction, access, served)
        live: set[int] = set()
        for conflict in conflicts(facts):
            name = (conflict.term, conflict.attribute, conflict.fact_type)
            claims = [Claim(fact.value, shelf.evidence(fact)) for fact in conflict.candidates]
            found = known.get(name)
            if found is None:
                compiled.add_conflict(transaction, access, name, claims, now=now)
                continue
            live.add(found.id)
            is_settled = decision_on(conflict, _decisions(found)) is not None
            state = "resolved" if is_settled else "open"
            compiled.change_conflict(transaction, found.id, claims=claims, state=state)
        for one in known.values():
            if one.id not in live and one.state != "closed":
                compiled.change_conflict(transaction, one.id, state="closed")

    def catch_up(self, access: Access) -> None:
        """Compile by rules what changed since the last compile, if anything did."""
        if self._is_behind(access):
            self.compile(access)

    def _is_behind(self, access: Access) -> bool:
        with self._database.read() as transaction:
            made = compiled.made_of(transaction, access)
            hashes = self._sources.hashes(transaction, access)
        if made.keys() != hashes.keys():
            return True
        return any(not _is_current(one, content, made) for one, content in hashes.items())


def _found_by(made: Enriched, model: str) -> dict[Fact, str]:
    """Return a document's facts, each with who found it."""
    every = dict.fromkeys(made.digest.facts, f"compiler_{COMPILER_VERSION}")
    return every | dict.fromkeys(made.by_model, model)


def _is_current(document: int, content_hash: str, made: Mapping[int, tuple[str, str]]) -> bool:
    """Tell whether a document's digest is of its words and these rules, whether by a model too."""
    digested, version = made.get(document, ("", ""))
    return digested == content_hash and version.partition("+")[0] == COMPILER_VERSION


def _decisions(found: ConflictFound) -> list[Decision]:
    if found.resolution is None:
        return []
    chosen = None if found.resolution == BOTH else found.resolution
    return [Decision(found.term, found.attribute, found.fact_type, chosen, found.decided_on)]
