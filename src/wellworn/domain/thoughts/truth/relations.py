"""Compares two statements: does the later say the same, update the earlier, or neither? Pure.

Meaning alone cannot tell: the cosine of a statement and its negation, or of the same with another
number, is .98. What decides is whether both are about the same matter, by the rare words they
share, and whether what carries meaning differs: numbers, names, negation, words of change.

Source: MemStrata (arXiv 2606.26511), subject and attribute equal and the value different; the
weights are fitted by `python -m benchmarks remembering` to notes that were written before the rule.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from wellworn.domain.thoughts.truth.models import LEAST_CONTESTED
from wellworn.domain.thoughts.truth.subjects import StatementSubject, differ
from wellworn.engines.retrieval.text import MONTHS, STOP_WORDS, split_words
from wellworn.kit.words import load_phrases

_SAME_COSINE: Final = 0.93


class RelationKind(StrEnum):
    SAME = "same"
    UPDATES = "updates"
    ANOTHER = "another"
    """Of one form, and about another thing."""
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class Relation:
    """How a later statement relates to an earlier one; `reason` is for people."""

    kind: RelationKind
    confidence: float
    reason: str = ""


_UNRELATED: Final = Relation(RelationKind.UNRELATED, 0.0)

_VALUE: Final = re.compile(
    r"(?P<clock>\b\d{1,2}[:h]\d{2}\b|\b\d{1,2} ?[ap]\.?m\b|\bnoon\b|\bmidnight\b)"
    r"|\b(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|\b(?P<month>{'|'.join(month.lower() for month in MONTHS if month != 'May')})\b"
    r"|(?P<money>[$€£¥]\s?\d[\d.,]*|\b\d[\d.,]* ?(?:euros?|dollars?|cents?)\b)"
    r"|(?P<percent>\d[\d.,]* ?(?:%|percent))"
    r"|(?P<number>\d+(?:[.,]\d+)*)(?:\s?(?P<unit>[^\W\d_]+))?"
)
_NUMBERED: Final = re.compile(r"(?:the )?([^\W\d_]+) #?(\d+)\b")
_NAME: Final = re.compile(r"(?<![.!?:\n] )(?<!^)\b[A-Z][\w'-]*")


def _whole(phrases: str) -> str:
    """Return the pattern of phrases that stand as words of their own."""
    return rf"(?<!\w)(?:{phrases})(?!\w)"


_CHANGE: Final = re.compile(_whole(load_phrases(__name__, "change")))
_END: Final = re.compile(_whole(load_phrases(__name__, "end")))
_HEDGE: Final = re.compile(_whole(load_phrases(__name__, "hedge")))
_QUOTE: Final = re.compile(
    rf"{_whole(load_phrases(__name__, 'report'))}[^\"\u00ab\u201c\u201e]{{0,20}}"
    r"[\"\u00ab\u201c\u201e](?:[^\s\"\u00bb\u201c\u201d]+\s+){3}[^\"\u00bb\u201c\u201d]*(?:[\"\u00bb\u201c\u201d]\W*)?$"
)
_PAST: Final = re.compile(
    rf"{_whole(load_phrases(__name__, 'past'))}|\bin (?:19|20)\d\d\b"
    r"|\b(?:vor|hace|il y a) \w+ (?:jahren|monaten|años|meses|ans|mois)\b"
)
_PAST_TENSE: Final = re.compile(_whole(load_phrases(__name__, "past_tense")))
_PRESENT: Final = re.compile(_whole(load_phrases(__name__, "present")))
_DENIAL: Final = re.compile(_whole(load_phrases(__name__, "denial")))
_NEGATION: Final = re.compile(_whole(load_phrases(__name__, "negation")))


class Statement:
    """What of a text is compared."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = " ".join(text.casefold().replace("\u2019", "'").split())

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
        """What can differ, by its kind: numbers by their unit, times of day, weekdays, months."""
        values: defaultdict[str, set[str]] = defaultdict(set)
        for match in _VALUE.finditer(self._folded):
            kind = str(match.lastgroup)
            text = match["number"] if kind == "unit" else match.group()
            values[match["unit"] if kind == "unit" else kind].add(text)
        return {kind: frozenset(texts) for kind, texts in values.items()}

    @cached_property
    def names(self) -> frozenset[str]:
        """Stems of words written like names; the first of a sentence is not known to be one."""
        return frozenset(
            word for match in _NAME.finditer(self._text) for word in split_words(match.group())
        )

    @cached_property
    def change(self) -> str:
        """The first words that say that something changed, or nothing."""
        match = _CHANGE.search(self._folded)
        return match.group() if match else ""

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

    @cached_property
    def numbered(self) -> tuple[str, str] | None:
        """The thing that it begins with and its number: `("lamp", "2")` of "Lamp 2 burns oil"."""
        match = _NUMBERED.match(self._folded)
        return (match[1], match[2]) if match else None

    @cached_property
    def subject(self) -> StatementSubject:
        return StatementSubject(self._text)

    def has_another_number(self, other: Statement) -> bool:
        """Tell whether both begin with a thing of the same name and another number."""
        mine, theirs = self.numbered, other.numbered
        return mine is not None and theirs is not None and mine[0] == theirs[0] and mine != theirs

    def is_about_another(self, other: Statement) -> bool:
        """Tell whether both are of one form, and about two things of a kind."""
        return differ(self.subject, other.subject)

    @property
    def is_supposed(self) -> bool:
        """Whether it is a plan, a wish, a rumour or a guess."""
        return _HEDGE.search(self._folded) is not None

    @property
    def is_quotation(self) -> bool:
        """Whether it tells what somebody else says, in their words."""
        return _QUOTE.search(self._folded) is not None

    @property
    def is_past(self) -> bool:
        """Whether it tells how things were at an earlier time, and not that they changed."""
        return (
            _PAST.search(self._folded) is not None
            and _PAST_TENSE.search(self._folded) is not None
            and not (self.change or _PRESENT.search(self._folded))
        )

    @property
    def is_present(self) -> bool:
        """Whether it tells how things are: no supposition, no quotation, not how they were."""
        return not (self.is_supposed or self.is_quotation or self.is_past)

    @property
    def asserts(self) -> bool:
        """Whether it states something about the present: no denial, no question either."""
        return self.is_present and not (
            _DENIAL.search(self._folded) or self._folded.endswith(("?", "\uff1f"))
        )


def measure(
    older: Statement, newer: Statement, cosine: float, rarity: Callable[[str], float]
) -> dict[str, float]:
    """Return what the confidence of an update is made from, each about 0 to 1."""
    words = older.words & newer.words
    smaller = min(_weigh(older.words, rarity), _weigh(newer.words, rarity)) or 1.0
    names = older.names & newer.words | newer.names & older.words
    kinds = older.values.keys() & newer.values.keys()
    return {
        "meaning": cosine,
        "words": _weigh(words, rarity) / smaller,
        "rarest": max(map(rarity, words), default=0.0),
        "name": max((rarity(name) for name in names if name in words), default=0.0),
        "value": float(any(older.values[kind].isdisjoint(newer.values[kind]) for kind in kinds)),
        "change": float(bool(newer.change)),
        "end": float(bool(newer.end)),
    }


def _weigh(words: Iterable[str], rarity: Callable[[str], float]) -> float:
    return math.fsum(rarity(word) for word in words)


#: Of the logistic of what `measure` returns; fitted, see above.
_WEIGHTS: Final = {
    "meaning": 7.6,
    "words": 3.5,
    "rarest": 4.2,
    "name": 1.2,
    "value": 1.0,
    "change": 1.0,
    "end": 1.8,
}
_BIAS: Final = -10.55


def relate(
    older: Statement, newer: Statement, cosine: float, rarity: Callable[[str], float]
) -> Relation:
    """Return how the later statement relates to the earlier."""
    if not newer.asserts or older.has_another_number(newer):
        return _UNRELATED
    if cosine >= _SAME_COSINE and older.says_no_more_than(newer):
        return Relation(RelationKind.SAME, cosine, "says the same")
    measures = measure(older, newer, cosine, rarity)
    logit = _BIAS + math.fsum(_WEIGHTS[name] * value for name, value in measures.items())
    confidence = 1 / (1 + math.exp(-logit))
    if confidence >= LEAST_CONTESTED and older.is_about_another(newer):
        return Relation(RelationKind.ANOTHER, confidence)
    return Relation(RelationKind.UPDATES, confidence, _explain(older, newer))


def _explain(older: Statement, newer: Statement) -> str:
    """Return in words what differs."""
    reasons: list[str] = []
    if newer.change:
        reasons.append(f'says "{newer.change}"')
    for kind in sorted(older.values.keys() & newer.values.keys()):
        before, after = sorted(older.values[kind]), sorted(newer.values[kind])
        if set(before).isdisjoint(after):
            reasons.append(f"{', '.join(after[:2])} instead of {', '.join(before[:2])}")
    if older.is_negated != newer.is_negated:
        reasons.append("one of them is a negation")
    return "; ".join(reasons) or "the same matter, said later"
