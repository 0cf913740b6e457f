"""Reads queries: what they are about, what they ask for at once, what they refer to. Pure.

English alone; a query in another language stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from wellworn.domain.turns.models import Intent
from wellworn.engines.retrieval.text import STOP_WORDS, list_compounds, split_words
from wellworn.kit.words import load_phrases, load_words

_TOKEN: Final = re.compile(r"[^\s,;:!?()\"\u201c\u201d]+")
_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+")
_SENTENCE_END: Final = re.compile(r"(?<=[?!.;])\s+")
_TITLE: Final = re.compile(r"(?<!\S)'\S.{0,200}?\S'(?!\S)")
_CLAUSE_END: Final = re.compile(r"[,;:.?!]\s+")
_ARTICLES: Final = frozenset(("the", "a", "an", "my", "our", "your"))
_JOINERS: Final = frozenset(("of", "with"))
_MOST_GOALS: Final = 5
_MOST_URLS: Final = 5
_HIDDEN: Final = "\x00"
_LONGEST_TOPIC: Final = 60
_LONGEST_READ: Final = 2_000
"""Characters in which a topic is looked for: what a text is about stands at its beginning."""
_DEEPEST_TOPIC: Final = 4
GENERAL: Final = "general"
"""The topic of what names nothing."""


def _stem_words(words: Iterable[str]) -> frozenset[str]:
    """Return words as search compares them; `_` stands for a blank."""
    return frozenset(" ".join(split_words(word.replace("_", " "))) for word in words)


LIGHT: Final = frozenset(load_words(__name__, "light"))
DOCUMENT_NOUNS: Final = frozenset(load_words(__name__, "document_nouns"))
QUANTITIES: Final = frozenset(load_words(__name__, "quantities"))
PRONOUNS: Final = QUANTITIES | set(load_words(__name__, "pronouns"))
SINGULAR_PRONOUNS: Final = frozenset(load_words(__name__, "singular_pronouns"))
AUXILIARIES: Final = frozenset(load_words(__name__, "auxiliaries"))
VERBS_OF_THINGS: Final = frozenset(load_words(__name__, "verbs_of_things"))
OFFERS: Final = re.compile(
    r"\bthey(?=(?:\s+(?:still|also|ever|even))?"
    rf"\s+(?:{load_phrases(__name__, 'verbs_of_sellers')})\b)",
    re.IGNORECASE,
)
_IS_THERE: Final = re.compile(rf"\b(?:{load_phrases(__name__, 'asks_for_stock')})\b", re.IGNORECASE)
DOUBTFUL_PRONOUNS: Final = QUANTITIES | set(load_words(__name__, "doubtful_pronouns"))
CONTINUATIONS: Final = re.compile(rf"(?:{load_phrases(__name__, 'continuations')})(?= |\??\Z)")
_SMALL_TALK: Final = re.compile(
    rf"(?:\W*\b(?:{load_phrases(__name__, 'small_talk')})\b)+\W*", re.IGNORECASE
)
_LIGHT_STEMS: Final = _stem_words(LIGHT)
_TRANSACTIONAL: Final = _stem_words(load_words(__name__, "transactional"))
_NAVIGATION: Final = _stem_words(load_words(__name__, "navigation"))
_FRESH: Final = _stem_words(load_words(__name__, "fresh"))
_WANTED_STEMS: Final = _TRANSACTIONAL | _FRESH
_TOP_PART: Final = re.compile(
    rf"\b(?:the|that|this|its)\s+(?:{load_phrases(__name__, 'top_words')})\s+"
    rf"(?:{load_phrases(__name__, 'parts_of_threads')})\b",
    re.IGNORECASE,
)
_NEXT_GOAL: Final = re.compile(
    r"(?:,|(?<!\s))\s++(?:and|also|then)\s++(?:also\s++)?"
    rf"(?=(?:{load_phrases(__name__, 'goal_beginnings')})\b)",
    re.IGNORECASE,
)


def list_content_words(text: str) -> list[str]:
    """Return the words that carry meaning, as search compares them, in their order."""
    if _SMALL_TALK.fullmatch(text):
        return []
    words = split_words(_URL.sub(" ", text))
    return [word for word in words if word not in STOP_WORDS and word not in _LIGHT_STEMS]


def find_subject(query: str, things: frozenset[str] = frozenset()) -> str:
    """Return the phrase that a query is about; empty where it names nothing.

    Where it names some of the things that sources are about, as search compares words, it is
    about these, and not about what it asks of them.
    """
    if not list_content_words(query):
        return ""
    runs: list[list[str]] = [[]]
    for match in _TOKEN.finditer(_URL.sub(" ", query)):
        token = match.group().strip("'.`*")
        if _is_content(token) or (token.lower() in _JOINERS and runs[-1]):
            runs[-1].append(token)
        elif runs[-1][-1:] == ["of"] and token.lower() in _ARTICLES:
            runs[-1] = []  # "The address of the router" is about the router.
        else:
            runs.append([])
    named = [[token for token in run if things & set(split_words(token))] for run in runs]
    phrases = [" ".join(_trim(run)) for run in (named if any(named) else runs)]
    return max(phrases, key=len, default="")


def make_topic(subject: str) -> str:
    """Return a hierarchical topic, such as `hamster.syrian_hamster.golden_syrian_hamster`."""
    spoken = [word for word in list_compounds(subject.lower()) if _is_content(word)]
    named = [word for word in spoken if not _WANTED_STEMS.issuperset(split_words(word))]
    parts = [re.sub(r"\W+", "-", word) for word in (named or spoken)[-_DEEPEST_TOPIC:]]
    levels = ["_".join(parts[-size:])[:_LONGEST_TOPIC] for size in range(1, len(parts) + 1)]
    return ".".join(levels) or GENERAL


def find_topic(query: str, things: frozenset[str] = frozenset()) -> str:
    """Return the topic of a query: of what it is about, not of what it wants of that.

    `things` are words for what the sources of its answer are about; see `find_subject`.
    """
    return make_topic(find_subject(query[:_LONGEST_READ], things))


def find_area(topic: str) -> str:
    """Return the widest level of a topic that can be a tag: a number alone is none."""
    return next((level for level in topic.split(".") if not level.isdigit()), GENERAL)


def list_topic_stems(topic: str) -> frozenset[str]:
    """Return the words of the narrowest level of a topic, as search compares them."""
    return frozenset(split_words(topic.rpartition(".")[2].replace("_", " ")))


def classify_intent(query: str) -> Intent:
    words = set(split_words(query))
    if words & _TRANSACTIONAL:
        return Intent.TRANSACTIONAL
    if words & _NAVIGATION or find_url(query):
        return Intent.NAVIGATION
    return Intent.INFORMATIONAL


def wants_fresh(query: str) -> bool:
    """Tell whether a query asks for what changes, so that a cached answer may be wrong."""
    folded = f" {' '.join(split_words(query))} "
    return any(f" {word} " in folded for word in _FRESH)


def asks_for_stock(query: str) -> bool:
    """Tell whether a query asks whether something is there to be had, without a word for that."""
    return _IS_THERE.search(query) is not None


def list_urls(query: str) -> list[str]:
    """Return the web addresses in a query, each once."""
    urls = (match.group().rstrip(".,;!?") for match in _URL.finditer(query))
    return list(dict.fromkeys(urls))[:_MOST_URLS]


def remove_urls(query: str) -> str:
    """Return a query without the web addresses in it."""
    return " ".join(_URL.sub(" ", query).split())


def find_url(query: str) -> str | None:
    """Return the first web address in a query."""
    return next(iter(list_urls(query)), None)


def find_part(query: str) -> re.Match[str] | None:
    """Return the words of a query that mean the best of what people say on a page."""
    return _TOP_PART.search(query)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with the mark that ends it."""
    return _SENTENCE_END.split(text.strip())


def split_goals(query: str) -> list[str]:
    """Return the distinct things that a query asks for, in its words; at least one."""
    titles = iter(_TITLE.findall(query))
    hidden = _TITLE.sub(_HIDDEN, query)  # What the title of a page asks is not asked here.
    asked = _join_statements(split_sentences(hidden))
    parts = [part for each in asked for part in _NEXT_GOAL.split(each)]
    shown = [re.sub(_HIDDEN, lambda _: next(titles, ""), part).strip() for part in parts]
    goals = [goal for goal in shown if list_content_words(goal)]
    return list(dict.fromkeys(goals))[:_MOST_GOALS] or [query.strip()]


def _join_statements(sentences: Sequence[str]) -> list[str]:
    """Return sentences, what stands before a question that refers to it as its beginning.

    "My switch fires twice. What is its delay?" asks one thing.
    """
    joined: list[str] = []
    lead: list[str] = []
    for sentence in sentences:
        if not sentence.endswith("?"):
            lead.append(sentence)
            continue
        joined += [" ".join([*lead, sentence])] if _refers(sentence) else [*lead, sentence]
        lead = []
    return [*joined, *lead]


def split_clauses(text: str) -> list[str]:
    """Return the stretches of a text between its commas, its sentences and its questions."""
    return [clause for part in _CLAUSE_END.split(text) for clause in _NEXT_GOAL.split(part)]


def complete_goals(goals: Iterable[str]) -> list[str]:
    """Return goals, each that has a pronoun after the words of the goal before it."""
    return [_complete_goal(goal, before) for before, goal in pairwise(["", *goals])]


def _complete_goal(goal: str, before: str) -> str:
    return f"{before} {goal}" if before and _refers(goal) else goal


def _refers(goal: str) -> bool:
    tokens = {token.lower() for token in _TOKEN.findall(goal)}
    return not tokens.isdisjoint(PRONOUNS - DOUBTFUL_PRONOUNS)


def _is_content(token: str) -> bool:
    stems = split_words(token)
    is_light = token.lower() in LIGHT or stems[:1] == ["s"]
    return bool(stems) and not is_light and not STOP_WORDS.issuperset(stems)


def _trim(run: list[str]) -> list[str]:
    while run and run[-1].lower() in _JOINERS:
        run = run[:-1]
    return run
