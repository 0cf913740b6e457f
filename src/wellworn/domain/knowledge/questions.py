"""What a question asks: which attribute, of which thing.

"kasm-01 IP address" and "what is the IP of kasm-01?" name a thing and an attribute of it; the names
are those that documents have, the attributes those of `attributes.toml`. A word that is neither
leaves a question unread: it is looked up as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from wellworn.domain.knowledge.answers import StoredConflict, Value
from wellworn.domain.knowledge.commonness import is_common, share, stem
from wellworn.domain.knowledge.entities import is_special, name_key
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.words import load_table, load_words

_MOST_WORDS: Final = 24
"""Words of a question; what is longer is no question after one thing."""
_MOST_NAME_WORDS: Final = 6
_MOST_ATTRIBUTE_WORDS: Final = 3
_TWO: Final = 2
_WORD: Final = re.compile(r"[^\s?!,;\"\u201c\u201d()]+")
_PIECE: Final = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
_ASKING: Final = frozenset(load_words(__name__, "asking"))
#: With which a context asks something, rather than tells what the caller does.
_PRONOUNS: Final = frozenset(load_words(__name__, "pronouns_of_questions"))
#: Words for what sort of thing a name is of: "the server cube" is cube.
_SORTS: Final = frozenset(load_words(__name__, "named_things"))
#: Words that say what is done to a thing.
_DEEDS: Final = frozenset(load_words(__name__, "asked_deeds"))
#: Words of an attribute that make no other one of it.
_NEUTRAL: Final = frozenset(load_words(__name__, "neutral_words"))


@dataclass(frozen=True, slots=True)
class Attribute:
    """What can be asked of a thing.

    Attributes:
        names: words for it, folded.
        types: of facts that are it, unless the document calls them otherwise.
        through: other attributes as which such a fact may be called all the same.
        shows: kinds of what stands in a line that may say it.
        asking: words that ask for it and do not speak of it, such as `where`.
        yields: whether it is meant only where nothing else is asked: one reaches a thing by
            whatever there is.
        leads: whether it is meant whatever else is named: of "how long is a token valid" the
            token is not asked.
        is_free: whether it is no attribute that is known, but words of a question.
    """

    name: str
    names: frozenset[str]
    types: frozenset[str]
    through: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    yields: bool = False
    leads: bool = False
    is_free: bool = False


@dataclass(frozen=True, slots=True)
class ValueQuestion:
    """A thing as it is named, the attribute that is asked, and words that narrow it down.

    Attributes:
        qualifiers: words of the attribute, such as `data` of "data ip", or of where it is said.
        places: words that name a source or site.
        asks_what: whether it asks what the thing is, as a name alone does not.
    """

    name: str
    asked: Attribute | None
    qualifiers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    asks_what: bool = False


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


def parse_question(text: str, context: str, is_name: Callable[[str], bool]) -> ValueQuestion | None:
    """Return what a text asks; None where no known name stands in it, or other words do.

    Args:
        text: a term or a question.
        context: what the caller is doing; it may name the attribute.
        is_name: tells whether something is called so.
    """
    words = _split(text)
    if len(words) > _MOST_WORDS:
        return None
    names = [(name, span) for name, span in list_names(text) if is_name(name)]
    # A name that no plain word is says more surely what is meant than one that is.
    for name, (first, last) in sorted(names, key=lambda known: _measure_plainness(known[0]))[:1]:
        rest = [*words[:first], *words[last:]]
        asked, used = _find_attribute(words[:first], words[last:])
        qualifiers = tuple(
            word for word in rest if not (word in used or word in _SORTS or _is_plain(word))
        )
        if qualifiers and all(map(is_common, name.split())):
            return None
        asked = asked or find_attribute(context)
        if asked is None and not qualifiers and any(word in _PRONOUNS for word in _split(context)):
            qualifiers = tuple(list_telling_words(context))
        if asked is None and qualifiers:
            if not (_measure_telling(name) or " " in name):
                return None
            asked, qualifiers = _build_free_attribute(qualifiers), ()
        asks_what = asked is None and any(word in _ASKING for word in rest)
        return ValueQuestion(name, asked, qualifiers, asks_what=asks_what)
    return None


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
    return replace(question, asked=_build_free_attribute(others) if others else None, places=places)


def _measure_plainness(name: str) -> tuple[int, float]:
    """Return how likely a name is a mere word: by what it is made of, then by how common it is."""
    return -_measure_telling(name), min(share(stem(word)) for word in name.split())


def _measure_telling(name: str) -> int:
    """Return how surely a name is meant: 0 for a plain word, 2 for one made of several parts."""
    if name in _attributes() or not any(map(is_special, name.split())):
        return 0
    return 1 if name.isalpha() else 2


def _build_free_attribute(words: Sequence[str]) -> Attribute:
    """Return what is asked by words that name no known attribute."""
    name = " ".join(words)
    return Attribute(name, frozenset({name}), frozenset(), is_free=True)


def list_telling_words(text: str) -> list[str]:
    """Return the words of a question that say what it is about, folded, each once."""
    words = dict.fromkeys(word for word in _split(text) if not _is_plain(word))
    return [word for word in words if word not in _DEEDS]


def is_question(text: str) -> bool:
    """Tell whether a text asks something of a name, rather than being one."""
    words = _split(text)
    return len(words) > 1 and (any(map(_is_plain, words)) or any(_list_attributes(words)))


def parse_without_names(text: str) -> ValueQuestion | None:
    """Return what a question asks of what is left of it; None for what is no question.

    Where a word that is no plain one is left, it is the name, with those beside it.
    """
    words = _split(text)
    asked, used = _find_attribute((), words)
    name = [word for word in words if word not in used and not _is_plain(word)]
    telling = [number for number, word in enumerate(name) if is_special(word)]
    if telling and len(telling) < len(name):
        name = name[telling[0] : telling[-1] + 1]
    is_led = asked is not None and asked.leads
    if not is_led and all(word in _attributes() for word in name):
        # One of the words for attributes is the name: `homepage` of "homepage configuration".
        name, asked = _find_disguised_name(words, name, asked)
    has_name = any(char.isalpha() for word in name for char in word)
    if not has_name or len(name) > _MOST_NAME_WORDS or len(name) == len(words):
        return None
    return ValueQuestion(" ".join(name), asked)


def _find_disguised_name(
    words: Sequence[str], name: list[str], asked: Attribute | None
) -> tuple[list[str], Attribute | None]:
    listed = [found for found in _list_attributes(words) if found[0].names]
    if len(listed) < _TWO:
        return name, asked
    return list(listed[0][1]), listed[-1][0]


def find_attribute(text: str) -> Attribute | None:
    """Return the attribute that a text names, if it is one alone."""
    listed = (attribute for attribute, _ in _list_attributes(_split(text)) if attribute.names)
    named = {attribute.name: attribute for attribute in listed}
    least = min(map(_yield_to_others, named.values()), default=0)
    asked = [attribute for attribute in named.values() if _yield_to_others(attribute) == least]
    return asked[0] if len(asked) == 1 else None


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
    ranks = [
        (_rank(asked, _drop_words(value.attribute, wanted), value.fact_type), value)
        for value in narrow
    ]
    best = max((rank for rank, _ in ranks), default=0)
    return [value for rank, value in ranks if rank == best > 0]


def select_by_context(values: Sequence[Value], context: str) -> list[Value]:
    """Return the values at whose place a word of the context stands, if not all or none are."""
    selected = list(values)
    for word in list_telling_words(context):
        there = [value for value in selected if _is_at(value, name_key(word))]
        selected = there or selected
    return selected


def _drop_words(attribute: str, words: Collection[str]) -> str:
    """Return what a value is called without words that the question has."""
    return " ".join(word for word in attribute.split() if name_key(word) not in words) or attribute


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


def _rank(asked: Attribute, attribute: str, fact_type: str) -> int:
    """Return how well a value fits what is asked, 0 to 4: best if it is called just so.

    What the document calls otherwise (the gateway's address, an agent's version) is not asked for.
    """
    if attribute in asked.names:
        return 4
    words = attribute.split()
    named = {other.name: piece for other, piece in _list_attributes(words)}
    others = [word for word in words if not any(word in piece for piece in named.values())]
    if not _NEUTRAL.issuperset(others):
        return 0
    if asked.name in named and len(named) == 1:
        return 3
    if fact_type not in asked.types or not named.keys() <= asked.through:
        return 0
    return 2 if attribute in _attributes() else 1


def _find_attribute(
    before: Sequence[str], after: Sequence[str]
) -> tuple[Attribute | None, Collection[str]]:
    """Return the attribute named beside a name, the nearest one, and the words that name it.

    Of a compound the last word is what is asked: the port of "web UI port".
    """
    behind = [*_list_attributes(after)]
    size = _measure_compound(after, behind)
    listed = [*reversed(behind[:size]), *behind[size:], *reversed([*_list_attributes(before)])]
    if not listed:
        return None, ()
    asked = min((attribute for attribute, _ in listed), key=_yield_to_others)
    is_used = (
        attribute is asked or (attribute.yields and not asked.leads) for attribute, _ in listed
    )
    used = (words for (_, words), is_one in zip(listed, is_used, strict=True) if is_one)
    return asked, {word for words in used for word in words}


def _measure_compound(
    words: Sequence[str], listed: Sequence[tuple[Attribute, Sequence[str]]]
) -> int:
    """Return how many of the attributes that words name stand side by side, from the first on."""
    compound: list[str] = []
    for size, (_, piece) in enumerate(listed):
        compound += piece
        if " ".join(compound) not in " ".join(words):
            return size
    return len(listed)


def _yield_to_others(attribute: Attribute) -> int:
    """Return what an attribute is sorted by: of those that a question names the least is asked."""
    if attribute.yields:
        return 2 if attribute.names else 3
    return 0 if attribute.leads else 1


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
        Attribute(
            name,
            *(
                frozenset(entry.get(part, ()))
                for part in ("names", "types", "through", "shows", "asking")
            ),
            yields=entry.get("yields", False),
            leads=entry.get("leads", False),
        )
        for name, entry in table.items()
    ]
    return {
        name: attribute for attribute in known for name in (*attribute.names, *attribute.asking)
    }


def _split(text: str) -> list[str]:
    """Return the words of a question, folded, without what ends a sentence or says whose it is."""
    words = (_POSSESSIVE.sub("", word.rstrip(".:")) for word in _WORD.findall(text.casefold()))
    return [word for word in words if word]


def _is_plain(word: str) -> bool:
    """Tell whether a word only makes a question of others."""
    return word in STOP_WORDS or word in _ASKING
