"""Aliases: other names of what documents explain, learned from use or stated by the documents.

A resolution that is confirmed grows surer, one that is contradicted less sure, and below a half it
gives way. That two names look alike is no reason to take them for one; a statement is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.candidates import STATED, TermCandidate
from wellworn.domain.knowledge.entities import LONGEST_TERM, name_in, plain, term
from wellworn.domain.knowledge.views import Line, Reading
from wellworn.engines.retrieval.text import STOP_WORDS

FIRST_CONFIDENCE: Final = 0.7
MOST_CONFIDENCE: Final = 0.99
LEAST_CONFIDENCE: Final = 0.5
_CONFIRMED: Final = 0.05
_CONTRADICTED: Final = 0.15
_DIGITS: Final = 4

_MARKER: Final = re.compile(
    r"(?P<open>\(|, ?| (?:is|are|was) | )"
    r"(?P<how>a\.?k\.?a\.?|also (?:known|referred to) as|also called"
    r"|(?:formerly|previously)(?: known as| called)?|nicknamed|alias):? (?:the )?(?=\S)",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(r"formerly|previously|nicknamed|alias", re.IGNORECASE)
_NAME: Final = r"[^\W_][\w.+'\u2019-]{0,40}(?: [^\W_][\w.+'\u2019-]{0,40}){0,2}"
_BEFORE: Final = re.compile(rf"(?P<name>{_NAME})[*`\"\u201d]{{0,3}} ?$")
_AFTER: Final = re.compile(
    rf"[*`\"\u201c]{{0,3}}{_NAME}[*`\"\u201d]{{0,3}}"
    rf"(?:(?:, | or | and |, or |, and )[*`\"\u201c]{{0,3}}{_NAME}[*`\"\u201d]{{0,3}}){{0,4}}"
)
_REACH: Final = 130
"""Characters before a statement's words among which the name ends it."""
_SEPARATOR: Final = re.compile(r"[ \t]*(?:,|;|/|\bor\b|\band\b)[ \t]*")
_STOPS: Final = re.compile(
    r"[ \t](?:is|are|was|were|which|that|has|runs|will|and|or)\b.*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Alias:
    """What a term was resolved to, and how sure that is; times are in epoch seconds.

    Attributes:
        citation: of a section, such as `mytech/AGENTS.md#servers`.
        confidence: 0 to 0.99.
        section_hash: of the section when it was learned.
        taught_by: the member who said so, or whose question it was found for; None where nobody
            is known.
    """

    term: str
    citation: str
    confidence: float
    usage_count: int
    last_used_at: float
    document_id: int = 0
    anchor: str = ""
    section_hash: str = ""
    is_taught: bool = False
    taught_by: str | None = None
    taught_at: float | None = None


def update_alias(known: Alias | None, latest: Alias) -> Alias:
    """Return what is known of a term after it was resolved once more.

    What is taught is its last teacher's, what is found is of whoever asked first.
    """
    if known is None:
        return latest
    if known.citation == latest.citation:
        teacher = latest if latest.is_taught else known
        return replace(
            latest,
            confidence=min(MOST_CONFIDENCE, round(known.confidence + _CONFIRMED, _DIGITS)),
            usage_count=known.usage_count + 1,
            is_taught=teacher.is_taught,
            taught_by=teacher.taught_by,
            taught_at=teacher.taught_at,
        )
    left = round(known.confidence - _CONTRADICTED, _DIGITS)
    return latest if left < LEAST_CONFIDENCE else replace(known, confidence=left)


def find_explicit_aliases(reading: Reading) -> list[TermCandidate]:
    """Return the other names that a document states, in order."""
    return [alias for line in reading.lines for alias in _find_inline(line)]


def _find_inline(line: Line) -> Iterator[TermCandidate]:
    for match in _MARKER.finditer(line.text):
        if match["open"] == " " and _WEAK.match(match["how"]):
            continue
        reach = max(0, match.start() - _REACH)
        before = _BEFORE.search(line.text[reach : match.start()])
        after = _AFTER.match(line.text, match.end())
        name = name_in(before["name"]) if before else ""
        if before is None or after is None or not name:
            continue
        names = after[0].partition(")")[0]
        span = (line.start + reach + before.start("name"), line.start + match.end() + len(names))
        for other in _split_names(names):
            if other != name:
                yield TermCandidate(other, STATED, 1, "", "", *span, alias_of=name)


def _split_names(text: str) -> list[str]:
    pieces = [term(_STOPS.sub("", plain(piece))) for piece in _SEPARATOR.split(text)]
    return [
        piece
        for piece in pieces
        if 1 < len(piece) <= LONGEST_TERM and not STOP_WORDS & set(piece.split())
    ]
