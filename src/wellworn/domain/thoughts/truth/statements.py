"""What of a text is compared with another: its words, values and names, and what it says of them.

Source: `docs/concepts.md`; the words are in `words.toml`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from wellworn.domain.thoughts.truth.moods import (
    asks,
    find_change,
    is_denied,
    is_unchanged,
    list_present,
    match_whole,
)
from wellworn.domain.thoughts.truth.subjects import (
    TIMES,
    UNTELLING,
    StatementSubject,
    differ,
    share_only_numbers,
)
from wellworn.domain.thoughts.truth.wishes import (
    asks_by_wishing,
    find_wished,
    has_value,
    names_only,
    needs,
)
from wellworn.engines.retrieval.text import (
    MONTHS,
    STOP_WORDS,
    detect_language,
    list_compounds,
    load_stemmer,
    split_words,
)
from wellworn.kit.words import fold, load_phrases

_GERMAN: Final = "german"
_VALUE: Final = re.compile(
    r"(?P<clock>\b\d{1,2}[:h]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\bnoon\b|\bmidnight\b)"
    r"|\b(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|\b(?P<month>{'|'.join(month.lower() for month in MONTHS if month != 'May')})\b"
    r"|(?P<money>[$€£¥]\s?\d[\d.,]*|\b\d[\d.,]* ?(?:euros?|dollars?|cents?)\b)"
    r"|(?P<percent>\d[\d.,]* ?(?:%|percent))"
    r"|(?P<telephone>\+\d[\d ]{4,}\d)"
    r"|(?<![^\W_])(?P<series>[^\W\d_]+-?)(?P<member>\d+(?:\.\d+)*)"
    r"|(?P<number>\d+(?:[.,]\d+)*)(?:\s?(?P<unit>[^\W\d_]+))?"
)
_NUMBERED: Final = re.compile(r"(?:the )?([^\W\d_]+) #?(\d+)\b")
_PLACE: Final = re.compile(
    r"\W*(?:(?:Over|Back|Down|Up|Out) )?(?:[Ii]n|[Aa]t|En|Chez|\u00c0) ((?:[A-Z][\w'-]+\s?)+)"
)
_NAME: Final = re.compile(r"(?<![.!?:\n] )(?<!^)\b[A-Z][\w'-]*")
_FULL_NAME: Final = re.compile(rf"{_NAME.pattern}(?: [A-Z][\w'-]*)*")
_NO_UNITS: Final = STOP_WORDS | UNTELLING
_ELSEWHERE: Final = re.compile(match_whole(load_phrases(__name__, "elsewhere")))
_END: Final = re.compile(
    match_whole(load_phrases(__name__, "end"))
    # What says so in its place alone, unlike "no more than ten" and "the correction factor".
    + r"|\A\W*(?:no more (?![^.]* than )|correction(?=:| about | on ))|\bfor good(?=[.,;:!]|\Z)"
)
_PLACED: Final = re.compile(
    rf"(?<!\w)(?:{load_phrases(__name__, 'being_somewhere')})"
    rf" (?:{load_phrases(__name__, 'prepositions')})(?!\w)"
)
_NEGATION: Final = re.compile(match_whole(load_phrases(__name__, "negation")))


class Statement:
    """What of a text is compared; `said_at` is when it was said, in epoch seconds, if known."""

    def __init__(self, text: str, said_at: float | None = None) -> None:
        self._text = text
        self._said_at = said_at
        self._folded = fold(text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of the words that say what it is about, without numbers."""
        return frozenset(
            word
            for word in split_words(self._text)
            if word not in STOP_WORDS and not word.isdigit()
        )

    @cached_property
    def values(self) -> dict[str, frozenset[str]]:
        """What can differ, by its kind: numbers by their unit, times of day, weekdays, months.

        A number within a name is told from those of like names alone: SDI-12, db-2, B14.
        """
        values: defaultdict[str, set[str]] = defaultdict(set)
        for match in _VALUE.finditer(self._folded):
            if match["series"]:
                values[match["series"]].add(match["member"])
            elif match["unit"] and match["unit"] not in _NO_UNITS:
                values[match["unit"]].add(match["number"])
            elif match["number"]:
                values["number"].add(match["number"])
            else:
                values[str(match.lastgroup)].add(match.group())
        return {kind: frozenset(texts) for kind, texts in values.items()}

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its values of whatever kind."""
        return frozenset[str]().union(*self.values.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of words written like names; the first of a sentence is not known to be one."""
        return frozenset(
            word for match in _NAME.finditer(self._text) for word in split_words(match.group())
        )

    @cached_property
    def change(self) -> str:
        """The first words that say that something changed, or nothing."""
        return find_change(self._folded)

    @cached_property
    def end(self) -> str:
        """The first words that say that something came to an end, or nothing."""
        match = _END.search(self._folded)
        return match.group() if match else ""

    @cached_property
    def is_negated(self) -> bool:
        return _NEGATION.search(self._folded) is not None

    def says_no_more_than(self, other: Statement) -> bool:
        """Tell whether two near statements agree in what carries meaning.

        Where each has a word that the other lacks, they say different things.
        """
        return (self.values, self.names, self.is_negated) == (
            other.values,
            other.names,
            other.is_negated,
        ) and (self.words <= other.words or self.words >= other.words)

    def tells_the_same_as(self, other: Statement) -> bool:
        """Tell whether both have the same values and names, of which there is one at least.

        The first word of a sentence may be a name, too.
        """
        return (
            bool(self.values or self.names or other.names)
            and (self.values, self.is_negated) == (other.values, other.is_negated)
            and self.names <= other.words
            and other.names <= self.words
        )

    def says_more_than(self, correction: Statement) -> bool:
        """Tell whether it has values or names in whose place a correction puts none.

        A number without a unit may take the place of any value.
        """
        missing = spare = 0
        for kind in self.values.keys() | correction.values.keys():
            old = self.values.get(kind, frozenset())
            new = correction.values.get(kind, frozenset())
            missing += max(0, len(old - new) - len(new - old))
            spare += max(0, len(new - old) - len(old - new))
        old_names = set(_FULL_NAME.findall(self._text))
        new_names = set(_FULL_NAME.findall(correction._text))
        return missing > spare or len(old_names - new_names) > len(new_names - old_names)

    @cached_property
    def numbered(self) -> tuple[str, str] | None:
        """The thing that it begins with and its number: `("lamp", "2")` of "Lamp 2 burns oil"."""
        match = _NUMBERED.match(self._folded)
        return (match[1], match[2]) if match else None

    @cached_property
    def subject(self) -> StatementSubject:
        return StatementSubject(self._text)

    def has_other_value_than(self, other: Statement) -> bool:
        """Tell whether both have a value of a kind, and none of that kind is the same."""
        kinds = self.values.keys() & other.values.keys()
        return any(self.values[kind].isdisjoint(other.values[kind]) for kind in kinds)

    def has_another_number(self, other: Statement) -> bool:
        """Tell whether both begin with a thing of the same name and another number."""
        mine, theirs = self.numbered, other.numbered
        return mine is not None and theirs is not None and mine[0] == theirs[0] and mine != theirs

    def names_other_number(self, notes: Sequence[Statement]) -> bool:
        """Tell whether it names a numbered thing, and of notes the best one of another number.

        "Who has the key of pier 3?" and "The key of pier 1 is with Ada"; and no note has a 3.
        """
        if not (asked := self.subject.numbers):
            return False  # Reading the notes costs more, and nearly all prompts end here.
        best = notes[0].subject.numbers
        # An amount is a number of its subject alone: "Tea costs 2 euro".
        known = {number for note in notes for number in note.numbers}
        known |= {n for note in notes for named in note.subject.numbers.values() for n in named}
        return any(name in best and numbers.isdisjoint(known) for name, numbers in asked.items())

    def is_about_another(self, other: Statement) -> bool:
        """Tell whether both are of one form, and about two things of a kind."""
        is_change = bool(self.change or other.change or self.end or other.end)
        return differ(self.subject, other.subject, is_change=is_change)

    def is_of_elsewhere(self, other: Statement) -> bool:
        """Tell whether it is about a place or people that another does not name."""
        others = _ELSEWHERE.search(self._folded)
        return (
            not self._place <= other.words
            or (others is not None and others.group() not in other._folded)
            or share_only_numbers(self.subject, other.subject)
        )

    @cached_property
    def _place(self) -> frozenset[str]:
        """Stems of the name of the place that it begins with: "In Lyon the museum …".

        German writes every noun like a name.
        """
        match = _PLACE.match(self._text)
        if match is None or detect_language(list_compounds(self._text)) == _GERMAN:
            return frozenset()
        words = (word for word in match[1].casefold().split() if word not in TIMES)
        return frozenset(split_words(" ".join(words)))

    @cached_property
    def _present(self) -> list[str]:
        return list_present(self._text, self._said_at)

    @property
    def is_present(self) -> bool:
        """Whether it tells or asks how things are, in a sentence at least."""
        return bool(self._present)

    @cached_property
    def stated(self) -> Statement:
        """The sentences that state how things are, of which none asks."""
        return Statement(" ".join(self._stating))

    @cached_property
    def _stating(self) -> list[str]:
        return [sentence for sentence in self._present if not asks(sentence)]

    def tells_beside(self, older: Statement) -> bool:
        """Tell whether it tells of a thing what an older statement may have told otherwise.

        What is wanted tells nothing but that, and a name without a predicate nothing at all, unless
        there is a number that the older statement lacks.
        """
        return any(_tells(sentence, older) for sentence in self._sentences)

    def may_rival(self, older: Statement) -> bool:
        """Tell whether it may tell otherwise what an older statement tells by a value.

        It has a value, a name or a word of change of its own, or tells the same of the thing by the
        same verb: "deliveries go to the main gate" after "deliveries go to gate 7".
        """
        if not older.has_value or self.has_value:
            return True
        tells_change = self.change or self.end or self.is_negated
        are_told_alike = self._verbs & older._verbs or (self._is_placed and older._is_placed)
        return bool(tells_change or self.names - older.names or are_told_alike)

    @cached_property
    def has_value(self) -> bool:
        """Whether it has a number, an address, an identifier or a name of a time."""
        return has_value(self._text)

    @property
    def _is_placed(self) -> bool:
        """Whether it says where something is: "stands in room 4", "is behind the gate"."""
        return _PLACED.search(self._folded) is not None

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return frozenset(map(load_stemmer(), self.subject.verbs))

    @cached_property
    def is_wish(self) -> bool:
        """Whether all that it states is what somebody wants or needs."""
        return bool(self._sentences) and all(
            sentence.wants or sentence.says_need for sentence in self._sentences
        )

    @cached_property
    def _sentences(self) -> list[Statement]:
        """Each sentence that states how things are, by itself."""
        return [Statement(sentence) for sentence in self._stating]

    @cached_property
    def wants(self) -> bool:
        """Whether it begins with what the speaker wants."""
        return find_wished(self._text) is not None

    @cached_property
    def says_need(self) -> bool:
        """Whether it says what somebody or something needs."""
        return needs(self._text)

    @cached_property
    def only_names(self) -> bool:
        """Whether it names something without a predicate."""
        return names_only(self._text)

    @property
    def is_request(self) -> bool:
        """Whether it says what the speaker wants to be told, without the form of a question."""
        return asks_by_wishing(self._text)

    @property
    def is_name(self) -> bool:
        """Whether it names something and tells nothing of it, not even a number."""
        return self.only_names and not self.has_value

    @property
    def begins_with_fact(self) -> bool:
        """Whether its first sentence states how things are."""
        return any(map(self._text.lstrip().startswith, self._stating[:1]))

    @property
    def asserts(self) -> bool:
        """Whether it states how things are, and denies no more than a change, which it is none."""
        return self.states and not is_unchanged(self._text)

    @property
    def states(self) -> bool:
        """Whether it states how things are, and denies nothing."""
        return bool(self._stating) and not is_denied(self._text)


def _tells(sentence: Statement, older: Statement) -> bool:
    if sentence.wants:
        return older.is_wish
    if sentence.only_names or (sentence.says_need and not older.is_wish):
        return not sentence.numbers <= older.numbers
    return sentence.may_rival(older)
