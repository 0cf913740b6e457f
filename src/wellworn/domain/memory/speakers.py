"""Finds who is named in a question, and whose words it asks for. Pure.

A name is somebody's by all of its words alone. Whose words are asked for is told by a word for
saying in the question, as in "what did Ana say"; by one for whose something is, as in "a note by
Ana"; or where there is nothing but words that name no subject.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from wellworn.domain.memory.contribution import AUXILIARIES, QUESTION_WORDS
from wellworn.domain.memory.routing import SPEAKS, TOKEN, is_token_general, strip_token
from wellworn.engines.retrieval.text import is_function_word
from wellworn.kit.words import fold, fold_phrases, load_words

_LONGEST_NAME: Final = 3
_BEHIND_A_VERB: Final = 2
_ASKER, _BEFORE_THE_ASKER = "i", frozenset(("did", "have"))
_BY: Final = frozenset(load_words(__name__, "of_a_speaker"))
_ACCORDING_TO: Final = [phrase.split() for phrase in fold_phrases(load_words(__name__, "sources"))]
_BEFORE_A_NAME: Final = QUESTION_WORDS | AUXILIARIES | set(load_words(__name__, "pointing"))
_HAS_SAID: Final = frozenset(("did", "has", "have", "had", "hat", "haben", "hatte"))
_WHO: Final = frozenset(("who", "wer", "quién", "qui"))
_OWNER: Final = ("'", "'s")


class QuestionWord(NamedTuple):
    """A word of a question as names are compared, and its place in it."""

    text: str
    start: int
    end: int
    is_owner: bool = False

    @property
    def is_general(self) -> bool:
        return is_token_general(self.text)

    @property
    def is_spoken(self) -> bool:
        """Whether it is of letters, as names of people are, and no file, number or address."""
        return self.text.replace("-", "").replace("'", "").isalpha()


@dataclass(frozen=True, slots=True)
class PersonName:
    """A stretch of words that is somebody's name; `keys` is who is known by it, if anybody is."""

    first: int
    behind: int
    keys: frozenset[str]


def list_words(text: str) -> list[QuestionWord]:
    """Return the words of a text."""
    return [_read_word(match.group(), match.start()) for match in TOKEN.finditer(text)]


def _read_word(token: str, start: int) -> QuestionWord:
    folded = fold(token)
    text = strip_token(folded)
    start += folded.find(text)
    return QuestionWord(text, start, start + len(text), is_owner=folded.endswith(_OWNER))


class NamedPeople:
    """The people named in a question, and those whose words it asks for."""

    def __init__(
        self, words: Sequence[QuestionWord], known: Iterable[tuple[str, str]], asker: str
    ) -> None:
        self._words, self._asker = words, asker
        self._names = sorted(self._find_names(known), key=lambda name: name.first)
        self._at = {at for name in self._names for at in range(name.first, name.behind)}

    def _find_names(self, known: Iterable[tuple[str, str]]) -> Iterator[PersonName]:
        """Yield the known names in the words, the longest first, each word in one of them."""
        keys: dict[tuple[str, ...], set[str]] = {}
        for name, key in known:
            parts = tuple(word.text for word in list_words(fold(name)))
            if parts:
                keys.setdefault(parts, set()).add(fold(key))
        taken = {at for at in range(1, len(self._words)) if self._is_asker(at)}
        yield from (PersonName(at, at + 1, frozenset({fold(self._asker)})) for at in taken)
        for size in sorted(set(map(len, keys)), reverse=True):
            for at in range(len(self._words) - size + 1):
                places = range(at, at + size)
                parts = tuple(self._words[place].text for place in places)
                is_free = parts in keys and taken.isdisjoint(places)
                if is_free and self._may_be_name(parts, at, at + size):
                    taken.update(places)
                    yield PersonName(at, at + size, frozenset(keys[parts]))

    def _may_be_name(self, parts: Sequence[str], at: int, behind: int) -> bool:
        """Tell whether words are a name; "Ben", a word of Dutch, is one only where names stand."""
        is_general = all(map(is_token_general, parts))
        stands = self._is_asked_for(at, behind) or self._is_behind_source(at)
        return not is_general or stands or self._words[behind - 1].is_owner

    def _is_asker(self, at: int) -> bool:
        before, word = self._words[at - 1 : at + 1]
        is_asker = word.text == _ASKER and before.text in _BEFORE_THE_ASKER
        return is_asker and self._speaks(at + 1)

    def find_speakers(self) -> list[PersonName]:
        """Return the names of those whose words are asked for.

        That is asked beside a word for saying, unless who says something is asked for, behind words
        that say according to whom, or where nothing else is asked for.
        """
        names = [name for name in self._names if self._is_meant(name.first)]
        if self.is_general_beside(names):
            return names
        if self._is_of_saying:
            return [name for name in names if not self._is_told(name.first)]
        return [name for name in names if self._is_behind_source(name.first)]

    @cached_property
    def _is_of_saying(self) -> bool:
        """Whether what somebody says is asked for, and not who says something."""
        texts = [word.text for word in self._words]
        return not SPEAKS.isdisjoint(texts) and _WHO.isdisjoint(texts[:1])

    def find_excluded(self, speakers: Sequence[PersonName]) -> list[PersonName]:
        """Return the names beside what tells of saying that stand behind an unknown word."""
        return [
            name
            for name in self._names
            if name not in speakers
            and not self._is_meant(name.first)
            and self._speaks_next(name.behind)
        ]

    def _speaks_next(self, at: int) -> bool:
        """Tell whether a word for saying follows, behind function words and other names."""
        rest = itertools.dropwhile(
            lambda place: place in self._at or is_function_word(self._words[place].text),
            range(at, len(self._words)),
        )
        return self._speaks(next(rest, len(self._words)))

    def _is_told(self, first: int) -> bool:
        """Tell whether a name is of who is told: "what did bo tell Ana", not "was sagte Ana"."""
        return first > _BEHIND_A_VERB and self._speaks(first - 1)

    def find_unknown(self) -> list[PersonName]:
        """Return what stands where a name does, and is nobody's: "What did Zoe say?"."""
        at = 0
        unknown: list[PersonName] = []
        while at < len(self._words):
            behind = at
            while behind < len(self._words) and not self._words[behind].is_general:
                behind += 1
            is_name = 0 < behind - at <= _LONGEST_NAME and self._at.isdisjoint(range(at, behind))
            is_name = is_name and all(word.is_spoken for word in self._words[at:behind])
            if is_name and self._is_asked_for(at, behind):
                unknown.append(PersonName(at, behind, frozenset()))
            at = max(behind, at + 1)
        return unknown

    def _is_asked_for(self, at: int, behind: int) -> bool:
        if at == 0:
            return False
        before = self._words[at - 1].text
        if before in _HAS_SAID:
            return self._speaks(behind) or self._speaks(len(self._words) - 1)
        if before in QUESTION_WORDS:
            return self._speaks(behind)
        of = self._words[at - 2]
        is_of_words = at > 1 and of.is_general and not is_function_word(of.text)
        return before in _BY and behind == len(self._words) and is_of_words

    def is_general_beside(self, names: Sequence[PersonName]) -> bool:
        """Tell whether nothing but what these said is asked for."""
        taken = {at for name in names for at in range(name.first, name.behind)}
        others = [word for at, word in enumerate(self._words) if at not in taken]
        return bool(names and others) and all(word.is_general for word in others)

    def _is_meant(self, first: int) -> bool:
        """Tell whether a name stands alone: "everyone but Ana" and "her boss Ana" are not Ana."""
        if first == 0:
            return True
        word = self._words[first - 1]
        if first - 1 in self._at or word.text in _BEFORE_A_NAME or self._is_behind_source(first):
            return True
        is_joined = first > 1 and first - 2 in self._at
        return is_joined or (word.is_general and not is_function_word(word.text))

    def _is_behind_source(self, first: int) -> bool:
        """Tell whether a name stands behind "according to", or "by" and a word for saying."""
        before = [word.text for word in self._words[:first]]
        return any(before[-len(phrase) :] == phrase for phrase in _ACCORDING_TO) or (
            before[-1:] != [] and before[-1] in _BY
        )

    def _speaks(self, at: int) -> bool:
        return at < len(self._words) and self._words[at].text in SPEAKS

    def span(self, name: PersonName) -> tuple[int, int]:
        """Return where a name stands, with the word before it that it is not understood with."""
        first = name.first - (not self._is_meant(name.first))
        return self._words[first].start, self._words[name.behind - 1].end
