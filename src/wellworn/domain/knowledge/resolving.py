"""The resolver: what a term stands for, one question, or "unknown"; never a guess.

Its steps are those of the protocol: what somebody taught, hot terms, learned aliases, facts and
search, one question. Every word of an answer is cut from a document, and the span says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wellworn.domain.knowledge.aliases import ALIAS_FIELDS, FIRST_CONFIDENCE, Alias, update_alias
from wellworn.domain.knowledge.answering import (
    answer_for_name,
    answer_from_compiled,
    ask_about_others,
)
from wellworn.domain.knowledge.answers import Answer, QuotedSpan, ResolutionOutcome, Value
from wellworn.domain.knowledge.attributes import list_telling_words
from wellworn.domain.knowledge.entities import is_special, name_key, term
from wellworn.domain.knowledge.lookup import TermLookup
from wellworn.domain.knowledge.passages import PassageQuoter
from wellworn.domain.knowledge.questions import (
    ValueQuestion,
    ask_by_context,
    parse_question,
    parse_without_names,
)
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter
from wellworn.domain.knowledge.steps import (
    answer_mentioned,
    answer_not_stated,
    answer_unknown,
    answer_with_passages,
    limit_answer,
)
from wellworn.domain.knowledge.store import learning
from wellworn.domain.knowledge.views import Part
from wellworn.domain.sources import Snippet, Sources, extract_exact_terms
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock

_LOOKED_AT: Final = 24
_LONGEST_CONTEXT: Final = 1_000
_FEW_WORDS: Final = 4
"""Words that tell something, of a question for one attribute of one thing."""


class Resolver:
    """Resolves terms for one room."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        catch_up: Callable[[Access], None],
    ) -> None:
        self._database = database
        self._sources = sources
        self._clock = clock
        self._catch_up = catch_up

    def resolve(self, access: Access, term: str, *, context: str) -> Answer:
        """Return the answer of the first step that has one."""
        self._catch_up(access)
        context = context[:_LONGEST_CONTEXT]
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            question, answer = _answer_with_names(lookup, term, context)
        if answer is None or _leaves_open(answer, question):
            answer = self._search(access, question, term, context, answer)
        # A question of many words may be answered in others; that none has them tells nothing.
        is_short = len(list_telling_words(term)) <= _FEW_WORDS
        return replace(limit_answer(answer), term=term, is_silent=answer.is_silent and is_short)

    def _search(
        self,
        access: Access,
        question: ValueQuestion,
        term: str,
        context: str,
        known: Answer | None,
    ) -> Answer:
        """Answer with the passages that search brings: they are quoted."""
        words = term if extract_exact_terms(term) == [term] else f"{term} {context}".strip()
        snippets = self._sources.search(access, words, limit=_LOOKED_AT)
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            if known is not None and question.asked is not None:
                longer = lookup.list_things_of(question.name)
                quotes = PassageQuoter(lookup.quoter, question.name, longer)
                return _quote_beside(known, question.asked, quotes.quote(snippets, question.asked))
            telling = list_telling_words(f"{term} {question.asked or ''}")
            special = " ".join(word for word in telling if is_special(word) or not word.isalpha())
            # A name that is all that is asked may be the beginning of others.
            longer = lookup.list_things_of(special) if special == " ".join(telling) else ()
            quoter = PassageQuoter(lookup.quoter, special, longer)
            quotes = quoter.quote(snippets, " ".join(telling))
            # If not what is asked, then where all that is named stands.
            named = quotes or (quoter.quote(snippets, "") if special else ())
            if not named:
                return known or ask_about_others(lookup, question) or answer_unknown(question.name)
        is_plain = len(telling) == 1 and not special
        answer_quoting = answer_mentioned if is_plain else answer_with_passages
        return replace(answer_quoting(term, named), is_silent=not quotes)

    def select_naming(
        self, access: Access, term: str, snippets: Sequence[Snippet]
    ) -> Sequence[Snippet]:
        """Return the passages that name the thing that a question asks about, if one is known."""
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            named = parse_question(term, "", lookup.find_names(term))
            if named is None or named.is_plain:
                return snippets
            longer = lookup.list_things_of(named.name)
            return PassageQuoter(lookup.quoter, named.name, longer).select(snippets)

    def correct_name(self, access: Access, text: str) -> str:
        """Return a question with its one misspelt name as documents spell it.

        What a passage spells as the question does is no typing error.
        """
        self._catch_up(access)
        with self._database.read() as transaction:
            misspelt = TermLookup(self._sources, transaction, access).find_misspelt(text)
        if misspelt is None:
            return text
        name, spelling = misspelt
        words = r"[\s_-]+".join(map(re.escape, name.split()))
        pattern = rf"(?<!\w){words}(?!\w)"
        snippets = self._sources.search(access, name, limit=_LOOKED_AT)
        if any(re.search(pattern, snippet.text, re.IGNORECASE) for snippet in snippets):
            return text
        return re.sub(pattern, lambda _: spelling, text, flags=re.IGNORECASE)

    def find_values(self, access: Access, terms: Iterable[str]) -> list[Value]:
        """Return what documents say of terms, of the past too, the surest first."""
        with self._database.read() as transaction:
            return TermLookup(self._sources, transaction, access).load_values(terms)

    def learn(self, transaction: Transaction, access: Access, term: str, answer: Answer) -> None:
        """Let an alias grow surer, or give way, after a term was resolved."""
        quoter = DocumentQuoter(self._sources, transaction, access)
        place = quoter.find_section(answer.canonical) if answer.canonical else None
        if place is None:
            return
        known = learning.find_alias(transaction, access, term)
        if known is not None and known.is_taught and known.citation != answer.canonical:
            return
        self._store_alias(transaction, access, term, place)

    def teach(self, access: Access, term: str, citation: str) -> None:
        """Take somebody's word for what a term stands for.

        Raises:
            InvalidInput: the citation names no section of a document that the caller may see.
        """
        with self._database.write() as transaction:
            place = DocumentQuoter(self._sources, transaction, access).find_section(citation)
            if place is None:
                message = "citation must name a document here, such as source/path.md#heading"
                raise InvalidInput(message)
            known = learning.find_alias(transaction, access, term)
            if known is not None and known.citation != place[0].cite(place[1].anchor):
                learning.drop_alias(transaction, access, term)
            self._store_alias(transaction, access, term, place, is_taught=True)

    def import_alias(
        self, transaction: Transaction, access: Access, record: Mapping[str, Any]
    ) -> bool:
        """Store an alias that was learned elsewhere, if the term has none here."""
        place = DocumentQuoter(self._sources, transaction, access).find_section(record["citation"])
        if place is None or learning.find_alias(transaction, access, record["term"]) is not None:
            return False
        page, part = place
        alias = Alias(
            **{name: record[name] for name in ALIAS_FIELDS},
            document_id=page.served.id,
            anchor=part.anchor,
            section_hash=page.hash_section(part.anchor),
        )
        learning.store_alias(transaction, access, alias)
        return True

    def _store_alias(
        self,
        transaction: Transaction,
        access: Access,
        name: str,
        place: tuple[DocumentPage, Part],
        *,
        is_taught: bool = False,
    ) -> None:
        """Let an alias grow surer, or give way."""
        page, part = place
        now = self._clock.now()
        latest = Alias(
            term(name),
            page.cite(part.anchor),
            FIRST_CONFIDENCE,
            1,
            now,
            page.served.id,
            part.anchor,
            page.hash_section(part.anchor),
            is_taught=is_taught,
            taught_by=access.owner,
            taught_at=now,
        )
        known = learning.find_alias(transaction, access, name)
        learning.store_alias(transaction, access, update_alias(known, latest))


def _answer_with_names(
    lookup: TermLookup, term: str, context: str
) -> tuple[ValueQuestion, Answer | None]:
    """Return what a question asks of the names in it, and what is known under the first that is.

    What heads a row or the like counts as a name where it leaves nothing of the question.
    """
    wording = f"{term} {context}"
    named = parse_question(term, context, lookup.find_names(term))
    headed = lookup.find_headed(term)
    whole = ask_by_context(ValueQuestion(term, None, wording=wording), context)
    question, answer = named or whole, None
    if headed is None or named is not None:
        answer = answer_from_compiled(lookup, question, context)
    is_open = answer is None or _leaves_open(answer, question)
    if headed is not None and is_open and (named is None or headed.name != named.name):
        by_head = answer_for_name(lookup, headed, context)
        question, answer = (headed, by_head) if by_head else (question, answer)
    rest = parse_without_names(term) if answer is None and named is None else None
    if rest is not None:
        rest = replace(rest if rest.asked else ask_by_context(rest, context), wording=wording)
        return rest, answer_from_compiled(lookup, rest, context)
    return question, answer


def _quote_beside(known: Answer, asked: str, quotes: Sequence[QuotedSpan]) -> Answer:
    """Return what is known with what speaks of it: of one namesake alone, if of several."""
    if known.outcome is ResolutionOutcome.AMBIGUOUS:
        is_one = len({quote.document_id for quote in quotes}) == 1
        return answer_not_stated(replace(known, evidence=()), asked, quotes) if is_one else known
    return answer_not_stated(known, asked, quotes)


def _leaves_open(answer: Answer, question: ValueQuestion) -> bool:
    """Tell whether a document may still say what is asked: no value of it is known."""
    is_vague = answer.outcome is ResolutionOutcome.AMBIGUOUS and not answer.values
    is_named = any(
        name_key(candidate.label) == name_key(question.name) for candidate in answer.candidates
    )
    is_asked = is_vague and is_named and question.asked is not None
    return answer.outcome is ResolutionOutcome.NOT_STATED or is_asked
