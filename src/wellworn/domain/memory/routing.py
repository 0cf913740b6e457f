"""Recognizes prompts that are no search: for highways, an outline, what was said, or talk; pure.

A few complete sentences are recognized, in English and, for what was said, in German, Spanish and
French; everything else is a search. There
is no choice between ways to search, as one way loses to all of them (docs/adr/0003-fusion.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from wellworn.domain.memory.contribution import QUESTION_WORDS, Talk, find_talk, remove_asking
from wellworn.domain.thoughts.truth import find_time
from wellworn.engines.retrieval.text import is_function_word, is_unspaced
from wellworn.kit.words import fold_phrases, load_words, straighten

LONGEST = 200
"""Characters; a longer prompt is always a search."""


@dataclass(frozen=True, slots=True)
class HighwaysRequest:
    """A request for highways."""


@dataclass(frozen=True, slots=True)
class OutlineRequest:
    """A request for an outline; of the complete space when `name` is empty."""

    name: str = ""
    depth: int = 2


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """A request for what was said, newest first.

    Attributes:
        own: only what the asking agent said.
        when: the words that name the time, such as "last week"; any time when empty.
        changes: only what replaced something, if anything did.
    """

    own: bool = False
    when: str = ""
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Courtesy:
    """Thanks, a greeting or a question to the memory about itself: nothing is looked up for it."""

    talk: Talk


Request = Courtesy | HighwaysRequest | OutlineRequest | TimelineRequest


_PLEASE = r"(?:please )?(?:(?:can|could|would) you )?(?:please )?"
_SHOW = rf"{_PLEASE}(?:show|list|give|tell)(?: me)?(?: all)?(?: of)?(?: the| an| your)? "
_NOW = r"(?: (?:now|right now|today|here|at the moment|lately|these days))?"
_ROADS = r"(?:current |knowledge )?highways"
_OUTLINE = r"(?:outline|table of contents|list of contents)"
_KINDS = r"(?:topics|tags|documents|sessions|conversations)"

_TRENDING = tuple(
    re.compile(pattern + _NOW)
    for pattern in (
        r"what(?:'s| is) trending",
        r"(?:what|which) (?:thoughts|topics) are trending",
        rf"what are (?:the|your) {_ROADS}",
        rf"(?:what|which) {_ROADS} are there",
        rf"{_SHOW}(?:{_ROADS}|trending (?:thoughts|topics))",
    )
)
_OF_EVERYTHING = re.compile(rf"{_SHOW}(?:whole |full )?outline(?: of (?:everything|this space))?")
_OF_A_KIND = (
    re.compile(rf"{_SHOW}(?:known |available )?(?P<kind>{_KINDS})(?: there are| you have)?"),
    re.compile(rf"(?:what|which) (?P<kind>{_KINDS}) (?:are there|are known|do you have)"),
)
_OF_SOMETHING = re.compile(rf"(?:{_SHOW}|what(?:'s| is) the )?{_OUTLINE} (?:of|for) (?P<name>.+)")
_WHEN = r"(?: (?P<when>lately|recently|so far|while i was (?:away|gone)))?"
#: Words before a time, which are left over where that is cut out.
_BEFORE_A_TIME = re.compile(r"(?: (?:in|on|at|during|from|over|within|of|for|for the)){1,8}$")
_SOME_MOMENT = 978_220_800.0
"""The last day of a year; which words name a time is the same at any other."""
_OF_EVERYBODY = re.compile(
    rf"(?:{_PLEASE}(?:catch me up|bring me up to (?:date|speed)|fill me in)"
    r"|what(?:'s| is) (?:new|the latest)|(?:is there )?any(?:thing)? new(?:s)?"
    r"|what (?:have|did) i miss(?:ed)?"
    r"|what(?:'s| has| is)(?: been)? (?:happened|happening|going on|changed)"
    r"|what (?:happened|changed|went on|came up|was (?:said|decided|learned|learnt))"
    r"|what (?:have|did) (?:we|you|others) (?:all )?(?:learn(?:ed|t)?|sa(?:id|y)|decided?"
    r"|agreed?(?: on)?|discuss(?:ed)?|do|done|been (?:up to|doing|working on))"
    rf"){_WHEN}"
)
_OF_ONESELF = re.compile(
    r"(?:what do you (?:know|remember) (?:about|of) me"
    r"|what (?:did|have) i (?:say|said|tell you|told you|contribute[d]?)"
    rf"|what (?:was i|have i been|did i) (?:doing|working on|work on)){_WHEN}"
)
LATELY = re.compile(r"\b(?:lately|recently|so far|while i was (?:away|gone))\b", re.IGNORECASE)
"""Words for a time that leave open when it began."""
TOKEN = re.compile(r"[^\s,;:()?!\u00bf\u00a1]+")
_ELISION = re.compile(r"^(?:qu|[dl])'")
_POSSESSIVE = re.compile(r"'s?$")
SPEAKS = fold_phrases(load_words(__name__, "speaks"))
"""Words that tell of what somebody says."""
_GENERAL = SPEAKS | fold_phrases(load_words(__name__, "asks_generally"))
_GENERAL_SIGNS = re.compile("|".join(sorted(_GENERAL, key=len, reverse=True)))
_MEANS_SOMETHING = re.compile(r"[\u30a1-\u30fa\u3400-\u9fff]|[^\W_\u3041-\u30ff]")
_WORD = re.compile(r"[^\W_]+")
_CHANGES = frozenset(load_words(__name__, "asks_changes"))
_NEWS = fold_phrases(load_words(__name__, "asks_news"))
_ABOUT_ME = fold_phrases(load_words(__name__, "asks_about_me"))
_SAME_KIND = {"conversations": "sessions"}


def parse_request(prompt: str) -> Request | None:
    """Return the request that a prompt makes, or None if it is a search."""
    if len(prompt) > LONGEST:
        return None
    text = straighten(prompt).rstrip("?.! ").lstrip("\u00bf\u00a1")
    folded = text.casefold()
    if any(pattern.fullmatch(folded) for pattern in _TRENDING):
        return HighwaysRequest()
    if (outline := _parse_outline_request(folded)) is not None:
        return outline
    text, when = _split_time(folded)
    changes = not _CHANGES.isdisjoint(_WORD.findall(text))
    if (timeline := _parse_timeline_request(folded, text, when)) is not None:
        return replace(timeline, changes=changes)
    if (talk := find_talk(prompt)) is not None:
        return Courtesy(talk)
    return TimelineRequest(when=when, changes=changes) if when and is_general(text) else None


def _parse_outline_request(folded: str) -> OutlineRequest | None:
    if _OF_EVERYTHING.fullmatch(folded):
        return OutlineRequest()
    for pattern in _OF_A_KIND:
        if listed := pattern.fullmatch(folded):
            return OutlineRequest(_SAME_KIND.get(listed["kind"], listed["kind"]), depth=1)
    if named := _OF_SOMETHING.fullmatch(folded):
        # Names match in any case, so the folded name will do.
        return OutlineRequest(named["name"].removeprefix("the ").strip("'\"` "))
    return None


def is_general(text: str) -> bool:
    """Tell whether a question asks for whatever there is, and names no subject."""
    folded = text.casefold().replace("\u2019", "'")
    if is_unspaced(folded):
        return not _MEANS_SOMETHING.search(_GENERAL_SIGNS.sub("", remove_asking(folded)))
    words = _WORD.findall(folded)
    return bool(words) and all(map(_says_nothing, words))


def _says_nothing(word: str) -> bool:
    return word in _GENERAL or word in QUESTION_WORDS or is_function_word(word)


def _parse_timeline_request(folded: str, text: str, when: str) -> TimelineRequest | None:
    """Return what asks for a list of what was said; `text` is without `when`, the words of time."""
    if folded in _NEWS or folded in _ABOUT_ME:
        return TimelineRequest(own=folded in _ABOUT_ME)
    own = _OF_ONESELF.fullmatch(text)
    asked = own or _OF_EVERYBODY.fullmatch(text)
    if asked is None:
        return None
    return TimelineRequest(own=own is not None, when=when or asked["when"] or "")


def strip_token(token: str) -> str:
    """Return a word without its marks, what French joins to it, and the ending of an owner."""
    return _POSSESSIVE.sub("", _ELISION.sub("", token.rstrip(".")))


def is_token_general(token: str) -> bool:
    """Tell whether a word between blanks names nothing."""
    return all(map(_says_nothing, _WORD.findall(token)))


def _split_time(folded: str) -> tuple[str, str]:
    """Return a prompt without the words that name a time, and these words."""
    named = find_time(folded, _SOME_MOMENT)
    if named is None:
        return folded, ""
    return _BEFORE_A_TIME.sub("", named.remove_from(folded)), folded[named.start : named.end]
