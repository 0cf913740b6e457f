"""Secrets taken out of a text before it is stored, embedded or logged.

A memory that keeps a key gives it to whoever asks for something similar, and a vector made from it
cannot be cleaned afterwards. So secrets are replaced at the door by a placeholder that says what
stood there, such as `[redacted:aws-access-key]`; never by anything derived from the secret. Only
what a rule is sure about goes: hashes, UUIDs, placeholders and talk about passwords stay.

Source: shared-memory threat model, secrets in memory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from wellworn.engines.safety.moves import Move, Replacement, origin, replaced
from wellworn.engines.safety.named_secrets import LONGEST_VALUE
from wellworn.engines.safety.secret_places import PLACES, Place
from wellworn.engines.safety.secret_rules import RULES
from wellworn.engines.safety.secret_shapes import Rule
from wellworn.engines.safety.tally import count


def _needles(*, in_any_case: bool) -> list[tuple[str, list[int]]]:
    """Return each needle with the numbers of the rules that have it."""
    numbers: dict[str, list[int]] = {}
    for number, rule in enumerate(RULES):
        for needle in rule.needles if rule.in_any_case is in_any_case else ():
            numbers.setdefault(needle, []).append(number)
    return list(numbers.items())


_NEEDLES, _NEEDLES_IN_ANY_CASE = _needles(in_any_case=False), _needles(in_any_case=True)
# Every token with a shape of its own has that many characters without a blank; few words do.
_LONG = 16
# A value longer than its pattern's bound is cut to its end all the same.
_REST = re.compile(r"[^\s\"'`<>|&;,@/\[\]]{0,65536}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A kind of secret and how often it was found; never the secret, never its place."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text without secrets, and what they were, each kind once."""

    text: str
    found: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class SecretFound:
    """A kind of secret and the line of the document that it begins on, from 1."""

    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class DocumentRedaction:
    """A document without secrets, and where they were; never what they were."""

    text: str
    findings: tuple[SecretFound, ...] = ()
    _moves: tuple[Move, ...] = ()

    def moved(self, offset: int) -> int:
        """Return where a place of the document is now; one in a secret is at its placeholder."""
        for move in self._moves:
            offset = move.moved(offset)
        return offset


def redacted(text: str) -> Redaction:
    """Return the text with placeholders for its secrets; a second time changes nothing."""
    text, passes = _without_secrets(text)
    counts: Counter[str] = Counter()
    for one in passes:
        counts[one.kind] += len(one.move.before)
    return Redaction(text, tuple(Finding(kind, count) for kind, count in counts.items()))


def redacted_document(text: str) -> DocumentRedaction:
    """Return a document with placeholders for its secrets, as `redacted` does, and their lines."""
    cut, passes = _without_secrets(text)
    moves = tuple(one.move for one in passes)
    starts = [match.end() for match in re.finditer("\n", text)] if passes else []
    found: list[SecretFound] = []
    for number, one in enumerate(passes):
        earlier = moves[:number][::-1]
        places = (origin(earlier, start) for start, _ in one.move.before)
        found += (SecretFound(one.kind, bisect_right(starts, place) + 1) for place in places)
    return DocumentRedaction(cut, tuple(sorted(found, key=lambda one: one.line)), moves)


@dataclass(frozen=True, slots=True)
class _Pass:
    kind: str
    move: Move
    text: str
    """What the text is after it."""


@dataclass(frozen=True, slots=True)
class _Searched:
    """A text and what is looked up in it again and again."""

    text: str
    lowered: str
    long_words: str
    _places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def places(self, needles: Iterable[str]) -> list[int]:
        """Return where needles are in the text, whatever their case, in order."""
        return sorted(chain.from_iterable(map(self._places_of, needles)))

    def _places_of(self, needle: str) -> list[int]:
        if needle not in self._places:
            found: list[int] = []
            at = self.lowered.find(needle)
            while at >= 0:
                found.append(at)
                at = self.lowered.find(needle, at + 1)
            self._places[needle] = found
        return self._places[needle]


def _searched(text: str) -> _Searched:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(one if len(one.lower()) > 1 else one.lower() for one in text)
    return _Searched(text, lowered, " ".join(word for word in text.split() if len(word) >= _LONG))


def _without_secrets(text: str) -> tuple[str, list[_Pass]]:
    """Return the text with placeholders, and a pass for each rule that found something.

    A placeholder can free what stood against the secret, so it is looked again until nothing is
    found. That ends: what is cut holds more than placeholders, so less is left each time.
    """
    passes: list[_Pass] = []
    while found := _passes(text):
        passes += found
        text = found[-1].text
    count(chain.from_iterable([one.kind] * len(one.move.before) for one in passes))
    return text, passes


def _passes(text: str) -> list[_Pass]:
    """Return one pass for each rule that finds something, in the order of the rules."""
    searched = _searched(text)
    passes: list[_Pass] = []
    for rule in _worth_trying(searched):
        spans = list(_found(searched, rule))
        if spans:
            stands = f"[redacted:{rule.kind}]"
            cuts = [Replacement(start, end, stands) for start, end in spans]
            text, move = replaced(searched.text, cuts)
            passes.append(_Pass(rule.kind, move, text))
            searched = _searched(text)
    return passes


def _worth_trying(searched: _Searched) -> list[Rule | Place]:
    """Return the rules whose needles are in the text: all that most texts cost."""
    numbers = {n for needle, of in _NEEDLES_IN_ANY_CASE if needle in searched.lowered for n in of}
    if searched.long_words:
        numbers |= {n for needle, of in _NEEDLES if needle in searched.long_words for n in of}
    places = (
        place for place in PLACES if all(needle in searched.lowered for needle in place.needles)
    )
    return [*(RULES[number] for number in sorted(numbers)), *places]


def _found(searched: _Searched, rule: Rule | Place) -> Iterator[tuple[int, int]]:
    """Yield start and end of what is cut out by a rule."""
    if isinstance(rule, Place):
        return rule.find(searched.text)
    if rule.in_any_case:
        return _at_needles(searched, rule)
    return _tokens(searched.text, rule)


def _tokens(text: str, rule: Rule) -> Iterator[tuple[int, int]]:
    for match in rule.pattern.finditer(text):
        if rule.is_secret(match["secret"]):
            yield match.span("secret")


def _at_needles(searched: _Searched, rule: Rule) -> Iterator[tuple[int, int]]:
    text, pattern, kept = searched.text, rule.pattern, 0
    for place in searched.places(rule.needles):
        # A value may hold the name of the real one, as in `secret: token: …`.
        match = pattern.match(text, place) if place >= kept else None
        if match is None or not rule.is_secret(match["secret"]):
            continue
        start, kept = match.span("secret")
        if kept - start == LONGEST_VALUE and (rest := _REST.match(text, kept)):
            kept = rest.end()
        yield start, kept
