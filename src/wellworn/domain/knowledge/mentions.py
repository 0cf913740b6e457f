"""Where documents say a word that nothing is called, in the sentence that says it.

To mention is not to explain. One sentence that says what a thing is ("Vault is our secret store")
is an answer, though not a sure one. All others only show where to look: they are quoted, and the
user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from wellworn.domain.knowledge.answers import (
    Answer,
    AnswerCandidate,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
)
from wellworn.domain.knowledge.claims import is_attribute
from wellworn.domain.knowledge.commonness import is_trade
from wellworn.domain.knowledge.entities import key, plain, term
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter, render_quote
from wellworn.domain.knowledge.statements import is_said
from wellworn.domain.knowledge.summaries import sentence_around
from wellworn.domain.sources import Snippet, find_identifiers, normalize_identifier

_MOST_OF_ONE: Final = 20
"""Places in one passage that are looked at."""
_MOST_NAMED: Final = 2
_SAYS_WHAT: Final = re.compile(
    r"[ \t]*(?:\([^()\n]{0,80}\)[ \t]*)?(?:(?:is|are) (?:an?|the|our|my|one of)\b"
    r"|(?:means|refers to|stands for)\b|(?:-|\u2013|\u2014|:)[ \t]+(?P<said>\S.*))",
    re.IGNORECASE,
)
_ARTICLES: Final = frozenset(("the", "our", "a", "an"))


@dataclass(frozen=True)
class Mention:
    """A sentence of a passage that says a term; `start` to `end` of its document."""

    page: DocumentPage
    passage: Snippet
    term: str
    start: int
    end: int
    is_headed: bool = False

    @cached_property
    def evidence(self) -> QuotedSpan:
        return self.page.quote(self.start, self.end)

    @cached_property
    def sentence(self) -> str:
        return render_quote(self.evidence.text)

    @property
    def candidate(self) -> AnswerCandidate:
        return AnswerCandidate(build_label(self.passage), self.evidence.citation, self.sentence)

    @cached_property
    def rank(self) -> int:
        """How much the place tells: 3 for what the term is, 2 below a heading that has it.

        Else 1 for prose, and 0 for code, a licence or a list of changes. What one server is does
        not say what is called so.
        """
        if self.page.is_formal or not self.page.is_prose(self.start):
            return 0
        if self._says_what:
            return 2 if _is_kind(self.term) else 3
        return 2 if self.is_headed or self._rest is not None else 1

    @property
    def is_telling(self) -> bool:
        """Whether the sentence is about the term, and not only has it."""
        return self.rank >= 2  # noqa: PLR2004 - see `rank`

    @property
    def _says_what(self) -> bool:
        verb = _SAYS_WHAT.match(self._rest) if self._rest is not None else None
        return verb is not None and (verb["said"] is None or is_said(verb["said"]))

    @cached_property
    def _rest(self) -> str | None:
        """What follows the term in a sentence or row that begins with it; None for any other."""
        sentence = " ".join(plain(self.evidence.text).split()).lstrip("|-*+ ")
        first, _, rest = sentence.partition(" ")
        sentence = rest if first.casefold() in _ARTICLES else sentence
        is_first = sentence.casefold().startswith(self.term.casefold())
        return sentence[len(self.term) :] if is_first else None


def find_mentions(quoter: DocumentQuoter, term: str, passages: Iterable[Snippet]) -> list[Mention]:
    """Return the sentence of each passage that tells most of a term, the most telling first."""
    words = r"\s+".join(map(re.escape, term.split()))
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    best: dict[tuple[int, int], Mention] = {}
    for passage in passages:
        result = _find_in_passage(quoter, term, pattern, passage)
        if result is not None:
            best.setdefault((passage.document_id, result.start), result)
    return sorted(best.values(), key=lambda mention: -mention.rank)


def select_explaining(mentions: Sequence[Mention]) -> list[Mention]:
    """Return those that say what the term is."""
    return [mention for mention in mentions if mention.rank > 2]  # noqa: PLR2004 - see `rank`


def ask_about_mentions(term: str, mentions: Sequence[Mention]) -> Answer:
    """Ask about a name or a phrase that stands for something no document explains."""
    places = ", ".join(mention.evidence.citation for mention in mentions)
    choice = "Is that the one meant" if len(mentions) == 1 else "Which of these is meant"
    return replace(
        _build_answer(term, mentions),
        outcome=ResolutionOutcome.AMBIGUOUS,
        question=f'"{term}" is spoken of and not explained in {places}. {choice}?',
    )


def answer_mentioned(term: str, mentions: Sequence[Mention]) -> Answer:
    """Say where a thing is spoken of, of which a value is asked that nothing there states."""
    answer = _build_answer(term, mentions)
    return replace(answer, outcome=ResolutionOutcome.NOT_STATED, candidates=())


def answer_unexplained(term: str, mentions: Sequence[Mention]) -> Answer:
    """Say where a plain word stands, and that nothing there says what it is."""
    places = ", ".join(mention.evidence.citation for mention in mentions[:_MOST_NAMED])
    more = f" and {len(mentions) - _MOST_NAMED} more" if len(mentions) > _MOST_NAMED else ""
    return replace(
        _build_answer(term, mentions),
        question=f'"{term}" is mentioned in {places}{more}, and not explained. What is it, and '
        "where does it say so?",
    )


def remove_ungrounded(
    options: Iterable[AnswerCandidate], evidence: Sequence[QuotedSpan]
) -> tuple[AnswerCandidate, ...]:
    """Return candidates without a word that names what no quote has: such a one is left out."""
    there = {
        normalize_identifier(identifier.value)
        for quote in evidence
        for identifier in find_identifiers(quote.text)
    }

    def is_known(text: str) -> bool:
        return all(
            normalize_identifier(identifier.value) in there for identifier in find_identifiers(text)
        )

    def find_label(candidate: AnswerCandidate) -> str:
        names = (candidate.label, candidate.label.partition(": ")[0])
        return next(filter(is_known, names), candidate.citation)

    return tuple(
        replace(
            option,
            label=find_label(option),
            summary=option.summary if is_known(option.summary) else "",
        )
        for option in options
    )


def build_label(snippet: Snippet) -> str:
    """Return what a passage is called: its document's title and its heading."""
    title = snippet.title or snippet.path
    heading = snippet.headings[-1] if snippet.headings else title
    return title if key(heading) == key(title) else f"{title}: {heading}"


def _find_in_passage(
    quoter: DocumentQuoter, term: str, pattern: re.Pattern[str], snippet: Snippet
) -> Mention | None:
    page = quoter.open_page(snippet.document_id)
    if page is None:
        return None
    places = [match.start() for match in pattern.finditer(page.text, snippet.start, snippet.end)]
    mentions = [_mention_at(page, snippet, term, place) for place in places[:_MOST_OF_ONE]]
    if not mentions:
        return _mention_below(page, snippet, term, pattern)
    return max(mentions, key=lambda mention: mention.rank)


def _mention_below(
    page: DocumentPage, snippet: Snippet, term: str, pattern: re.Pattern[str]
) -> Mention:
    """Return the first sentence below the heading that has a term, or of the document."""
    is_heading = any(map(pattern.search, snippet.headings[-1:]))
    part = page.part_at(snippet.end - 1) if is_heading else None
    return Mention(page, snippet, term, *page.find_lead(part), is_headed=True)


def _mention_at(page: DocumentPage, passage: Snippet, term: str, place: int) -> Mention:
    """Return the sentence that a term stands in; of a heading or title, the first one below it."""
    part = page.part_at(place)
    if place < page.front:
        return Mention(page, passage, term, *page.find_lead(), is_headed=True)
    if part is not None and part.level and place < page.text.find("\n", part.start):
        return Mention(page, passage, term, *page.find_lead(part), is_headed=True)
    return Mention(page, passage, term, *sentence_around(page.text, place))


def _build_answer(term: str, mentions: Sequence[Mention]) -> Answer:
    return Answer(
        term=term,
        outcome=ResolutionOutcome.UNKNOWN,
        found_by=ResolverStep.SEARCH,
        evidence=tuple(dict.fromkeys(mention.evidence for mention in mentions)),
        candidates=remove_ungrounded(
            (mention.candidate for mention in mentions), [mention.evidence for mention in mentions]
        ),
    )


def _is_kind(name: str) -> bool:
    """Tell whether a word says of which kind something is, such as `server`, or which value."""
    return is_attribute(term(name)) or all(is_trade(word) for word in term(name).split())
