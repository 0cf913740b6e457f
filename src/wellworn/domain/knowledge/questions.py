"""What a question asks: which attribute, of which thing.

"kasm-01 IP address" and "what is the IP of kasm-01?" name a thing and an attribute of it; the names
are those that documents have, the attributes those of `attributes.toml`. A word that is neither
leaves a question unread: it is looked up as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.answers import Value
from wellworn.domain.knowledge.attributes import (
    ASKING,
    SORTS,
    Attribute,
    build_free_attribute,
    is_deed,
    is_plain,
    list_attributes,
    load_attributes,
    read_context,
    split_words,
)
from wellworn.domain.knowledge.entities import is_special, name_key

_MOST_WORDS: Final = 24
"""Words of a question; what is longer is no question after one thing."""
_MOST_NAME_WORDS: Final = 6


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """A thing as it is named, the attribute that is asked, and words that narrow it down.

    Attributes:
        qualifiers: words of the attribute, such as `data` of "data ip", or of where it is said.
        places: words that name a source or site.
        asks_what: whether it asks what the thing is, as a name alone does not.
        is_by_context: whether the attribute is what the context asks for.
        wording: the question as it was put, and its context: they may name a folder.
        is_headed: whether the name is the head of a row or the like, whatever its words.
    """

    name: str
    asked: Attribute | None
    qualifiers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    asks_what: bool = False
    is_by_context: bool = False
    wording: str = ""
    is_headed: bool = False


def list_names(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return what in a text may be a name, the longest first, with the words that it covers."""
    words = split_words(text)
    spans = [
        (first, last)
        for size in range(min(_MOST_NAME_WORDS, len(words)), 0, -1)
        for first in range(len(words) - size + 1)
        for last in [first + size]
        if not is_plain(words[first]) and not is_plain(words[last - 1])
    ]
    return [(" ".join(words[first:last]), (first, last)) for first, last in spans]


def list_heads(text: str) -> list[tuple[str, Sequence[str]]]:
    """Return what in a question may be a head of any words, the longest first.

    With each are the words beside it that tell something: none where it is all that is asked.
    """
    words = split_words(text)
    if not 0 < len(words) <= _MOST_WORDS:
        return []
    spans = [
        (first, first + size)
        for size in range(min(_MOST_NAME_WORDS, len(words)), 0, -1)
        for first in range(len(words) - size + 1)
        if size == len(words) or not all(map(is_plain, words[first : first + size]))
    ]
    return [
        (" ".join(words[first:last]), [word for word in beside if not is_plain(word)])
        for first, last in spans
        for beside in [[*words[:first], *words[last:]]]
    ]


def call_value(value: Value, query: str) -> str:
    """Return of what a value is, and what it is of it, in a query's own words where it has some."""
    key = name_key(value.term)
    spelled = [name for name, _ in list_names(query) if name_key(name) == key]
    name = spelled[0] if spelled and value.term.casefold() not in spelled else value.term
    asked = list_attributes(split_words(query))
    attribute = next(
        (" ".join(words) for each, words in asked if value.fact_type in each.types), ""
    )
    return f"{name}: {attribute or value.attribute or value.fact_type}"


def parse_question(text: str, context: str, is_name: Callable[[str], bool]) -> ValueQuestion | None:
    """Return what a text asks; None where no known name stands in it, or other words do.

    Args:
        text: a term or a question.
        context: what the caller is doing; it may name the attribute.
        is_name: tells whether something is called so.
    """
    words = split_words(text)
    if len(words) > _MOST_WORDS:
        return None
    names = [(name, span) for name, span in list_names(text) if is_name(name)]
    # A name that no plain word is says more surely what is meant than one that is.
    for name, (first, last) in sorted(names, key=lambda known: -_measure_telling(known[0]))[:1]:
        rest = [*words[:first], *words[last:]]
        asked, used = _find_attribute(words[:first], words[last:])
        qualifiers = tuple(
            word for word in rest if not (word in used or word in SORTS or is_plain(word))
        )
        question = ValueQuestion(name, asked, qualifiers, wording=f"{text} {context}")
        if asked is None:
            question = ask_by_context(question, context)
            asked, qualifiers = question.asked, question.qualifiers
        if asked is None and qualifiers:
            if not (_measure_telling(name) or " " in name):
                return None
            asked, qualifiers = build_free_attribute(qualifiers), ()
        asks_what = asked is None and any(word in ASKING for word in rest)
        return replace(question, asked=asked, qualifiers=qualifiers, asks_what=asks_what)
    return None


def ask_by_context(question: ValueQuestion, context: str) -> ValueQuestion:
    """Return a question that names no attribute with what its context asks."""
    read = read_context(context, question.name)
    if read.asked is None or (read.asked.is_free and question.qualifiers):
        return question
    qualifiers = (*question.qualifiers, *read.qualifiers)
    return replace(question, asked=read.asked, qualifiers=qualifiers, is_by_context=True)


def split_places(question: ValueQuestion, place_words: Collection[str]) -> ValueQuestion:
    """Return a question with the words apart that name a source or site."""
    asked = question.asked
    is_free = asked is not None and asked.is_free
    words = asked.name.split() if asked is not None and is_free else list(question.qualifiers)
    places = tuple(word for word in words if word in place_words)
    others = tuple(word for word in words if word not in place_words)
    if not places:
        return question
    if not is_free:
        return replace(question, qualifiers=others, places=places)
    return replace(question, asked=build_free_attribute(others) if others else None, places=places)


def _measure_telling(name: str) -> int:
    """Return how surely a name is meant: 0 for a plain word, 2 for one made of several parts."""
    if name in load_attributes() or not any(map(is_special, name.split())):
        return 0
    return 1 if name.isalpha() else 2


def is_question(text: str) -> bool:
    """Tell whether a text asks something of a name, rather than being one."""
    words = split_words(text)
    return len(words) > 1 and (any(map(is_plain, words)) or any(list_attributes(words)))


def parse_without_names(text: str) -> ValueQuestion | None:
    """Return what a question asks of what is left of it; None for what is no question.

    Where a word that is no plain one is left, it is the name, with those beside it.
    """
    words = split_words(text)
    asked, used = _find_attribute((), words)
    name = [word for word in words if word not in used and not is_plain(word)]
    telling = [number for number, word in enumerate(name) if is_special(word)]
    if telling and len(telling) < len(name):
        name = name[telling[0] : telling[-1] + 1]
    has_name = any(char.isalpha() for word in name for char in word)
    if not has_name or len(name) > _MOST_NAME_WORDS or len(name) == len(words):
        return None
    return ValueQuestion(" ".join(name), asked)


def _find_attribute(
    before: Sequence[str], after: Sequence[str]
) -> tuple[Attribute | None, Collection[str]]:
    """Return the attribute named beside a name, the nearest one, and the words that name it.

    What is done ("runs", "listens on") is asked only where nothing else is.
    """
    listed = [*list_attributes(after), *reversed([*list_attributes(before)])]
    if not listed:
        return None, ()
    nouns = [attribute for attribute, words in listed if not is_deed(words)]
    asked = [*nouns, listed[0][0]][0]
    used = (words for attribute, words in listed if attribute == asked or is_deed(words))
    return asked, {word for words in used for word in words}
