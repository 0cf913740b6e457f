"""Who is named in a question, and whose words it asks for. Pure.

A name is somebody's by all of its words alone. Whose words are asked for is told by what stands
beside it: a word for saying, as in "what did Ana say"; one for whose something is, as in "a note by
Ana"; or nothing but words that name no subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from wellworn.domain.memory.contribution import AUXILIARIES, QUESTION_WORDS
from wellworn.domain.memory.routing import SPEAKS, TOKEN, is_token_general, strip_token
from wellworn.domain.thoughts import truth
from wellworn.engines.retrieval.text import is_function_word
from wellworn.kit.words import fold, fold_phrases, load_words

_LONGEST_NAME: Final = 3
_BEHIND_A_VERB: Final = 2
_ASKER, _BEFORE_THE_ASKER = "i", frozenset(("did", "have"))
_BY: Final = frozenset(load_words(__name__, "of_a_speaker"))
_ACCORDING_TO: Final = [
    phrase.split() for phrase in fold_phrases(load_words(f"{truth.__name__}.words", "sources"))
]
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
    """Who is named in a question, and whose words it asks for."""

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
            if not all(map(is_token_general, parts)):
                keys.setdefault(parts, set()).add(fold(key))
        taken = {at for at in range(1, len(self._words)) if self._is_asker(at)}
        yield from (PersonName(at, at + 1, frozenset({fold(self._asker)})) for at in taken)
        for size in sorted(set(map(len, keys)), reverse=True):
            for at in range(len(self._words) - size + 1):
                places = range(at, at + size)
                parts = tuple(self._words[place].text for place in places)
                if parts in keys and taken.isdisjoint(places):
                    taken.update(places)
                    yield PersonName(at, at + size, frozenset(keys[parts]))

    def _is_asker(self, at: int) -> bool:
        before, word = self._words[at - 1 : at + 1]
        is_asker = word.text == _ASKER and before.text in _BEFORE_THE_ASKER
        return is_asker and self._speaks(at + 1)

    def find_speakers(self) -> list[PersonName]:
        """Return the names of those whose words are asked for."""
        names = [name for name in self._names if self._is_meant(name.first)]
        telling = [name for name in names if self._tells(name.first, name.behind)]
        telling = telling or [name for name in names if self._is_framed(name.first)]
        if telling:
            return telling
        return names if self.is_general_beside(names) else []

    def find_excluded(self, speakers: Sequence[PersonName]) -> list[PersonName]:
        """Return the names beside what tells of saying that stand behind an unknown word."""
        return [
            name
            for name in self._names
            if name not in speakers
            and not self._is_meant(name.first)
            and self._speaks_next(name.behind)
        ]

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
            return self._speaks_next(behind) or self._speaks_last()
        if before in QUESTION_WORDS:
            return self._speaks(behind)
        is_last = behind == len(self._words)
        return before in _BY and is_last and at > 1 and self._tells_of(self._words[at - 2])

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
        if first - 1 in self._at or word.text in _BEFORE_A_NAME or word.text in _BY:
            return True
        is_joined = first > 1 and first - 2 in self._at
        is_according = any(self._is_behind(first, phrase) for phrase in _ACCORDING_TO)
        is_general_noun = word.is_general and not is_function_word(word.text)
        return is_joined or is_according or is_general_noun

    def _tells(self, first: int, behind: int) -> bool:
        """Tell whether what is asked for is what somebody says."""
        follows = self._speaks_next(behind)
        if first and self._words[first - 1].text in AUXILIARIES:
            follows = follows or self._speaks(behind + 1)  # "Has Ana ever said"
        return follows or self._owns_words(behind) or self._is_source(first)

    def _owns_words(self, behind: int) -> bool:
        """Tell whether "Ana's notes" are asked for, and not "Ana's key"."""
        is_owner = self._words[behind - 1].is_owner and behind < len(self._words)
        return is_owner and self._tells_of(self._words[behind])

    def _is_source(self, first: int) -> bool:
        """Tell whether "according to Ana", "said by Ana" or "was sagte Ana" is asked."""
        if any(self._is_behind(first, phrase) for phrase in _ACCORDING_TO):
            return True
        if first < _BEHIND_A_VERB:
            return False
        if first == _BEHIND_A_VERB and self._words[1].text in SPEAKS:
            return self._words[0].text in QUESTION_WORDS - _WHO
        return self._words[first - 1].text in _BY and self._tells_of(self._words[first - 2])

    def _speaks(self, at: int) -> bool:
        return at < len(self._words) and self._words[at].text in SPEAKS

    def _speaks_last(self) -> bool:
        return self._speaks(len(self._words) - 1)

    def _is_framed(self, first: int) -> bool:
        """Tell whether a verb stands before a name and its other half at the end, as in German."""
        before = self._words[max(0, first - 1) : first]
        return self._speaks_last() and any(word.text in AUXILIARIES for word in before)

    def _speaks_next(self, at: int) -> bool:
        """Tell whether a word for saying follows, behind function words and other names."""
        while at < len(self._words):
            text = self._words[at].text
            if text in SPEAKS:
                return True
            if at not in self._at and not is_function_word(text):
                return False
            at += 1
        return False

    def _tells_of(self, word: QuestionWord) -> bool:
        return word.text in SPEAKS or (word.is_general and not is_function_word(word.text))

    def _is_behind(self, at: int, phrase: Sequence[str]) -> bool:
        before = self._words[max(0, at - len(phrase)) : at]
        return [word.text for word in before] == list(phrase)

    def span(self, name: PersonName) -> tuple[int, int]:
        """Return where a name stands, with the word before it that it is not understood with."""
        first = name.first - (not self._is_meant(name.first))
        return self._words[first].start, self._words[name.behind - 1].end
