"""Resolves what "the thread", "it" and "some" refer to, by the turns before. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.memory import reply_to_talk
from wellworn.domain.turns.briefs import Brief, CachedPage, RecentTurn, Recollection
from wellworn.domain.turns.models import (
    ContentReference,
    QueryAnalysis,
    QueryType,
    Reflection,
    ReflectionDecision,
)
from wellworn.domain.turns.wording import (
    AUXILIARIES,
    CONTINUATIONS,
    DOCUMENT_NOUNS,
    DOUBTFUL_PRONOUNS,
    OFFERS,
    PRONOUNS,
    QUANTITIES,
    SINGULAR_PRONOUNS,
    VERBS_OF_THINGS,
    classify_intent,
    find_part,
    find_subject,
    find_url,
    list_content_words,
    split_clauses,
)
from wellworn.engines.retrieval.text import STOP_WORDS, speaks_of_self, split_words

_DEFINITE: Final = re.compile(r"\b(?:the|that|this)\s+([a-z][\w-]*)\b", re.IGNORECASE)
_LONGER_NAME: Final = re.compile(r"[ -](?:[A-Z]|\w*\d)")
_WORD: Final = re.compile(r"[\w'-]+")
_PARTS: Final = frozenset(("of", "more"))
"""Words after which a quantity does not stand for something said before: "some of the users"."""
_END_MARKS: Final = " ?!."
_SURE, _LIKELY, _UNSURE = 0.95, 0.8, 0.4


def resolve_references(query: str, known: Recollection) -> QueryAnalysis:
    """Return what a query means after the turns before it."""
    query = query.strip()
    if answered := _complete_question(query, known.turns):
        return answered
    if not find_url(query) and (whole := _find_thread(query, known.turns)):
        return _refer_to_part(query, *whole)
    if not find_url(query) and (item := _find_page(query, known.turns)):
        return _refer_to_page(query, *item)
    return _refer_to_subject(query, known)


def _complete_question(query: str, turns: Sequence[RecentTurn]) -> QueryAnalysis | None:
    """Read the answer to what the turn before asked back about something in its query."""
    if not turns or not turns[0].question or not _speaks_of_something(turns[0].query):
        return None
    return QueryAnalysis(
        query,
        _add_words(turns[0].query, query),
        was_resolved=True,
        query_type=QueryType.FOLLOWUP,
        reasoning=f"Answers the question that turn {turns[0].number} asked back",
    )


def _speaks_of_something(query: str) -> bool:
    """Tell whether a query names a thing or points at one, as a greeting does not."""
    return bool(list_content_words(query)) or _find_pronoun(query) is not None


def _find_page(
    query: str, turns: Sequence[RecentTurn]
) -> tuple[re.Match[str], RecentTurn, CachedPage] | None:
    """Return the words of a query that mean a page of an earlier turn, newest first."""
    for match in _DEFINITE.finditer(query):
        noun = match[1].lower()
        stems = set(split_words(noun))
        pages = [(turn, page) for turn in turns for page in reversed(turn.pages)]
        # "The thread" is the newest one, also where another page was visited since.
        threads = [each for each in pages if each[1].content_type == noun == "thread"]
        for turn, page in threads or pages:
            named = stems & set(split_words(f"{page.title} {page.content_type}"))
            if named or noun in DOCUMENT_NOUNS:
                return match, turn, page
    return None


def _find_thread(
    query: str, turns: Sequence[RecentTurn]
) -> tuple[re.Match[str], RecentTurn, CachedPage] | None:
    """Return the thread whose best comment a query means, unless it names a page: the newest."""
    part = find_part(query)
    if part is None or _find_page(query[part.end() :], turns):
        return None
    threads = ((turn, page) for turn in turns for page in reversed(turn.pages))
    return next(
        ((part, turn, page) for turn, page in threads if page.content_type == "thread"), None
    )


def _refer_to_part(
    query: str, part: re.Match[str], turn: RecentTurn, page: CachedPage
) -> QueryAnalysis:
    reference = _make_reference(turn, page, page.content_type)
    place = f" in the '{page.title}' {page.content_type} on {page.site}"
    return QueryAnalysis(
        query,
        query[: part.end()] + place + query[part.end() :],
        was_resolved=True,
        query_type=QueryType.SPECIFIC_CONTENT,
        content_reference=reference,
        reasoning=f"'{part.group()}' is one of '{page.title}', visited in turn "
        f"{reference.source_turn}",
    )


def _refer_to_page(
    query: str, match: re.Match[str], turn: RecentTurn, page: CachedPage
) -> QueryAnalysis:
    noun = match[1].lower()
    content_type = noun if noun in DOCUMENT_NOUNS else page.content_type
    name = f"the '{page.title}' {content_type} on {page.site}"
    if _LONGER_NAME.match(query, match.end()):
        name = match.group()  # A name that goes on says itself what it means.
    reference = _make_reference(turn, page, content_type)
    return QueryAnalysis(
        query,
        query[: match.start()] + name + query[match.end() :],
        was_resolved=True,
        query_type=QueryType.SPECIFIC_CONTENT,
        content_reference=reference,
        reasoning=f"Resolved '{match.group()}' to '{page.title}', visited in turn "
        f"{reference.source_turn}",
    )


def _make_reference(turn: RecentTurn, page: CachedPage, content_type: str) -> ContentReference:
    return ContentReference(
        title=page.title,
        content_type=content_type,
        site=page.site,
        source_turn=page.turn_number or turn.number,
        prior_findings=turn.summary,
        source_url=page.url,
        has_webpage_cache=True,
        webpage_cache_path=page.path,
    )


def _refer_to_subject(query: str, known: Recollection) -> QueryAnalysis:
    before = next((turn for turn in known.turns if turn.subject), None)
    plain = replace(QueryAnalysis.of(query), reasoning="The query refers to nothing before it")
    if before is None:
        return plain
    subject = _refine(before.subject, known.preferences)
    reasoning = f"Refers to “{subject}”, which turn {before.number} was about"
    if (pronoun := _find_pronoun(query)) is not None:
        if _has_antecedent(query[: pronoun.start()]):
            return plain
        reference = _find_meant_page(pronoun, before)
        head = query[: pronoun.start()]
        if reference is not None:
            head = OFFERS.sub(reference.site, head)
        offers = before.pages and OFFERS.match(query, pronoun.start())
        meant = before.pages[-1].site if offers else subject
        resolved = head + _replace(pronoun, meant) + query[pronoun.end() :]
        return _follow_up(query, resolved, reasoning, reference)
    if _continues(query):
        return _follow_up(query, _add_words(query, subject), reasoning)
    is_new = not set(list_content_words(query)) & set(list_content_words(before.query))
    return replace(plain, query_type=QueryType.NEW_TOPIC) if is_new else plain


def _has_antecedent(text: str) -> bool:
    """Tell whether a clause before the last one of a text says what a pronoun after it means."""
    return any(
        len(_WORD.findall(clause)) > 1 and list_content_words(clause)
        for clause in split_clauses(text)[:-1]
    )


def _find_meant_page(pronoun: re.Match[str], before: RecentTurn) -> ContentReference | None:
    """Return the page that a single thing stands on: "it", after a turn about a page."""
    if not before.pages or pronoun.group().lower() not in SINGULAR_PRONOUNS:
        return None
    page = before.pages[-1]
    return _make_reference(before, page, page.content_type)


def _follow_up(
    query: str, resolved: str, reasoning: str, reference: ContentReference | None = None
) -> QueryAnalysis:
    return QueryAnalysis(
        query,
        resolved,
        was_resolved=True,
        query_type=QueryType.SPECIFIC_CONTENT if reference else QueryType.FOLLOWUP,
        content_reference=reference,
        reasoning=reasoning,
    )


def _refine(subject: str, preferences: Sequence[tuple[str, str]]) -> str:
    """Return a subject with what the user prefers of its kind: hamsters, Syrian ones."""
    nouns = split_words(subject)
    for name, value in preferences:
        kind = split_words(name.replace("_", " "))
        is_new = not set(split_words(value)) & set(nouns)
        if nouns and kind[-1:] == nouns[-1:] and is_new:
            return f"{value} {subject}"
    return subject


def _find_pronoun(query: str) -> re.Match[str] | None:
    """Return the word that stands for something said before.

    Of who offers something, it is what they offer: the "it" of "do they still have it".
    """
    words = list(_WORD.finditer(query))
    pronouns = [word for place, word in enumerate(words) if _is_pronoun(query, words, place)]
    offers = OFFERS.search(query)
    offered = [word for word in pronouns if offers and word.start() >= offers.end()]
    return next(iter(offered or pronouns), None)


def _is_pronoun(query: str, words: Sequence[re.Match[str]], place: int) -> bool:
    word, follower = words[place], next(iter(words[place + 1 :]), None)
    lower = word.group().lower()
    if lower not in PRONOUNS:
        return False
    stands_alone = (
        follower is None
        or STOP_WORDS.issuperset(split_words(follower.group()))
        or query[word.end() : follower.start()].strip() != ""
    ) and (follower is None or follower.group().lower() not in _PARTS)
    return lower not in DOUBTFUL_PRONOUNS or stands_alone or _does_something(words, place)


def _does_something(words: Sequence[re.Match[str]], place: int) -> bool:
    """Tell whether a verb follows a pronoun: "what does that need", unlike "is that port open"."""
    if place == 0 or words[place - 1].group().lower() not in AUXILIARIES:
        return False
    return place + 2 == len(words) or words[place + 1].group().lower() in VERBS_OF_THINGS


def _replace(pronoun: re.Match[str], subject: str) -> str:
    lower = pronoun.group().lower()
    if lower in QUANTITIES:
        return f"{lower} {subject}"
    return f"{subject}'s" if lower in {"its", "their"} else subject


def _add_words(query: str, words: str) -> str:
    """Return a query with what it is about, before the mark that ends it."""
    body = query.rstrip(_END_MARKS)
    return f"{body} ({words.rstrip(_END_MARKS)}){query[len(body) :]}"


def _continues(query: str) -> bool:
    return CONTINUATIONS.match(query.lower()) is not None


def reflect(brief: Brief) -> Reflection:
    """Ask back only where nothing is named that could be looked for."""
    analysis = brief.analysis
    intent = classify_intent(analysis.original_query)
    is_followup = analysis.query_type in {QueryType.FOLLOWUP, QueryType.SPECIFIC_CONTENT}
    subject = find_subject(analysis.resolved_query)
    has_word = any(map(str.isalnum, analysis.original_query))
    if has_word and reply_to_talk(analysis.original_query):
        reasoning = "The query asks for nothing: it only talks."
        return Reflection(ReflectionDecision.PROCEED, _SURE, intent, is_followup, reasoning)
    is_clear = (
        bool(list_content_words(analysis.resolved_query))
        or find_url(analysis.resolved_query)
        or _asks_of_self(analysis.original_query)
    )
    if is_clear:
        return Reflection(
            ReflectionDecision.PROCEED,
            _LIKELY if is_followup else _SURE,
            intent,
            is_followup,
            f"The query says what to look for: “{subject}”."
            if subject
            else "The query names a page to look at.",
        )
    return Reflection(
        ReflectionDecision.CLARIFY,
        _UNSURE,
        intent,
        is_followup,
        "The query names nothing that could be looked for.",
        _ask_back(analysis.original_query),
    )


def _asks_of_self(query: str) -> bool:
    """Tell whether a query asks something of the user, of whom a common word says enough."""
    words = [word for word in split_words(query) if word not in STOP_WORDS]
    return bool(words) and speaks_of_self(query, is_alone=True)


def _ask_back(query: str) -> str:
    pronoun = _find_pronoun(query)
    if pronoun is not None:
        return f"What do you mean by “{pronoun.group()}”? Nothing before it says so."
    return "What would you like to know? Name the thing, the document or the topic."
