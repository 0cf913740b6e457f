"""The resolver: what a term stands for, one question, or "unknown"; never a guess.

Its steps are those of the protocol: what somebody taught, hot terms, learned aliases, facts and
search, one question. Every word of an answer is cut from a document, and the span says which.

Source: knowledge sync v1.0, section 7; knowledge design, decision 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.knowledge.aliases import Alias, learned
from wellworn.domain.knowledge.answers import (
    Answer,
    ConflictFound,
    FoundBy,
    Value,
)
from wellworn.domain.knowledge.entities import key
from wellworn.domain.knowledge.quoting import Page, Shelf
from wellworn.domain.knowledge.steps import (
    MOST_CANDIDATES,
    NAMED_CONFIDENCE,
    ask,
    by_alias,
    by_facts,
    by_hot_terms,
    by_name,
    by_search,
    is_titled,
    lost_values,
    misspelt,
    option,
    resolved,
    settled,
    undecided,
)
from wellworn.domain.knowledge.store import compiled, learning
from wellworn.domain.knowledge.store.learning import Learned
from wellworn.domain.knowledge.unknowns import candidates_of
from wellworn.domain.knowledge.views import Part
from wellworn.domain.sources import Sources, Visible
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.text import folded

HOT: Final = "hot_terms.json"
"""The hot terms and stated aliases as data: `{"terms": {key: …}, "aliases": {key: …}}`."""
_LOOKED_AT: Final = 12


_ARTICLE: Final = re.compile(r"^(?:the|our|my|an?)\s+(?=\S)", re.IGNORECASE)


class Resolver:
    """Resolves terms for one room."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        hot: Callable[[Access], tuple[Mapping[str, Any], Visible]],
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._hot = hot

    def resolve(self, access: Access, term: str, *, context: str) -> Answer:
        """Return the answer of the first step that has one."""
        hot, seen = self._hot(access)
        with self._database.read() as transaction:
            shelf = Shelf(self._sources, transaction, access, seen.documents)
            found = self._known(transaction, access, shelf, term, hot)
            if found is not None:
                return found
        snippets = self._sources.search(access, f"{term} {context}".strip(), limit=_LOOKED_AT)
        with self._database.read() as transaction:
            shelf = Shelf(self._sources, transaction, access, seen.documents)
            return by_search(shelf, term, snippets)

    def values(self, access: Access, terms: Iterable[str]) -> list[Value]:
        """Return what documents say of terms now, the surest first."""
        with self._database.read() as transaction:
            shelf = self._shelf(transaction, access)
            return self._values(transaction, access, shelf, terms)

    def learn(self, transaction: Transaction, access: Access, term: str, answer: Answer) -> None:
        """Let an alias grow surer, or give way, after a term was resolved."""
        shelf = self._shelf(transaction, access)
        place = shelf.named(answer.canonical) if answer.canonical else None
        if place is None:
            return
        known = learning.alias(transaction, access, term)
        if known is not None and known.is_taught and known.path != answer.canonical:
            return
        self._keep(transaction, access, term, place, is_taught=bool(known and known.is_taught))

    def teach(self, access: Access, term: str, citation: str) -> None:
        """Take somebody's word for what a term stands for.

        Raises:
            InvalidInput: the citation names no section of a document that the caller may see.
        """
        with self._database.write() as transaction:
            place = self._shelf(transaction, access).named(citation)
            if place is None:
                message = "citation must name a document here, such as source/path.md#heading"
                raise InvalidInput(message)
            known = learning.alias(transaction, access, term)
            if known is not None and known.path != place[0].citation(place[1].anchor):
                learning.drop_alias(transaction, access, term)
            self._keep(transaction, access, term, place, is_taught=True)

    def take(self, transaction: Transaction, access: Access, given: Mapping[str, Any]) -> bool:
        """Store an alias that was learned elsewhere, if the term has none here."""
        place = self._shelf(transaction, access).named(given["citation"])
        if place is None or learning.alias(transaction, access, given["term"]) is not None:
            return False
        page, part = place
        kept = Learned(
            term=given["term"],
            document_id=page.served.id,
            path=given["citation"],
            anchor=part.anchor,
            section_hash=page.section_hash(part.anchor),
            confidence=given["confidence"],
            usage_count=given["usage_count"],
            last_used_at=given["last_used_at"],
            is_taught=given["is_taught"],
        )
        learning.keep_alias(transaction, access, kept)
        return True

    def _keep(
        self,
        transaction: Transaction,
        access: Access,
        term: str,
        place: tuple[Page, Part],
        *,
        is_taught: bool,
    ) -> None:
        page, part = place
        known = learning.alias(transaction, access, term)
        before = known and Alias(
            known.term, known.path, known.confidence, known.usage_count, known.last_used_at
        )
        citation = page.citation(part.anchor)
        after = learned(before, term, citation, now=self._clock.now())
        is_same = after.canonical == citation
        kept = Learned(
            term=after.term,
            document_id=page.served.id,
            path=after.canonical,
            anchor=part.anchor,
            section_hash=page.section_hash(part.anchor),
            confidence=after.confidence,
            usage_count=after.usage_count,
            last_used_at=after.last_used,
            is_taught=is_taught,
        )
        if not is_same and known is not None:
            # It stands for what it stood for, and is less sure of it.
            kept = replace(known, confidence=after.confidence, usage_count=after.usage_count)
        learning.keep_alias(transaction, access, kept)

    # ------------------------------------------------------------ the steps

    def _known(
        self,
        transaction: Transaction,
        access: Access,
        shelf: Shelf,
        term: str,
        hot: Mapping[str, Any],
    ) -> Answer | None:
        names = list(dict.fromkeys([term, _ARTICLE.sub("", term)]))
        stated = next(
            (hot["aliases"][key(one)] for one in names if key(one) in hot["aliases"]), None
        )
        if stated:
            names.append(stated["term"])
        values = self._values(transaction, access, shelf, names)
        disputed = self._disputed(transaction, access, shelf, names)
        values, question = settled(values, disputed)
        alias = learning.alias(transaction, access, term)
        answer = (
            by_alias(shelf, term, alias, values, only_taught=True)
            or by_hot_terms(shelf, term, names, values, hot)
            or by_alias(shelf, term, alias, values, only_taught=False)
            or by_name(shelf, term, values)
            or by_facts(term, values)
        )
        if question is not None:
            return undecided(term, values, question)
        if answer is None:
            return (
                self._of_a_kind(transaction, access, shelf, term)
                or self._part_of_something(transaction, access, shelf, term, hot)
                or misspelt(shelf, term, hot)
            )
        if any(value in answer.summary for one in disputed for value in lost_values(one)):
            # The words are the document's, and somebody decided against them.
            answer = replace(answer, summary="")
        if stated and (page := shelf.page(stated["document"])):
            said = page.evidence(stated["start"], stated["end"])
            return replace(answer, evidence=(*answer.evidence, said))
        return answer

    def _values(
        self, transaction: Transaction, access: Access, shelf: Shelf, terms: Iterable[str]
    ) -> list[Value]:
        kept = compiled.facts(transaction, access, terms)
        return [value for one in kept if (value := shelf.value(one)) is not None]

    def _disputed(
        self, transaction: Transaction, access: Access, shelf: Shelf, terms: Sequence[str]
    ) -> list[ConflictFound]:
        """Return what documents that the caller sees disagree about; of others nothing is told."""
        keys = {key(one) for one in terms}
        found = compiled.conflicts(transaction, access)
        return [
            one
            for one in found
            if key(one.term) in keys
            and one.state != "closed"
            and all(claim.evidence.document_id in shelf.served for claim in one.claims)
        ]

    def _of_a_kind(
        self, transaction: Transaction, access: Access, shelf: Shelf, term: str
    ) -> Answer | None:
        """Ask which one is meant by "the old server", when there are several."""
        facts = [
            one.fact
            for one in compiled.facts(transaction, access, None)
            if one.fact.document in shelf.served
        ]
        names = candidates_of(folded(term).casefold(), facts)
        if not names or len(names) < 2:  # noqa: PLR2004 - one is no choice
            return None
        values = self._values(transaction, access, shelf, names)
        best = {value.term: value for value in reversed(values)}
        chosen = [best[name] for name in names if name in best][:MOST_CANDIDATES]
        if len(chosen) < 2:  # noqa: PLR2004 - one is no choice
            return None
        return ask(term, [option(one) for one in chosen], [one.evidence for one in chosen])

    def _part_of_something(
        self,
        transaction: Transaction,
        access: Access,
        shelf: Shelf,
        term: str,
        hot: Mapping[str, Any],
    ) -> Answer | None:
        """Find "hdrpop analytics": what is known, and one section of where it is explained."""
        said = term.split()
        for cut in range(len(said) - 1, 0, -1):
            whole, rest = " ".join(said[:cut]), " ".join(said[cut:])
            known = hot["terms"].get(key(whole))
            page = shelf.page(known["document"]) if known and known["document"] else None
            found = [one for one in page.parts if is_titled(one.title, rest)] if page else []
            if page is None or len(found) != 1:
                continue
            [part] = found
            values = [
                value
                for value in self._values(transaction, access, shelf, [whole])
                if value.evidence.document_id == page.served.id
                and part.start <= value.start < part.end
            ]
            evidence = page.evidence(*page.lead(part))
            return resolved(
                term,
                FoundBy.HOT_TERMS,
                evidence,
                values,
                confidence=NAMED_CONFIDENCE,
                anchor=part.anchor,
            )
        return None

    def _shelf(self, transaction: Transaction, access: Access) -> Shelf:
        seen = self._sources.served_to(transaction, access)
        return Shelf(self._sources, transaction, access, seen.documents)
