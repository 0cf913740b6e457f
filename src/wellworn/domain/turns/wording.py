"""How queries are read: what they are about, what they ask for at once, what they refer to. Pure.

English alone; a query in another language is taken as it is.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from wellworn.domain.turns.models import Intent
from wellworn.engines.retrieval.text import STOP_WORDS, split_words

_TOKEN: Final = re.compile(r"[^\s,;:!?()\"\u201c\u201d]+")
_URL: Final = re.compile(r"https?://[^\s<>\"')\]]+")
_SENTENCE_END: Final = re.compile(r"(?<=[?!.;])\s+")
_OF_USER: Final = re.compile(
    r"\b(?:my|mine)\b|\b(?:do|did) I (?:\w+ )?(?:prefer|live|work|use|own)\b|\bam I\b",
    re.IGNORECASE,
)
_JOINERS: Final = frozenset(("of", "with"))
_MOST_GOALS: Final = 5
_MOST_URLS: Final = 5
_LONGEST_TOPIC: Final = 60


@cache
def load_words(name: str) -> frozenset[str]:
    """Return one of the lists of `words.toml`."""
    text = files("wellworn.domain.turns").joinpath("words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[name])


@cache
def load_stems(name: str) -> frozenset[str]:
    """Return one of the lists of `words.toml` as search compares words."""
    return frozenset(" ".join(split_words(word)) for word in load_words(name))


def list_content_words(text: str) -> list[str]:
    """Return the words that carry meaning, as search compares them, in their order."""
    light = load_stems("light")
    words = split_words(_URL.sub(" ", text))
    return [word for word in words if word not in STOP_WORDS and word not in light]


def find_subject(query: str) -> str:
    """Return the phrase that a query is about; empty where it names nothing."""
    runs: list[list[str]] = [[]]
    for match in _TOKEN.finditer(_URL.sub(" ", query)):
        token = match.group().strip("'.`*")
        if _is_content(token) or (token.lower() in _JOINERS and runs[-1]):
            runs[-1].append(token)
        else:
            runs.append([])
    phrases = [" ".join(_trim(run)) for run in runs]
    return max(phrases, key=len, default="")


def make_topic(subject: str) -> str:
    """Return a hierarchical topic, such as `hamsters.syrian_hamsters`."""
    words = split_words(subject)
    if not words:
        return "general"
    phrase = "_".join(words)[:_LONGEST_TOPIC]
    return phrase if len(words) == 1 else f"{words[-1]}.{phrase}"


def classify_intent(query: str) -> Intent:
    words = set(split_words(query))
    if words & load_stems("transactional"):
        return Intent.TRANSACTIONAL
    if words & load_stems("navigation") or find_url(query):
        return Intent.NAVIGATION
    return Intent.INFORMATIONAL


def wants_fresh(query: str) -> bool:
    """Tell whether a query asks for what changes, so that a cached answer may be wrong."""
    folded = f" {' '.join(split_words(query))} "
    return any(f" {word} " in folded for word in load_stems("fresh"))


def asks_of_user(query: str) -> bool:
    """Tell whether a query asks what is known of its user: "my budget", "where do I live"."""
    return _OF_USER.search(query) is not None


def list_urls(query: str) -> list[str]:
    """Return the web addresses in a query, each once."""
    urls = (match.group().rstrip(".,;!?") for match in _URL.finditer(query))
    return list(dict.fromkeys(urls))[:_MOST_URLS]


def find_url(query: str) -> str | None:
    """Return the first web address in a query."""
    return next(iter(list_urls(query)), None)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with the mark that ends it."""
    return _SENTENCE_END.split(text.strip())


def split_goals(query: str) -> list[str]:
    """Return the distinct things that a query asks for, in its words; at least one."""
    goals: list[str] = []
    beginnings = "|".join(map(re.escape, sorted(load_words("goal_beginnings"))))
    divider = re.compile(
        rf",?\s+(?:and|also|then)\s+(?:also\s+)?(?=(?:{beginnings})\b)", re.IGNORECASE
    )
    for sentence in split_sentences(query):
        goals += [part.strip() for part in divider.split(sentence) if list_content_words(part)]
    return goals[:_MOST_GOALS] or [query.strip()]


def measure_coverage(question: str, *texts: str) -> float:
    """Return which share, 0 to 1, of a question's words of meaning stands in the texts."""
    asked = dict.fromkeys(list_content_words(question))
    if not asked:
        return 0.0
    spoken = {word for text in texts for word in split_words(text)}
    return len(spoken & asked.keys()) / len(asked)


def _is_content(token: str) -> bool:
    stems = split_words(token)
    is_light = token.lower() in load_words("light") or stems[:1] == ["s"]
    return bool(stems) and not is_light and not STOP_WORDS.issuperset(stems)


def _trim(run: list[str]) -> list[str]:
    while run and run[-1].lower() in _JOINERS:
        run = run[:-1]
    return run
