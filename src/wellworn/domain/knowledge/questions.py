"""Parses a question: which attribute it asks for, of which thing.

"kasm-01 IP address" and "what is the IP of kasm-01?" name a thing and what is asked of it: the
names are those that documents have, and all other words that say something are the attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.answers import Value
from wellworn.domain.knowledge.attributes import (
    ASKING,
    is_plain,
    list_asked,
    read_context,
    split_words,
)
from wellworn.domain.knowledge.entities import is_special, name_key

_MOST_WORDS: Final = 24
"""Words of a question; what is longer is no question after one thing."""
_MOST_NAME_WORDS: Final = 6


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """A thing as it is named, and the words for what is asked of it.

    Attributes:
        asked: folded words; None where nothing but the name is given.
        places: words that name a source or site.
        asks_what: whether it asks what the thing is, as a name alone does not.
        is_by_context: whether the attribute is what the context asks for.
        wording: the question as it was put, and its context: they may name a folder.
        is_headed: whether the name is the head of a row or the like, whatever its words.
    """

    name: str
    asked: str | None
    places: tuple[str, ...] = ()
    asks_what: bool = False
    is_by_context: bool = False
    wording: str = ""
    is_headed: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether its name is one plain word, which may be a part of what is meant."""
        return self.name.isalpha() and not is_special(self.name)


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
    return f"{name}: {value.attribute or value.fact_type}"


def parse_question(text: str, context: str, is_name: Callable[[str], bool]) -> ValueQuestion | None:
    """Return what a text asks; None where no known name stands in it.

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
        asked = " ".join(list_asked(rest))
        question = ValueQuestion(name, asked or None, wording=f"{text} {context}")
        question = question if asked else ask_by_context(question, context)
        asks_what = question.asked is None and any(word in ASKING for word in rest)
        return replace(question, asks_what=asks_what)
    return None


def ask_by_context(question: ValueQuestion, context: str) -> ValueQuestion:
    """Return a question that names no attribute with what its context asks."""
    asked = read_context(context, question.name)
    return replace(question, asked=asked, is_by_context=True) if asked else question


def split_places(question: ValueQuestion, place_words: Collection[str]) -> ValueQuestion:
    """Return a question with the words apart that name a source or site."""
    words = (question.asked or "").split()
    places = tuple(word for word in words if word in place_words)
    others = " ".join(word for word in words if word not in place_words)
    return replace(question, asked=others or None, places=places) if places else question


def _measure_telling(name: str) -> int:
    """Return how surely a name is meant: 0 for plain words, 2 for one made of several parts."""
    if not any(map(is_special, name.split())):
        return 0
    return 1 if name.isalpha() else 2


def is_question(text: str) -> bool:
    """Tell whether a text asks something of a name, rather than being one."""
    words = split_words(text)
    return len(words) > 1 and any(map(is_plain, words))


def parse_without_names(text: str) -> ValueQuestion | None:
    """Return a question after what no document names; None where it can be no name alone.

    Words that are not plain are the name, with those between them.
    """
    words = [word for word in split_words(text) if not is_plain(word)]
    special = [number for number, word in enumerate(words) if is_special(word)]
    if not special or special[-1] - special[0] >= _MOST_NAME_WORDS:
        return None
    first, last = special[0], special[-1] + 1
    asked = " ".join([*words[:first], *words[last:]])
    return ValueQuestion(" ".join(words[first:last]), asked or None) if asked else None
