"""The resolver: what a term stands for, one question, or "unknown"; never a guess.

Its steps are those of the protocol: what somebody taught, hot terms, learned aliases, facts and
search, one question. Every word of an answer is cut from a document, and the span says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.knowledge.aliases import Alias, update_alias
from wellworn.domain.knowledge.answers import (
    Answer,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    Value,
)
from wellworn.domain.knowledge.asked_values import (
    answer_not_stated,
    answer_with_values,
    apply_decisions,
    find_rejected_values,
    limit_answer,
)
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.questions import (
    ValueQuestion,
    list_names,
    parse_question,
    parse_without_names,
    select_values,
)
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter
from wellworn.domain.knowledge.steps import (
    MOST_CANDIDATES,
    NAMED_CONFIDENCE,
    answer_by_alias,
    answer_by_facts,
    answer_by_hot_terms,
    answer_by_name,
    answer_by_search,
    ask,
    ask_about_conflict,
    ask_about_misspelling,
    build_answer,
    is_titled,
    to_candidate,
)
from wellworn.domain.knowledge.store import compiled, learning
from wellworn.domain.knowledge.store.learning import LearnedAlias
from wellworn.domain.knowledge.unknowns import find_referents
from wellworn.domain.knowledge.views import Part
from wellworn.domain.sources import Sources
from wellworn.domain.sources.store import VisibleDocuments
from wellworn.domain.spaces import Access
from wellworn.engines.retrieval.text import is_same_name
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.text import normalise_text

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
        hot: Callable[[Access], tuple[Mapping[str, Any], VisibleDocuments]],
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._hot = hot

    def resolve(self, access: Access, term: str, *, context: str) -> Answer:
        """Return the answer of the first step that has one."""
        hot, seen = self._hot(access)
        with self._database.read() as transaction:
            quoter = DocumentQuoter(self._sources, transaction, access, seen.documents)
            is_name = self._find_names(transaction, access, quoter, term, hot)
            question = parse_question(term, context, is_name) or ValueQuestion(term, None)
            answer = self._answer_from_compiled(transaction, access, quoter, question, hot)
        if answer is None:
            answer = self._search(access, question, context, seen)
        rest = parse_without_names(term) if answer.outcome is ResolutionOutcome.UNKNOWN else None
        if rest is not None:
            with self._database.read() as transaction:
                quoter = DocumentQuoter(self._sources, transaction, access, seen.documents)
                named = self._answer_from_compiled(transaction, access, quoter, rest, hot)
            answer = named or self._search(access, rest, context, seen)
        return replace(limit_answer(answer), term=term)

    def _search(
        self, access: Access, question: ValueQuestion, context: str, seen: VisibleDocuments
    ) -> Answer:
        """Answer with what search brings; a value that is asked for is quoted at most."""
        words = f"{question.name} {context}".strip()
        snippets = self._sources.search(access, words, limit=_LOOKED_AT)
        with self._database.read() as transaction:
            quoter = DocumentQuoter(self._sources, transaction, access, seen.documents)
            answer = answer_by_search(quoter, question.name, snippets)
            if question.asked is None or answer.outcome is not ResolutionOutcome.RESOLVED:
                return answer
            return answer_not_stated(quoter, answer, question.asked)

    def find_values(self, access: Access, terms: Iterable[str]) -> list[Value]:
        """Return what documents say of terms now, the surest first."""
        with self._database.read() as transaction:
            quoter = self._open_quoter(transaction, access)
            return self._load_values(transaction, access, quoter, terms)

    def learn(self, transaction: Transaction, access: Access, term: str, answer: Answer) -> None:
        """Let an alias grow surer, or give way, after a term was resolved."""
        quoter = self._open_quoter(transaction, access)
        place = quoter.find_section(answer.canonical) if answer.canonical else None
        if place is None:
            return
        known = learning.find_alias(transaction, access, term)
        if known is not None and known.is_taught and known.path != answer.canonical:
            return
        self._store_alias(
            transaction, access, term, place, is_taught=bool(known and known.is_taught)
        )

    def teach(self, access: Access, term: str, citation: str) -> None:
        """Take somebody's word for what a term stands for.

        Raises:
            InvalidInput: the citation names no section of a document that the caller may see.
        """
        with self._database.write() as transaction:
            place = self._open_quoter(transaction, access).find_section(citation)
            if place is None:
                message = "citation must name a document here, such as source/path.md#heading"
                raise InvalidInput(message)
            known = learning.find_alias(transaction, access, term)
            if known is not None and known.path != place[0].cite(place[1].anchor):
                learning.drop_alias(transaction, access, term)
            self._store_alias(transaction, access, term, place, is_taught=True)

    def import_alias(
        self, transaction: Transaction, access: Access, record: Mapping[str, Any]
    ) -> bool:
        """Store an alias that was learned elsewhere, if the term has none here."""
        place = self._open_quoter(transaction, access).find_section(record["citation"])
        if place is None or learning.find_alias(transaction, access, record["term"]) is not None:
            return False
        page, part = place
        alias = LearnedAlias(
            term=record["term"],
            document_id=page.served.id,
            path=record["citation"],
            anchor=part.anchor,
            section_hash=page.hash_section(part.anchor),
            confidence=record["confidence"],
            usage_count=record["usage_count"],
            last_used_at=record["last_used_at"],
            is_taught=record["is_taught"],
        )
        learning.store_alias(transaction, access, alias)
        return True

    def _store_alias(
        self,
        transaction: Transaction,
        access: Access,
        term: str,
        place: tuple[DocumentPage, Part],
        *,
        is_taught: bool,
    ) -> None:
        page, part = place
        known = learning.find_alias(transaction, access, term)
        before = known and Alias(
            known.term, known.path, known.confidence, known.usage_count, known.last_used_at
        )
        citation = page.cite(part.anchor)
        after = update_alias(before, term, citation, now=self._clock.now())
        is_same = after.canonical == citation
        alias = LearnedAlias(
            term=after.term,
            document_id=page.served.id,
            path=after.canonical,
            anchor=part.anchor,
            section_hash=page.hash_section(part.anchor),
            confidence=after.confidence,
            usage_count=after.usage_count,
            last_used_at=after.last_used,
            is_taught=is_taught,
        )
        if not is_same and known is not None:
            # It stands for what it stood for, and is less sure of it.
            alias = replace(known, confidence=after.confidence, usage_count=after.usage_count)
        learning.store_alias(transaction, access, alias)

    # ------------------------------------------------------------ the steps

    def _answer_from_compiled(
        self,
        transaction: Transaction,
        access: Access,
        quoter: DocumentQuoter,
        question: ValueQuestion,
        hot: Mapping[str, Any],
    ) -> Answer | None:
        term = question.name
        names = list(dict.fromkeys([term, _ARTICLE.sub("", term)]))
        stated = next(
            (hot["aliases"][name_key(name)] for name in names if name_key(name) in hot["aliases"]),
            None,
        )
        if stated:
            names.append(stated["term"])
        values = self._load_values(transaction, access, quoter, names)
        disputed = self._list_conflicts(transaction, access, quoter, names)
        values, undecided = apply_decisions(values, disputed, question.asked)
        alias = learning.find_alias(transaction, access, term)
        answer = (
            answer_by_alias(quoter, term, alias, values, only_taught=True)
            or answer_by_hot_terms(quoter, term, names, values, hot)
            or answer_by_alias(quoter, term, alias, values, only_taught=False)
            or answer_by_name(quoter, term, values)
            or answer_by_facts(term, values)
        )
        selected = select_values(values, question)
        if undecided is not None:
            return ask_about_conflict(term, selected, undecided)
        if answer is None:
            return (
                self._ask_by_kind(transaction, access, quoter, term)
                or self._answer_with_section(transaction, access, quoter, term, hot)
                or ask_about_misspelling(quoter, term, hot)
                or self._ask_about_alike(transaction, access, quoter, term)
            )
        if any(
            value in answer.summary
            for conflict in disputed
            for value in find_rejected_values(conflict)
        ):
            # The words are the document's, and somebody decided against them.
            answer = replace(answer, summary="")
        if stated and (page := quoter.open_page(stated["document"])):
            quote = page.quote(stated["start"], stated["end"])
            answer = replace(answer, evidence=(*answer.evidence, quote))
        if question.asked is None or answer.outcome is not ResolutionOutcome.RESOLVED:
            return answer
        if selected:
            return answer_with_values(answer, selected)
        return answer_not_stated(quoter, answer, question.asked)

    def _find_names(
        self,
        transaction: Transaction,
        access: Access,
        quoter: DocumentQuoter,
        text: str,
        hot: Mapping[str, Any],
    ) -> Callable[[str], bool]:
        """Return what tells of each part of a question whether something is called so."""
        names = [name for name, _ in list_names(text)]
        known = compiled.find_known_names(transaction, access, names)
        known |= hot["terms"].keys() | hot["aliases"].keys() | quoter.titles
        known |= learning.find_taught(transaction, access, names)
        return lambda name: name_key(name) in known

    def _load_values(
        self, transaction: Transaction, access: Access, quoter: DocumentQuoter, terms: Iterable[str]
    ) -> list[Value]:
        facts = compiled.load_facts(transaction, access, terms)
        return [value for stored in facts if (value := quoter.to_value(stored)) is not None]

    def _list_conflicts(
        self, transaction: Transaction, access: Access, quoter: DocumentQuoter, terms: Sequence[str]
    ) -> list[StoredConflict]:
        """Return what documents that the caller sees disagree about; of others nothing is told."""
        keys = {name_key(term) for term in terms}
        conflicts = compiled.list_conflicts(transaction, access)
        return [
            conflict
            for conflict in conflicts
            if name_key(conflict.term) in keys
            and conflict.state != "closed"
            and all(claim.evidence.document_id in quoter.served for claim in conflict.claims)
        ]

    def _ask_by_kind(
        self, transaction: Transaction, access: Access, quoter: DocumentQuoter, term: str
    ) -> Answer | None:
        """Ask which one is meant by "the old server", when there are several."""
        facts = [
            stored.fact
            for stored in compiled.load_facts(transaction, access, None)
            if stored.fact.document in quoter.served
        ]
        names = find_referents(normalise_text(term).casefold(), facts)
        if not names or len(names) < 2:  # noqa: PLR2004 - one is no choice
            return None
        return self._ask_which(transaction, access, quoter, term, names, least=2)

    def _ask_about_alike(
        self, transaction: Transaction, access: Access, quoter: DocumentQuoter, term: str
    ) -> Answer | None:
        """Ask whether something is meant that facts are known of, and a typing error hides."""
        names = compiled.list_terms(transaction, access, like=term)
        alike = [name for name in names if is_same_name(name, term)]
        return self._ask_which(transaction, access, quoter, term, alike, least=1)

    def _ask_which(
        self,
        transaction: Transaction,
        access: Access,
        quoter: DocumentQuoter,
        term: str,
        names: Sequence[str],
        *,
        least: int,
    ) -> Answer | None:
        """Ask which of several things is meant, if that many are known."""
        values = self._load_values(transaction, access, quoter, names)
        best = {value.term: value for value in reversed(values)}
        chosen = [best[name] for name in names if name in best][:MOST_CANDIDATES]
        if len(chosen) < least:
            return None
        return ask(
            term, [to_candidate(value) for value in chosen], [value.evidence for value in chosen]
        )

    def _answer_with_section(
        self,
        transaction: Transaction,
        access: Access,
        quoter: DocumentQuoter,
        term: str,
        hot: Mapping[str, Any],
    ) -> Answer | None:
        """Find "hdrpop analytics": what is known, and one section of where it is explained."""
        tokens = term.split()
        for cut in range(len(tokens) - 1, 0, -1):
            whole, rest = " ".join(tokens[:cut]), " ".join(tokens[cut:])
            known = hot["terms"].get(name_key(whole))
            page = quoter.open_page(known["document"]) if known and known["document"] else None
            sections = [part for part in page.parts if is_titled(part.title, rest)] if page else []
            if page is None or len(sections) != 1:
                continue
            [part] = sections
            values = [
                value
                for value in self._load_values(transaction, access, quoter, [whole])
                if value.evidence.document_id == page.served.id
                and part.start <= value.start < part.end
            ]
            evidence = page.quote(*page.find_lead(part))
            return build_answer(
                term,
                ResolverStep.HOT_TERMS,
                evidence,
                values,
                confidence=NAMED_CONFIDENCE,
                anchor=part.anchor,
            )
        return None

    def _open_quoter(self, transaction: Transaction, access: Access) -> DocumentQuoter:
        seen = self._sources.find_visible(transaction, access)
        return DocumentQuoter(self._sources, transaction, access, seen.documents)
