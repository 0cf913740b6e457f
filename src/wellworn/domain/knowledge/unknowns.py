"""Known gaps: what was asked and not found, and what is spoken of without ever being named.

"The old server" means something to those who wrote it. If the documents do not say which one, or
leave a choice, only the owner can: such phrases are listed, rather than resolved by a guess.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import key, term, words
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.views import Reading
from wellworn.kit.words import load_words

_FEW_DOCUMENTS: Final = 20
_OFTEN: Final = 2

_AGES: Final = frozenset(("former", "legacy", "new", "old", "older", "other"))
#: What each environment may be called.
_STAGES: Final = {
    names[0]: names for names in (word.split("/") for word in load_words(__name__, "environments"))
}
#: Where nothing is said, these are meant.
_UNMARKED: Final = frozenset(("prod", "production", "live", "main", "primary"))
_MACHINES: Final = ("box", "host", "instance", "machine", "node", "server", "vm", "vps")
_HEADS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    **dict.fromkeys(_MACHINES, (("ip", "hostname"), _MACHINES)),
    "endpoint": (("endpoint", "url"), ("endpoint",)),
    "api": (("endpoint", "url"), ("api",)),
    "url": (("endpoint", "url"), ("url",)),
    "database": ((), ("database", "db", "postgres", "postgresql", "mysql", "mariadb")),
    "db": ((), ("database", "db", "postgres", "postgresql", "mysql", "mariadb")),
    **dict.fromkeys(("token", "password", "secret"), (("secret_ref",), ("token", "secret"))),
    **{
        head: ((), (head,))
        for head in (
            "account",
            "bucket",
            "cluster",
            "dashboard",
            "domain",
            "nas",
            "proxy",
            "repo",
            "vpn",
        )
    },
}
_PHRASE: Final = re.compile(
    rf"\b(?P<which>{'|'.join(sorted([*_AGES, *_STAGES], key=len, reverse=True))})[ \t]"
    rf"(?P<head>{'|'.join(sorted(_HEADS, key=len, reverse=True))})\b(?![-_/.]\w)",
    re.IGNORECASE,
)
_DEFINITE: Final = re.compile(r"\b(?:the|our|my|that|this)[ \t]$", re.IGNORECASE)
_ANY: Final = re.compile(r"\b(?:an?|any|another|each|every|some|no|your)[ \t]$", re.IGNORECASE)
_LONGEST_ARTICLE: Final = 10


@dataclass(frozen=True, slots=True)
class Phrase:
    """A way in which a document speaks of something without naming it.

    Attributes:
        count: how often; `definite` of them as of something known ("the …").
        start: where it stands first, up to `end`.
    """

    term: str
    count: int
    definite: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class UnexplainedTerm:
    """A term nobody explains.

    Attributes:
        mentions: how often documents say it.
        candidates: what it may be, terms; which one is for the owner to say.
        asked: how often it was asked for in vain.
    """

    term: str
    mentions: int
    candidates: tuple[str, ...]
    asked: int


def find_phrases(reading: Reading) -> list[Phrase]:
    """Return what a document speaks of without naming it, in order of the first mention."""
    counts: Counter[str] = Counter()
    definite: Counter[str] = Counter()
    first: dict[str, tuple[int, int]] = {}
    for line in reading.lines:
        for match in _PHRASE.finditer(line.text):
            before = line.text[max(0, match.start() - _LONGEST_ARTICLE) : match.start()]
            if _ANY.search(before):
                continue
            name = _join_phrase(match["which"].casefold(), match["head"].casefold())
            counts[name] += 1
            definite[name] += _DEFINITE.search(before) is not None
            start = line.start + match.start("which")
            first.setdefault(name, (start, line.start + match.end("head")))
    return [Phrase(name, counts[name], definite[name], *first[name]) for name in first]


def find_unexplained(
    spoken: Sequence[Sequence[Phrase]],
    facts: Iterable[Fact],
    *,
    known: Collection[str] = (),
    asked: Mapping[str, int] | None = None,
    mentioned: Mapping[str, int] | None = None,
) -> list[UnexplainedTerm]:
    """Return the terms nobody explains, those that are asked for first.

    Args:
        spoken: the phrases of each document.
        facts: of all documents.
        known: the keys of the terms that are explained somewhere.
        asked: how often each term was asked for in vain.
        mentioned: how often documents say a term that was asked for.
    """
    stated = list(facts)
    explained = {*known, *(key(fact.term) for fact in stated), *(_attributes(stated))}
    mentions, definite = _count_totals(spoken)
    spread = Counter(phrase.term for phrases_ in spoken for phrase in phrases_)
    least = _OFTEN if len(spoken) > _FEW_DOCUMENTS else 1
    phrases_found = [
        UnexplainedTerm(name, mentions[name], candidates, 0)
        for name in mentions
        if definite[name] and spread[name] >= least and key(_bare(name)) not in explained
        for candidates in [_find_referents(name, stated)]
        if candidates is not None
    ]
    by_name = {term_.term: term_ for term_ in phrases_found}
    for name, count in (asked or {}).items():
        folded = term(name)
        if folded and key(folded) not in explained:
            known_gap = by_name.get(folded) or by_name.get(f"the {folded}")
            times = max(mentions[folded], (mentioned or {}).get(name, 0))
            unexplained = known_gap or UnexplainedTerm(folded, times, (), 0)
            by_name[unexplained.term] = UnexplainedTerm(
                unexplained.term, unexplained.mentions, unexplained.candidates, count
            )
    return sorted(by_name.values(), key=lambda term_: (-term_.asked, -term_.mentions, term_.term))


def _find_referents(name: str, facts: Sequence[Fact]) -> tuple[str, ...] | None:
    """Return what a phrase may mean, none or several; None when the facts say which one it is."""
    pieces = _bare(name).split()
    which, head = pieces[0], pieces[-1]
    of_kind = [fact for fact in facts if _is_of_kind(fact, head)]
    marks = {stem(word) for word in _STAGES.get(which, (which,))}
    marked = _terms(fact for fact in of_kind if marks & _stems(fact))
    if len(marked) == 1:
        return None
    if marked or which not in _UNMARKED:
        return marked
    others = {stem(word) for name in _STAGES.keys() - _UNMARKED for word in _STAGES[name]}
    return _terms(fact for fact in of_kind if not others & _stems(fact))


def _count_totals(spoken: Sequence[Sequence[Phrase]]) -> tuple[Counter[str], Counter[str]]:
    mentions: Counter[str] = Counter()
    definite: Counter[str] = Counter()
    for phrases_ in spoken:
        for phrase in phrases_:
            mentions[phrase.term] += phrase.count
            definite[phrase.term] += phrase.definite
    return mentions, definite


def _attributes(facts: Iterable[Fact]) -> set[str]:
    """Return the keys of attributes that only one term has: "prod endpoint" of the only API."""
    whose: dict[str, set[str]] = defaultdict(set)
    for fact in facts:
        if " " in fact.attribute:
            whose[key(fact.attribute)].add(fact.value)
    return {attribute for attribute, values in whose.items() if len(values) == 1}


def _join_phrase(which: str, head: str) -> str:
    return f"the {which} {head}" if which in _AGES else f"{which} {head}"


def _bare(name: str) -> str:
    return name.removeprefix("the ")


def _is_of_kind(fact: Fact, head: str) -> bool:
    types, heads = _HEADS[head]
    return fact.fact_type in types or bool({stem(word) for word in heads} & _stems(fact))


def _stems(fact: Fact) -> set[str]:
    text = f"{fact.term} {fact.attribute} {fact.snippet}"
    return {stem(word.casefold()) for word in words(text)}


def _terms(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return the terms of facts, of those about one value the shortest."""
    shortest: dict[tuple[int, int], str] = {}
    for fact in facts:
        place = (fact.document, fact.start)
        if place not in shortest or len(fact.term) < len(shortest[place]):
            shortest[place] = fact.term
    return tuple(sorted(set(shortest.values())))
