"""What a question asks: which attribute, of which thing.

"kasm-01 IP address" and "what is the IP of kasm-01?" name a thing and an attribute of it; the names
are those that documents have, the attributes those of `attributes.toml`. A word that is neither
leaves a question unread: it is looked up as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wellworn.domain.knowledge.answers import StoredConflict, Value
from wellworn.domain.knowledge.entities import name_key, term
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.words import load_table, load_words

_MOST_WORDS: Final = 24
"""Words of a question; what is longer is no question after one thing."""
_MOST_NAME_WORDS: Final = 6
_MOST_ATTRIBUTE_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\s?!,;\"\u201c\u201d()]+")
_PIECE: Final = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_ASKING: Final = frozenset(load_words(__name__, "asking"))
#: Words for what sort of thing a name is of: "the server cube" is cube.
_SORTS: Final = frozenset(load_words(__name__, "named_things"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """What can be asked of a thing.

    Attributes:
        names: words for it, folded.
        types: of facts that are it, unless the document calls them otherwise.
        through: other attributes as which such a fact may be called all the same.
    """

    name: str
    names: frozenset[str]
    types: frozenset[str]
    through: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """A thing as it is named, the attribute that is asked, and words that narrow it down.

    Attributes:
        qualifiers: words of the attribute, such as `data` of "data ip", or of where it is said.
        places: words that name a source or site.
    """

    name: str
    asked: Attribute | None
    qualifiers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def list_names(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return what in a text may be a name, the longest first, with the words that it covers."""
    words = _split(text)
    spans = [
        (first, last)
        for size in range(min(_MOST_NAME_WORDS, len(words)), 0, -1)
        for first in range(len(words) - size + 1)
        for last in [first + size]
        if not _is_plain(words[first]) and not _is_plain(words[last - 1])
    ]
    return [(" ".join(words[first:last]), (first, last)) for first, last in spans]


def parse_question(
    text: str,
    context: str,
    is_name: Callable[[str], bool],
    place_words: Collection[str] = (),
) -> ValueQuestion | None:
    """Return what a text asks; None where no known name stands in it, or other words do.

    Args:
        text: a term or a question.
        context: what the caller is doing; it may name the attribute.
        is_name: tells whether something is called so.
        place_words: words that may name a source or site.
    """
    words = _split(text)
    if len(words) > _MOST_WORDS:
        return None
    for name, (first, last) in list_names(text):
        if not is_name(name):
            continue
        rest = [*words[:first], *words[last:]]
        asked, used = _find_attribute(words[:first], words[last:])
        others = tuple(
            word for word in rest if not (word in used or word in _SORTS or _is_plain(word))
        )
        places = tuple(word for word in others if word in place_words)
        qualifiers = tuple(word for word in others if word not in place_words)
        if asked is None and qualifiers:
            return None
        return ValueQuestion(name, asked or find_attribute(context), qualifiers, places)
    return None


def parse_without_names(text: str) -> ValueQuestion | None:
    """Return what a question asks of what is left of it; None for what is no question."""
    words = _split(text)
    asked, used = _find_attribute((), words)
    name = [word for word in words if word not in used and not _is_plain(word)]
    has_name = any(char.isalpha() for word in name for char in word)
    if not has_name or len(name) > _MOST_NAME_WORDS or len(name) == len(words):
        return None
    return ValueQuestion(" ".join(name), asked)


def find_attribute(text: str) -> Attribute | None:
    """Return the attribute that a text names, if it is one alone."""
    asked = {attribute.name: attribute for attribute, _ in _list_attributes(_split(text))}
    return next(iter(asked.values())) if len(asked) == 1 else None


def select_values(values: Sequence[Value], question: ValueQuestion) -> list[Value]:
    """Return the values that are what a question asks for: those called so, else of its type.

    Words that narrow it down are the attribute's, or stand where the value is stated.
    """
    asked = question.asked
    if asked is None:
        return list(values)
    wanted = {name_key(word) for word in question.qualifiers}
    narrow = [value for value in values if wanted <= set(map(name_key, value.attribute.split()))]
    if not narrow:
        narrow = [value for value in values if all(_is_at(value, word) for word in wanted)]
    ranks = [(_rank(asked, value.attribute, value.fact_type), value) for value in narrow]
    best = max((rank for rank, _ in ranks), default=0)
    return [value for rank, value in ranks if rank == best > 0]


def _is_at(value: Value, word: str) -> bool:
    """Tell whether a word stands in the line or in the citation of a value."""
    words = _PIECE.findall(f"{value.evidence.citation} {value.evidence.text}")
    return word in {name_key(piece) for piece in words}


def select_conflicts(
    conflicts: Sequence[StoredConflict], asked: Attribute | None
) -> list[StoredConflict]:
    """Return the conflicts that are about what is asked: all, where nothing is."""
    return [
        conflict
        for conflict in conflicts
        if asked is None or _rank(asked, conflict.attribute, conflict.fact_type)
    ]


def is_asked_in(asked: Attribute, text: str) -> bool:
    """Tell whether a text has a word for an attribute."""
    folded = f" {' '.join(_split(term(text)))} "
    return any(f" {name} " in folded for name in asked.names)


def _rank(asked: Attribute, attribute: str, fact_type: str) -> int:
    """Return how well a value fits what is asked, 0 to 4: best if it is called just so.

    What the document calls otherwise (the gateway's address) is not asked for.
    """
    if attribute in asked.names:
        return 4
    named = {other.name for other, _ in _list_attributes(attribute.split())}
    if asked.name in named:
        return 3
    if fact_type not in asked.types or not named <= asked.through:
        return 0
    return 2 if attribute in _attributes() else 1


def _find_attribute(
    before: Sequence[str], after: Sequence[str]
) -> tuple[Attribute | None, Collection[str]]:
    """Return the attribute named beside a name, the nearest one, and the words that name it."""
    listed = [*_list_attributes(after), *reversed([*_list_attributes(before)])]
    if not listed:
        return None, ()
    asked = listed[0][0]
    return asked, {word for attribute, words in listed if attribute is asked for word in words}


def _list_attributes(words: Sequence[str]) -> Iterator[tuple[Attribute, Sequence[str]]]:
    """Yield the attributes that words name, in order, the longest name at each place."""
    at = 0
    while at < len(words):
        for size in range(_MOST_ATTRIBUTE_WORDS, 0, -1):
            piece = words[at : at + size]
            attribute = _attributes().get(" ".join(piece)) if len(piece) == size else None
            if attribute is not None:
                yield attribute, piece
                at += size - 1
                break
        at += 1


@cache
def _attributes() -> dict[str, Attribute]:
    """Return the attributes by each of their names."""
    table = load_table(__name__.rpartition(".")[0], "attributes.toml")
    known = [
        Attribute(name, *(frozenset(entry.get(part, ())) for part in ("names", "types", "through")))
        for name, entry in table.items()
    ]
    return {name: attribute for attribute in known for name in attribute.names}


def _split(text: str) -> list[str]:
    """Return the words of a question, folded, without what ends a sentence or says whose it is."""
    words = (_POSSESSIVE.sub("", word.rstrip(".:")) for word in _WORD.findall(text.casefold()))
    return [word for word in words if word]


def _is_plain(word: str) -> bool:
    """Tell whether a word only makes a question of others."""
    return word in STOP_WORDS or word in _ASKING
