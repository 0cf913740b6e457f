"""Tells statements about one thing from those about two things of a kind. Pure.

"The queue of ana has a limit of 31" and "The queue of ben has a limit of 47" are as alike as a
statement and its correction. What differs is the subject: words before the verb or the colon that
both share, and not only what is told of it.

Source: `python -m benchmarks remembering`, the pairs in `benchmarks/notes/pairs.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cached_property
from itertools import pairwise, takewhile
from typing import Final

from wellworn.engines.retrieval.text import (
    ENGLISH,
    detect_language,
    list_function_words,
    load_stemmer,
)
from wellworn.kit.words import load_phrases, load_words

_LONGEST: Final = 200
"""Characters that are looked at: a subject stands at the beginning."""
_TOKEN: Final = re.compile(
    r"\d+(?:[:.,]\d+)*(?![^\W_])|[^\W_]+(?:[-./_@#&][^\W_]+)*|->|[:=\u2192,]"
)
_CLAUSE: Final = re.compile(r"(?<!\b\w)[.;!?\n](?:\s|$)")
_POSSESSIVE: Final = re.compile(r"(?<=\w)['\u2019]s\b")
_ELISION: Final = re.compile(r"\b([cdjlmnst]|qu)['\u2019](?=\w)", re.IGNORECASE)
_SIGNS: Final = frozenset((":", "=", "->", "\u2192"))
_COMMA: Final = ","
_JOINT: Final = re.compile(r"[-./_@#& ]")
_NUMBER: Final = re.compile(r"\d[\d:.,]*$")
_IDENTIFIER: Final = re.compile(r"(?=.*[^\W\d_])(?:.*\d|.*[-./_@#])")
_VERB_ENDING: Final = re.compile(r"[^\W\d_]{2,}(?:[^suía]s|t)$")
_OWNED: Final = re.compile(
    r"(?<![\w-])(?:(?P<owner>[\w-]++)['\u2019]s (?P<thing>[\w-]++)"
    rf"|(?P<thing_of>[\w-]++) (?:{load_phrases(__name__, 'of')}) ?"
    rf"(?:(?:{load_phrases(__name__, 'articles')}) )?(?P<owner_of>[\w-]++))"
)
_ARTICLES: Final = frozenset(load_words(__name__, "articles"))
VERBS: Final = frozenset(load_words(__name__, "verbs"))
ENGLISH_VERBS: Final = VERBS - _ARTICLES
"""Without the French verb that is an English article."""
_VERB: Final = re.compile(rf"(?<!\w)(?:{load_phrases(__name__, 'verbs')})(?!\w)|[:=\u2192]|->")
TIMES: Final = frozenset(load_words(__name__, "times"))
UNTELLING: Final = frozenset(load_words(__name__, "untelling"))


class StatementSubject:
    """What a statement begins with."""

    def __init__(self, text: str) -> None:
        opening = _CLAUSE.split(text.strip()[:_LONGEST], maxsplit=1)[0]
        self._opening = " ".join(opening.split())

    @cached_property
    def _spelled(self) -> list[str]:
        return _TOKEN.findall(_ELISION.sub(r"\1 ", _POSSESSIVE.sub("", self._opening)))

    @cached_property
    def _tokens(self) -> list[str]:
        return [*map(str.casefold, self._spelled)]

    @cached_property
    def _language(self) -> str:
        return detect_language(self._tokens)

    @cached_property
    def _function_words(self) -> frozenset[str]:
        return list_function_words(self._language)

    @cached_property
    def _stems(self) -> list[str]:
        """The stems of the tokens; of those that say nothing of what is meant, nothing."""
        stem = load_stemmer()
        return [stem(token) if self._tells(at) else "" for at, token in enumerate(self._tokens)]

    def _tells(self, at: int) -> bool:
        token = self._tokens[at]
        before, after = self._tokens[:at], self._tokens[at + 1 : at + 2]
        if _NUMBER.match(token):
            return at > 0 and self._is_word(before[-1])
        if token in TIMES:
            return any(map(self._is_word, before)) or any(map(self._is_word, after))
        return self._is_word(token) or self._is_name(at)

    def _is_name(self, at: int) -> bool:
        """Tell whether a word that says nothing tells two of a kind apart: by where it stands.

        Behind the kind, if it is written like a name: "gate A", "line In". Before it, if an article
        comes first: "the up lift".
        """
        if not (at and self._tokens[at].isalpha()):
            return False
        if self._is_article(at - 1):
            return any(map(self._is_word, self._tokens[at + 1 : at + 2]))
        return self._spelled[at].istitle() and self._is_word(self._tokens[at - 1])

    def _is_article(self, at: int) -> bool:
        """Tell whether a word is an article, and no name: "a gate", and not "gate A"."""
        return self._tokens[at] in _ARTICLES and not (at and self._spelled[at].istitle())

    def _is_word(self, token: str) -> bool:
        """Tell whether a token is a word that says something, and when it is said is no part."""
        return (
            token[0].isalnum()
            and token not in self._function_words
            and not (token in UNTELLING or token in TIMES or _NUMBER.match(token))
        )

    @cached_property
    def verbs(self) -> dict[str, int]:
        """What may stand behind the subject, with its place: the first verb, or else words like it.

        A word may be a verb by its ending, in English or German, and by what it stands behind; one
        that is written like a name ("since May") is none.
        """
        first = next((at for at, stem in enumerate(self._stems) if stem), len(self._tokens))
        late = [
            (at, token)
            for at, token in list(enumerate(self._tokens))[first + 1 :]
            if not self._spelled[at].istitle()
        ]
        known = _SIGNS | (ENGLISH_VERBS if self._language == ENGLISH else VERBS)
        for at, token in late:
            if token in known and not self._is_article(at - 1):
                return {token: at}
        return {
            token: at
            for at, token in late
            if self._is_word(self._tokens[at - 1]) or self._is_name(at - 1)
            if _VERB_ENDING.match(token)
        }

    def list_before(self, at: int) -> set[str]:
        """Return the stems that stand before a place."""
        return set(self._stems[:at]) - {""}

    def list_behind(self, at: int) -> set[str]:
        """Return stems and numbers between a place and the end of its clause."""
        rest = self._tokens[at + 1 :]
        end = rest.index(_COMMA) if _COMMA in rest else len(rest)
        places = range(at + 1, at + 1 + end)
        numbers = {self._tokens[place] for place in places if _NUMBER.match(self._tokens[place])}
        return {self._stems[place] for place in places} - {""} | numbers

    def get_word(self, at: int) -> str:
        """Return the word or sign at a place."""
        return self._tokens[at]

    def is_verb(self, at: int) -> bool:
        """Tell whether what stands at a place is no sign."""
        return self._tokens[at] not in _SIGNS

    @cached_property
    def name_length(self) -> int:
        """Of how many words the name is that it begins with and a verb follows: "Okan sings"; or 0.

        The first word of a sentence is written like a name whatever it is.
        """
        words = takewhile(str.istitle, self._spelled)
        length = sum(1 for _ in words)
        is_word = self._is_word(self._tokens[0]) if self._tokens else False
        return length if is_word and length in self.verbs.values() else 0

    def are_identifiers(self, at: int) -> bool:
        """Tell whether all that stands before a place is written like names of machines."""
        return all(map(_IDENTIFIER.match, self._tokens[:at]))

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of what it names, without numbers and times."""
        return frozenset(
            stem
            for stem, token in zip(self._stems, self._tokens, strict=True)
            if stem and self._is_word(token)
        )

    @cached_property
    def numbers(self) -> dict[str, set[str]]:
        """The numbers of numbered things, by stem: `{"pier": {"3"}}`."""
        numbers: dict[str, set[str]] = {}
        for stem, number in pairwise(zip(self._stems, self._tokens, strict=True)):
            if stem[0] and _NUMBER.match(number[1]):
                numbers.setdefault(stem[0], set()).add(number[1])
        return numbers

    @cached_property
    def owners(self) -> dict[str, str]:
        """Whose or of what the things before the verb are: `{"queue": "ana"}`."""
        stem = load_stemmer()
        owners: dict[str, str] = {}
        for match in _OWNED.finditer(_VERB.split(self._opening.casefold(), maxsplit=1)[0]):
            thing, owner = match["thing"] or match["thing_of"], match["owner"] or match["owner_of"]
            if self._is_word(thing) and self._is_word(owner):
                owners.setdefault(stem(thing), stem(owner))
        return owners


def differ(subject: StatementSubject, other: StatementSubject, *, is_change: bool) -> bool:
    """Tell whether two statements are of one form, and about two things.

    Not where they differ in who does something, and tell the same of it: of "ana leads design" and
    "ben leads design", one has taken the other's place. So it may have in other words, if one of
    them says that something changed.
    """
    return (
        _have_other_owners(subject, other)
        or _begin_otherwise(subject, other)
        or _tell_of_others(subject, other, is_change=is_change)
    )


def share_only_numbers(subject: StatementSubject, other: StatementSubject) -> bool:
    """Tell whether two statements share nothing but the name of things of other numbers.

    "Pier 3 is closed" and "Lost property is kept on pier 1".
    """
    shared = subject.words & other.words
    mine, theirs = subject.numbers, other.numbers
    apart = {
        name for name in shared & mine.keys() & theirs.keys() if mine[name].isdisjoint(theirs[name])
    }
    return bool(apart) and shared <= apart


def _tell_of_others(subject: StatementSubject, other: StatementSubject, *, is_change: bool) -> bool:
    """Tell whether each begins with a name that the other lacks, and tells another thing of it.

    "Okan sings tenor" and "Birgit sings alto", or "Birgit leads the choir".
    """
    here, there = subject.name_length, other.name_length
    if not (here and there):
        return False
    mine, theirs = subject.list_before(here), other.list_before(there)
    predicate, other_predicate = subject.list_behind(here), other.list_behind(there)
    if mine & (theirs | other_predicate) or theirs & predicate:
        return False
    if subject.get_word(here) == other.get_word(there):
        return predicate.isdisjoint(other_predicate)
    return not is_change


def _have_other_owners(subject: StatementSubject, other: StatementSubject) -> bool:
    mine, theirs = subject.owners, other.owners
    return any(mine[thing] != theirs[thing] for thing in mine.keys() & theirs.keys())


def _begin_otherwise(subject: StatementSubject, other: StatementSubject) -> bool:
    places = _find_common_verb(subject, other)
    if places is None:
        return False
    here, there = places
    mine, theirs = subject.list_before(here), other.list_before(there)
    if mine <= theirs or theirs <= mine or _is_spelled_out(mine, theirs):
        return False
    if mine & theirs or (subject.are_identifiers(here) and other.are_identifiers(there)):
        return True
    predicate, other_predicate = subject.list_behind(here), other.list_behind(there)
    is_told_alike = subject.is_verb(here) and not predicate.isdisjoint(other_predicate)
    return is_told_alike and bool(predicate - other_predicate and other_predicate - predicate)


def _is_spelled_out(mine: Set[str], theirs: Set[str]) -> bool:
    """Tell whether the parts of a name are words of the other: `test_checkout`, "checkout test"."""
    here, there = (set(_JOINT.split(" ".join(words))) for words in (mine, theirs))
    return len(here & there) > 1 and (here <= there or there <= here)


def _find_common_verb(subject: StatementSubject, other: StatementSubject) -> tuple[int, int] | None:
    """Return where the first verb or sign that both share stands in each."""
    mine, theirs = subject.verbs, other.verbs
    shared = mine.keys() & theirs.keys()
    verb = min(shared, key=lambda verb: (mine[verb] + theirs[verb], verb), default=None)
    return None if verb is None else (mine[verb], theirs[verb])
