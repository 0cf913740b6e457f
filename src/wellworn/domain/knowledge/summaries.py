"""Sums up a document in a line: its first real sentence and its headings, with the span.

A sentence of the author's is better than one about it, and it can be pointed at. What opens so many
documents without saying anything (badges, links, tables of contents, notices) is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from wellworn.domain.knowledge.entities import plain, term
from wellworn.domain.knowledge.views import Line, Reading
from wellworn.kit.sentences import NOT_SHORT
from wellworn.kit.text import shorten
from wellworn.kit.words import load_phrases, load_words

LONGEST: Final = 240
"""Characters of a summary, about."""
_LONGEST_SENTENCE: Final = 200
_MOST_HEADINGS: Final = 4
_LONGEST_HEADING: Final = 40
_LONGEST_DESCRIPTION: Final = 300
_LEAST_LETTERS: Final = 16
_LEAST_WORDS: Final = 4
_ENOUGH: Final = 110
"""Characters of a sentence to which headings are added no more."""
_NUMBER: Final = re.compile(r"^[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}[.):]?[ \t]+")
_MOST_LINES: Final = 400
_MOST_NAMED: Final = 6
_LONGEST_CALL: Final = 5
"""Words of an exclamation that tells nothing, as in "That's it!"."""

_SENTENCE_END: Final = re.compile(
    rf"(?<!\betc)[.!?]{NOT_SHORT}"
    r"(?=[)\"'*_`]{0,3}(?:\s|$))"
)
_NO_PROSE: Final = re.compile(
    r"[ \t]*(?:#|\||<|!\[|\[!|:::|--8<--|!!!|\?\?\?|>|import |export |\{|\$|=+[ \t]*$|-+[ \t]*$|---"
    r"|\[[^\]]*\]:)"
)
#: Links and what stands between them, as at the top of a page.
_MENU: Final = re.compile(r"(?:[^\w\[\]]{0,20}\[[^\[\]\n]{0,80}\]\([^()\n]{0,400}\)){2,20}\W{0,20}")
_LISTED: Final = re.compile(r"[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+")
_NOTICE: Final = re.compile(rf"(?:{load_phrases(__name__, 'notices')})\b", re.IGNORECASE)
#: Headings that every other document has too.
_USUAL: Final = frozenset(load_words(__name__, "usual_headings"))


@dataclass(frozen=True, slots=True)
class Summary:
    """A line about a document; what it is made from stands at `start` to `end` of its text.

    Attributes:
        covers: its main headings, where the line alone says little.
    """

    text: str
    start: int
    end: int
    covers: Sequence[str] = field(default_factory=list[str])

    def render(self, *, without: Container[str] = ()) -> str:
        """Return the line with the headings, those left out that say nothing of this document."""
        named = [title for title in self.covers if title not in without]
        if not named:
            return self.text
        is_ended = self.text.endswith((".", "!", "?", "\u2026"))
        return f"{self.text}{'' if is_ended else '.'} Covers: {', '.join(named)}."


def summarize(reading: Reading) -> Summary:
    """Return a line of about 240 characters at most; empty for a document without words."""
    sentence = telling_sentence(reading)
    opening = shorten(plain(reading.text[slice(*sentence)]), _LONGEST_SENTENCE) if sentence else ""
    if sentence and len(opening) >= _ENOUGH:
        return Summary(opening, *sentence)
    titles, span = _headings(reading)
    if not titles:
        return Summary(opening, *sentence) if sentence else Summary(*_opening(reading))
    if not sentence:
        return Summary(", ".join(titles), *span)
    return Summary(opening, *sentence, titles)


def first_sentence(reading: Reading, part: int | None = None) -> tuple[int, int] | None:
    """Return the span of the sentence that says what a document, or one of its parts, is about.

    It is the first complete one; half of a thought where its section has no other.
    """
    description = _description(reading) if part is None else None
    if description:
        return description
    lines = (reading.lines if part is None else reading.lines_of(part))[:_MOST_LINES]
    half: tuple[int, int] | None = None
    listed: tuple[int, int] | None = None
    leading: tuple[int, int] | None = None
    for start, end, is_listed in _paragraphs(lines):
        span = _sentence(reading.text, start, end)
        if span and half and reading.part_at(start) != reading.part_at(half[0]):
            break
        if span and reading.text[span[1] - 1] == ":":
            leading = leading or (span[0], span[1] - 1)
        elif span and is_listed:
            listed = listed or span
        elif span and _is_half(reading.text[slice(*span)]):
            half = half or span
        elif span:
            return span
    # What leads to a list or to code says more than what it leads to.
    return half or leading or (listed if part is not None else None)


def _description(reading: Reading) -> tuple[int, int] | None:
    """Return the span of the author's own summary in the front matter, if it is a sentence."""
    front = reading.markdown.front_matter
    description = (
        (front.value("description") or front.value("summary"))[:_LONGEST_DESCRIPTION]
        if front
        else ""
    )
    is_sentence = len(description) >= _LEAST_LETTERS and len(description.split()) >= _LEAST_WORDS
    return front.span(description) if front and is_sentence else None


def telling_sentence(reading: Reading) -> tuple[int, int] | None:
    """Return the span of a document's first sentence; None if that is half of a thought."""
    span = first_sentence(reading)
    return None if span is None or _is_half(reading.text[slice(*span)]) else span


def _is_half(text: str) -> bool:
    """Tell whether a sentence is half of a thought: a call or a question."""
    sentence = plain(text)
    is_call = sentence.endswith("!") and len(sentence.split()) <= _LONGEST_CALL
    return is_call or sentence.endswith("?")


def is_usual(title: str) -> bool:
    """Tell whether every other document has such a heading, so that it says nothing of this one."""
    return term(title).replace(" ", "-") in _USUAL


def folder_summary(readme: str, titles: Sequence[str]) -> str:
    """Return a line about a folder: what its readme says, else what its documents are called."""
    if readme:
        return readme
    named = list(dict.fromkeys(title for title in titles if title))
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more


def _paragraphs(lines: Sequence[Line]) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of paragraphs and list items, and which of the two each is."""
    start, end, is_listed = -1, -1, False
    for line in lines:
        item = _LISTED.match(line.text)
        breaks = not line.text.strip() or item or _NO_PROSE.match(line.text)
        if start >= 0 and (breaks or line.start != end + 1):
            yield start, end, is_listed
            start = -1
        if not line.text.strip() or (not item and _NO_PROSE.match(line.text)):
            continue
        if start < 0:
            start = line.start + (item.end() if item else len(line.text) - len(line.text.lstrip()))
            is_listed = item is not None
        end = line.end
    if start >= 0:
        yield start, end, is_listed


def _sentence(text: str, start: int, end: int) -> tuple[int, int] | None:
    stop = _SENTENCE_END.search(text, start, min(end, start + 2 * LONGEST))
    stopped = stop.end() if stop else min(end, start + 2 * LONGEST)
    while stopped < end and text[stopped] in ")\"'*_`":
        stopped += 1
    raw = text[start:stopped].rstrip()
    seen = plain(raw)
    if _NOTICE.match(seen) or seen.startswith(("http", "<", "{", "(")) or _MENU.fullmatch(raw):
        return None
    letters = sum(map(str.isalpha, seen))
    is_enough = letters >= _LEAST_LETTERS and len(seen.split()) >= _LEAST_WORDS
    is_unspaced = letters >= _LEAST_LETTERS and not seen.isascii()
    is_link = len(seen) * 3 < len(raw) and "](" in raw
    return (start, start + len(raw)) if (is_enough or is_unspaced) and not is_link else None


def _headings(reading: Reading) -> tuple[list[str], tuple[int, int]]:
    """Return the titles that tell most, and the span from the first one to the last."""
    below = [part for part in reading.parts if part.level and part.anchor]
    top = min((part.level for part in below), default=0)
    chosen = [
        part
        for part in below
        if part.level == top
        and 0 < len(part.title) <= _LONGEST_HEADING
        and not is_usual(part.title)
        and not part.title.startswith(":")
    ][:_MOST_HEADINGS]
    if not chosen:
        return [], (0, 0)
    last = reading.text.find("\n", chosen[-1].start)
    end = last if last >= 0 else len(reading.text)
    return [_NUMBER.sub("", part.title).rstrip(":. ") for part in chosen], (chosen[0].start, end)


def _opening(reading: Reading) -> tuple[str, int, int]:
    """Return how a document begins that has neither sentences nor headings."""
    for line in reading.lines:
        opening = plain(line.text.strip(" \t#|-*>"))
        is_prose = line.text.startswith("#") or not _NO_PROSE.match(line.text)
        # What only leads to something else says nothing of itself.
        if is_prose and any(map(str.isalpha, opening)) and not opening.endswith(":"):
            return opening[:_LONGEST_SENTENCE].rstrip(), line.start, line.end
    return "", 0, 0
