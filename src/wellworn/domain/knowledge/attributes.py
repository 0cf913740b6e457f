"""Lists what can be asked of a thing, and the words of a question that ask for it.

Questions ask in words of their own, and are answered with what documents call so. The attributes of
`attributes.toml` tell only of which type a value is that a document states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import split_pieces
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.words import load_table, load_words

_MOST_ATTRIBUTE_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\s?!,;\"\u201c\u201d()]+")
_ASIDE: Final = re.compile(r" \([^()]*+\)$")
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
ASKING: Final = frozenset(load_words(__name__, "asking"))
#: "How long is it kept?" asks for something, and "which port does it listen on?" for a port.
_ASKING_ALONE: Final = frozenset(load_words(__name__, "asking_by_themselves"))
#: With which a context asks something, rather than tells what the caller does.
_PRONOUNS: Final = frozenset(load_words(__name__, "pronouns_of_questions"))
#: Words after which a phrase says where, when or of what.
_LINKS: Final = frozenset(load_words(__name__, "linking_prepositions"))
#: Words after which "to" says what the caller is about to do.
_WISHES: Final = frozenset(load_words(__name__, "wishes"))
#: Words for uses of a name, which nobody asks for by that word alone.
_USES: Final = frozenset(load_words(__name__, "places_of_use"))
#: Words of an attribute that make no other one of it.
NEUTRAL: Final = frozenset(load_words(__name__, "neutral_words"))
_MOST_ASKED_WORDS: Final = 4
"""Words of a context that name what is asked; a longer one is a sentence."""
_ACTIVITY: Final = re.compile(r"[a-z]{2,}(?:ing|ed)")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that can be asked of a thing.

    Attributes:
        names: words for it, folded.
        types: of facts that are it, unless the document calls them otherwise.
        yields: whether it is meant only where nothing else is asked: one reaches a thing by
            whatever there is.
    """

    name: str
    names: frozenset[str]
    types: frozenset[str]
    yields: bool = False


def read_context(context: str, name: str = "") -> str | None:
    """Return the words of a context that ask something of a name; None where they ask nothing.

    "ip address in the lab network" asks for an address; "in the helm chart", "headscale config" and
    "deploying the app" tell where a name is used or what the caller does.
    """
    own = frozenset(split_words(name))
    words = [word for word in split_words(context) if word not in own]
    head = _cut_at_link(words)
    if not _PRONOUNS.isdisjoint(words):
        cut = list_telling_words(" ".join(head)) or list_telling_words(" ".join(words))
        return " ".join(cut) or None
    telling = list_telling_words(" ".join(head))
    tells_use = not telling or telling[-1] in _USES or len(telling) > _MOST_ASKED_WORDS
    return None if tells_use or _is_activity(head) else " ".join(telling)


def _cut_at_link(words: Sequence[str]) -> Sequence[str]:
    """Return the words before the first that says where, when or of what."""
    links = (
        number
        for number, word in enumerate(words)
        if word in _LINKS and not (word == "to" and words[number - 1] in _WISHES)
    )
    return words[: next(links, len(words))]


def _is_activity(words: Sequence[str]) -> bool:
    """Tell whether words say what is done or has happened: "writing a client", "an alert fired"."""
    return bool(words) and any(_ACTIVITY.fullmatch(word) for word in (words[0], words[-1]))


def list_telling_words(text: str) -> list[str]:
    """Return the words of a question that say what it is about, folded, each once."""
    return list(dict.fromkeys(word for word in split_words(text) if not is_plain(word)))


def list_stems(text: str) -> frozenset[str]:
    """Return the stems of what says what a text is about, those of the parts of a word too."""
    pieces = (piece for word in list_telling_words(text) for piece in split_pieces(word))
    return frozenset(map(stem, pieces))


def find_attribute(text: str) -> Attribute | None:
    """Return the attribute that a text names, if it is one alone."""
    named = {attribute.name: attribute for attribute, _ in list_attributes(split_words(text))}
    asked = [attribute for attribute in named.values() if not attribute.yields]
    asked = asked or list(named.values())
    return asked[0] if len(asked) == 1 else None


def list_attributes(words: Sequence[str]) -> Iterator[tuple[Attribute, Sequence[str]]]:
    """Yield the attributes that words name, in order, the longest name at each place."""
    at = 0
    while at < len(words):
        for size in range(_MOST_ATTRIBUTE_WORDS, 0, -1):
            piece = words[at : at + size]
            attribute = load_attributes().get(" ".join(piece)) if len(piece) == size else None
            if attribute is not None:
                yield attribute, piece
                at += size - 1
                break
        at += 1


@cache
def load_attributes() -> dict[str, Attribute]:
    """Return the attributes by each of their names."""
    table = load_table(__name__.rpartition(".")[0], "attributes.toml")
    known = [
        Attribute(
            name,
            *(frozenset(entry.get(part, ())) for part in ("names", "types")),
            yields=entry.get("yields", False),
        )
        for name, entry in table.items()
    ]
    return {name: attribute for attribute in known for name in attribute.names}


def split_words(text: str) -> list[str]:
    """Return the words of a question, folded, without what ends a sentence or says whose it is."""
    words = (_POSSESSIVE.sub("", word.rstrip(".:")) for word in _WORD.findall(text.casefold()))
    return [word for word in words if word]


def drop_aside(called: str) -> str:
    """Return what a value is called without what stands in brackets behind it: "ip (lan)" is ip."""
    return _ASIDE.sub("", called)


def list_asked(words: Iterable[str]) -> list[str]:
    """Return those of the words beside a name that ask for something of it."""
    rest = [word for word in words if word not in STOP_WORDS | ASKING]
    return [word for word in rest if word not in _ASKING_ALONE] or rest


def is_plain(word: str) -> bool:
    """Tell whether a word only makes a question of others."""
    return word in STOP_WORDS or word in ASKING or word in _ASKING_ALONE
