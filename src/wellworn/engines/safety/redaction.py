"""Removes secrets from a text before it is stored, embedded or logged.

A memory that keeps a key gives it to all who ask for something similar, and a vector made from it
cannot be cleaned afterwards. So secrets are replaced on the way in by a placeholder that says what
stood there, such as `[redacted:aws-access-key]`; never by anything derived from the secret. Only
what a rule is sure about goes: hashes, UUIDs, placeholders and talk about passwords stay.

Secrets are cut out in several passes, each over the text that the pass before left; offsets that
were computed before (pages, anchors) and lines that are reported are carried through all of them.

Source: `docs/security.md`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter

from wellworn.engines.safety.named_secrets import LONGEST_VALUE
from wellworn.engines.safety.secret_places import LAYOUT_RULES, LayoutRule
from wellworn.engines.safety.secret_rules import RULES
from wellworn.engines.safety.secret_shapes import Rule
from wellworn.engines.safety.tally import count


@dataclass(frozen=True, slots=True)
class Replacement:
    """A stretch of a text, and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """A map of stretches from one text to another: the same number of them, in order."""

    before: tuple[tuple[int, int], ...]
    after: tuple[tuple[int, int], ...]

    def map_forward(self, offset: int) -> int:
        """Return where a place is afterwards; what was replaced is where the new stretch begins."""
        return _map_offset(self.before, self.after, offset)

    def map_back(self, offset: int) -> int:
        """Return where a place was before."""
        return _map_offset(self.after, self.before, offset)


def replace_spans(text: str, replacements: Sequence[Replacement]) -> tuple[str, OffsetMap]:
    """Return the text with the stretches replaced; they are in order and do not overlap."""
    pieces: list[str] = []
    before: list[tuple[int, int]] = []
    after: list[tuple[int, int]] = []
    end = length = 0
    for replacement in replacements:
        length += replacement.start - end
        pieces += (text[end : replacement.start], replacement.text)
        before.append((replacement.start, replacement.end))
        after.append((length, length + len(replacement.text)))
        end, length = replacement.end, length + len(replacement.text)
    return "".join([*pieces, text[end:]]), OffsetMap(tuple(before), tuple(after))


def map_back(maps: Iterable[OffsetMap], offset: int) -> int:
    """Return where a place was before all replacements; the map of the latest comes first."""
    for offset_map in maps:
        offset = offset_map.map_back(offset)
    return offset


def _map_offset(
    before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]], offset: int
) -> int:
    number = bisect_right(before, offset, key=lambda stretch: stretch[0]) - 1
    if number < 0:
        return offset
    if offset < before[number][1]:
        return after[number][0]
    return offset - before[number][1] + after[number][1]


def _index_needles(*, in_any_case: bool) -> list[tuple[str, list[int]]]:
    """Return each needle with the numbers of the rules that have it."""
    numbers: dict[str, list[int]] = {}
    for number, rule in enumerate(RULES):
        for needle in rule.needles if rule.in_any_case is in_any_case else ():
            numbers.setdefault(needle, []).append(number)
    return list(numbers.items())


_NEEDLES, _NEEDLES_IN_ANY_CASE = _index_needles(in_any_case=False), _index_needles(in_any_case=True)
# Every token with a shape of its own has that many characters without a blank; few words do.
_LONG = 16
_PLACEHOLDER = re.compile(r"\[redacted:([a-z-]{1,40})\]")
# A value longer than its pattern's bound is cut to its end all the same.
_REST = re.compile(r"[^\s\"'`<>|&;,@/\[\]]{0,65536}")


@dataclass(frozen=True, slots=True)
class SecretCount:
    """A kind of secret and how often it was found; never the secret, never its place."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """The text without secrets, and what they were, each kind once."""

    text: str
    secrets: tuple[SecretCount, ...] = ()


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
    _maps: tuple[OffsetMap, ...] = ()

    def map_offset(self, offset: int) -> int:
        """Return where a place of the document is now; one in a secret is at its placeholder."""
        for offset_map in self._maps:
            offset = offset_map.map_forward(offset)
        return offset


def redact(text: str) -> Redaction:
    """Return the text with placeholders for its secrets; a second time changes nothing."""
    text, passes = _cut_secrets(text)
    return Redaction(text, tuple(SecretCount(*pair) for pair in Counter(_kinds(passes)).items()))


def redact_document(text: str) -> DocumentRedaction:
    """Return a document with placeholders for its secrets, as `redact` does, and their lines.

    A placeholder that is there already counts: the text of a note is stored without its secrets.
    """
    cut, passes = _cut_secrets(text)
    maps = tuple(pass_.offsets for pass_ in passes)
    starts = [match.end() for match in re.finditer("\n", text)]
    secrets = [
        SecretFound(match[1], bisect_right(starts, match.start()) + 1)
        for match in _PLACEHOLDER.finditer(text)
    ]
    for number, pass_ in enumerate(passes):
        earlier = maps[:number][::-1]
        places = (map_back(earlier, start) for start, _ in pass_.offsets.before)
        secrets += (SecretFound(pass_.kind, bisect_right(starts, place) + 1) for place in places)
    return DocumentRedaction(cut, tuple(sorted(secrets, key=attrgetter("line"))), maps)


@dataclass(frozen=True, slots=True)
class _Pass:
    kind: str
    offsets: OffsetMap
    text: str
    """The text after the pass."""


@dataclass(frozen=True, slots=True)
class _IndexedText:
    """A text and what is looked up in it again and again."""

    text: str
    lowered: str
    long_words: str
    _places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def find_needles(self, needles: Iterable[str]) -> list[int]:
        """Return where needles are in the text, whatever their case, in order."""
        return sorted(chain.from_iterable(map(self._find_needle, needles)))

    def _find_needle(self, needle: str) -> list[int]:
        if needle not in self._places:
            places, at = self._places.setdefault(needle, []), -1
            while (at := self.lowered.find(needle, at + 1)) >= 0:
                places.append(at)
        return self._places[needle]


def _index_text(text: str) -> _IndexedText:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char if len(char.lower()) > 1 else char.lower() for char in text)
    long_words = " ".join(word for word in text.split() if len(word) >= _LONG)
    return _IndexedText(text, lowered, long_words)


def _cut_secrets(text: str) -> tuple[str, list[_Pass]]:
    """Return the text with placeholders, and a pass for each rule that found something.

    A placeholder can free what stood against the secret, so it is looked again until nothing is
    found. That ends: what is cut holds more than placeholders, so less is left each time.
    """
    passes: list[_Pass] = []
    while latest := _apply_rules(text):
        passes += latest
        text = latest[-1].text
    count(_kinds(passes))
    return text, passes


def _kinds(passes: Iterable[_Pass]) -> Iterator[str]:
    """Yield the kind of each secret."""
    return chain.from_iterable([pass_.kind] * len(pass_.offsets.before) for pass_ in passes)


def _apply_rules(text: str) -> list[_Pass]:
    """Return one pass for each rule that finds something, in the order of the rules."""
    searched = _index_text(text)
    passes: list[_Pass] = []
    for rule in _select_rules(searched):
        spans = list(_find_spans(searched, rule))
        if spans:
            stands = f"[redacted:{rule.kind}]"
            cuts = [Replacement(start, end, stands) for start, end in spans]
            text, move = replace_spans(searched.text, cuts)
            passes.append(_Pass(rule.kind, move, text))
            searched = _index_text(text)
    return passes


def _select_rules(searched: _IndexedText) -> list[Rule | LayoutRule]:
    """Return the rules whose needles are in the text: all that most texts cost."""
    numbers = {n for needle, of in _NEEDLES_IN_ANY_CASE if needle in searched.lowered for n in of}
    if searched.long_words:
        numbers |= {n for needle, of in _NEEDLES if needle in searched.long_words for n in of}
    layouts = (
        rule for rule in LAYOUT_RULES if all(needle in searched.lowered for needle in rule.needles)
    )
    return [*(RULES[number] for number in sorted(numbers)), *layouts]


def _find_spans(searched: _IndexedText, rule: Rule | LayoutRule) -> Iterator[tuple[int, int]]:
    """Yield start and end of what is cut out by a rule."""
    if isinstance(rule, LayoutRule):
        return rule.find(searched.text)
    if rule.in_any_case:
        return _find_at_needles(searched, rule)
    return _find_tokens(searched.text, rule)


def _find_tokens(text: str, rule: Rule) -> Iterator[tuple[int, int]]:
    for match in rule.pattern.finditer(text):
        if rule.is_secret(match["secret"]):
            yield match.span("secret")


def _find_at_needles(searched: _IndexedText, rule: Rule) -> Iterator[tuple[int, int]]:
    text, pattern, end = searched.text, rule.pattern, 0
    for place in searched.find_needles(rule.needles):
        # A value may hold the name of the real one, as in `secret: token: …`.
        match = pattern.match(text, place) if place >= end else None
        if match is None or not rule.is_secret(match["secret"]):
            continue
        start, end = match.span("secret")
        if end - start == LONGEST_VALUE and (rest := _REST.match(text, end)):
            end = rest.end()
        yield start, end
