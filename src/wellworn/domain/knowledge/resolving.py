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
from wellworn.domain.knowledge.answers import Answer, ResolutionOutcome, ResolverStep, Value
from wellworn.domain.knowledge.asked_values import SETTINGS
from wellworn.domain.knowledge.attributes import Attribute, list_telling_words
from wellworn.domain.knowledge.entities import name_key, term
from wellworn.domain.knowledge.lookup import TermLookup
from wellworn.domain.knowledge.passages import (
    Passage,
    find_passages,
    list_needs,
    list_quotes,
    list_word_needs,
)
from wellworn.domain.knowledge.questions import (
    ValueQuestion,
    ask_by_context,
    list_names,
    parse_question,
    parse_without_names,
)
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter
from wellworn.domain.knowledge.search_answers import ask_among_rivals, build_label
from wellworn.domain.knowledge.steps import (
    answer_mentioned,
    answer_not_stated,
    answer_unknown,
    answer_with_passages,
    ask,
    limit_answer,
    offer,
)
from wellworn.domain.knowledge.store import learning
from wellworn.domain.knowledge.views import Part
from wellworn.domain.sources import Sources, extract_exact_terms
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
        wording = f"{term} {context}"
        whole = ask_by_context(ValueQuestion(term, None, wording=wording), context)
        rest = parse_without_names(term)
        if rest is not None:
            rest = replace(rest if rest.asked else ask_by_context(rest, context), wording=wording)
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            named = parse_question(term, context, lookup.find_names(term))
            headed = lookup.find_headed(term)
            kinds = lookup.find_kinds([name for name, _ in list_names(term)])
            by_kind = parse_question(term, context, kinds.__contains__) if kinds else None
            is_wider = by_kind and named and f" {named.name} " in f" {by_kind.name} "
            readings = [named or whole, *([rest] if rest and not named else [])]
            question, answer = by_kind or whole, None
            if headed is not None and named is None:
                question, answer = headed, answer_for_name(lookup, headed, context, is_kind=False)
            elif by_kind is not None and (named is None or is_wider):
                answer = answer_for_name(lookup, by_kind, context, is_kind=True)
            while answer is None and readings:
                question = readings.pop(0)
                # What is left of a question may be half of a phrase, and of no kind.
                is_kind = question is not rest
                answer = answer_from_compiled(lookup, question, context, is_kind=is_kind)
            if headed and named and headed.name != named.name:
                question, answer = _complete_by_head(lookup, headed, context, question, answer)
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
        """Answer with the passages that search brings: they are quoted, or asked about."""
        words = term if extract_exact_terms(term) == [term] else f"{term} {context}".strip()
        snippets = self._sources.search(access, words, limit=_LOOKED_AT)
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            quoter = lookup.quoter
            # What follows an identifier tells of the same thing.
            is_word = known is not None and question.name.replace(" ", "").isalpha()
            longer = lookup.list_longer(question.name) if is_word else ()
            if known is not None:
                needs = list_needs(question, longer)
                passages = find_passages(quoter, snippets, needs)
                answer = _answer_with_more(known, term, question, context, passages)
                if answer is not None:
                    return answer
            needs = list_word_needs(term, question, longer)
            # If not what is asked, then where all that is named stands.
            named = [need for need in needs if need.is_name]
            telling = find_passages(quoter, snippets, needs)
            passages = telling or find_passages(quoter, snippets, named)
            if not passages:
                asking = None if known else ask_about_others(lookup, question)
                return known or asking or answer_unknown(question.name)
            rivals = ask_among_rivals(term, question, context, passages)
            is_plain = len(needs) == 1 and not needs[0].is_name
            answer_quoting = answer_mentioned if is_plain else answer_with_passages
            quoting = answer_quoting(term, list_quotes(passages))
            return rivals or replace(quoting, is_silent=not telling)

    def find_other_subjects(
        self, access: Access, text: str, headings: Iterable[str]
    ) -> dict[str, set[str]]:
        """Return headings of things whose names only resemble the one that a question asks about.

        With each are the words that what stands below it needs to tell of that one.
        """
        with self._database.read() as transaction:
            lookup = TermLookup(self._sources, transaction, access)
            return lookup.find_other_subjects(text, headings)

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


def _complete_by_head(
    lookup: TermLookup,
    headed: ValueQuestion,
    context: str,
    question: ValueQuestion,
    known: Answer | None,
) -> tuple[ValueQuestion, Answer | None]:
    """Return what a head of any words answers, where a name in it leaves the question open."""
    if known is not None and not _leaves_open(known, question):
        return question, known
    answer = answer_for_name(lookup, headed, context, is_kind=False)
    return (headed, answer) if answer is not None else (question, known)


def _answer_with_more(
    known: Answer, term: str, question: ValueQuestion, context: str, passages: Sequence[Passage]
) -> Answer | None:
    """Ask or quote where passages say more of what is known; None where all is to be searched."""
    asked, is_sure = question.asked, known.outcome is ResolutionOutcome.RESOLVED
    if passages and (asked or is_sure):
        rivals = ask_among_rivals(term, question, context, passages)
        if rivals is not None or is_sure:
            return rivals or known
    if passages and asked:
        if known.outcome is ResolutionOutcome.AMBIGUOUS:
            return _answer_of_namesake(known, asked, passages)
        return answer_not_stated(known, asked, list_quotes(passages))
    is_whole = is_sure or not (asked and asked.is_free) or question.is_by_context
    return known if is_whole else None


def _answer_of_namesake(known: Answer, asked: Attribute, passages: Sequence[Passage]) -> Answer:
    """Quote what speaks of one of several namesakes, or ask which one where several are told of."""
    best = {passage.quote.document_id: passage for passage in reversed(passages)}
    if len(best) == 1:
        return answer_not_stated(replace(known, evidence=()), asked, list_quotes(passages))
    first = sorted(best.values(), key=lambda passage: -passage.score)
    return ask(known.term, [offer(build_label(each.snippet), each.quote) for each in first])


def _leaves_open(answer: Answer, question: ValueQuestion) -> bool:
    """Tell whether a document may still say what is asked: no value of it is known."""
    is_vague = answer.outcome is ResolutionOutcome.AMBIGUOUS and not answer.values
    is_named = any(
        name_key(candidate.label) == name_key(question.name) for candidate in answer.candidates
    )
    is_asked = is_vague and is_named and question.asked is not None
    return (
        answer.outcome is ResolutionOutcome.NOT_STATED
        or is_asked
        or (answer.outcome is ResolutionOutcome.RESOLVED and _is_plain_setting(answer, question))
    )


def _is_plain_setting(answer: Answer, question: ValueQuestion) -> bool:
    """Tell whether values are of a setting that is called by plain words: others may be, too."""
    called = {value.attribute for value in answer.values}
    is_explained = answer.found_by is ResolverStep.HOT_TERMS
    is_setting = bool(called) and called <= SETTINGS and not is_explained
    return is_setting and question.name.replace(" ", "").isalpha()
