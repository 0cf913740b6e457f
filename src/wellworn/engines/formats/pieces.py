"""Cuts long text into pieces that read well alone, each an exact stretch of the text; pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from wellworn.engines.formats.lines import Tell

LONGEST_CONTENT: Final = 10_000
"""Characters of a thought."""
_LONGEST_TAG: Final = 100
_MOST_TAGS: Final = 20
_BLANK_LINES = re.compile(r"\n(?:[ \t]*+\n)++")
_VISIBLE = re.compile(r"\S")


def split_into_pieces(
    text: str, longest: int, *, whole: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """Cut text between paragraphs, or where one is too long between lines or words, at `longest`.

    Each piece is as it stands in the text, with its indentation. `whole` are stretches, in order,
    that are not cut, such as fenced code; a piece with one may be longer.
    """
    pieces: list[tuple[int, int]] = []
    for start, end in _paragraphs(text, longest, whole):
        if pieces and end - pieces[-1][0] <= longest:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    return [text[start:end] for start, end in pieces]


def _paragraphs(
    text: str, longest: int, whole: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    for start, end in list_paragraphs(text, whole):
        first = bisect_left(whole, (start, start))
        is_whole = first < len(whole) and whole[first][0] < end
        rest = start
        while end - rest > longest and not is_whole:
            cut = _find_cut(text, rest, longest)
            yield _trim(text, rest, cut)
            rest = _skip_blanks(text, cut, end)
        if rest < end:
            yield rest, end


def list_paragraphs(text: str, whole: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
    """Yield where each paragraph begins, with what its first line is indented by, and ends.

    Each of the stretches `whole` is a paragraph.
    """
    last = 0
    for border in chain(_find_borders(text, whole), [len(text)]):
        start, end = _trim(text, last, border)
        last = border
        if start < end:
            yield start, end


def _find_borders(text: str, whole: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield where a paragraph ends, and where what stays whole begins and ends."""
    stretches = iter([*whole, (len(text), len(text))])
    begins, ends = next(stretches)
    for blank in _BLANK_LINES.finditer(text):
        while ends <= blank.start():
            yield from (begins, ends)
            begins, ends = next(stretches, (len(text), len(text)))
        if blank.start() < begins:
            yield blank.end()
    for stretch in chain([(begins, ends)], stretches):
        yield from stretch


def _find_cut(text: str, start: int, longest: int) -> int:
    """Return where a long paragraph is cut: behind a line or a word, unless these are too long."""
    end, least = start + longest, start + longest // 2
    for blank in ("\n", " "):
        if (cut := text.rfind(blank, least, end)) > start:
            return cut
    return end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a stretch without blanks around it, but for what its first line is indented by."""
    end = start + len(text[start:end].rstrip())
    return _skip_blanks(text, start, end), end


def _skip_blanks(text: str, start: int, end: int) -> int:
    """Return where the first line begins that is not blank; `end` without one."""
    visible = _VISIBLE.search(text, start, end)
    first = visible.start() if visible else end
    line = text.rfind("\n", max(0, start - 1), first) + 1
    return max(start, line) if line or not start else first


def replace_unstorable(text: str) -> str:
    """Return the text without what a store cannot hold: NUL, and unpaired surrogates."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def fit_tags(tags: Iterable[str], place: str, tell: Tell) -> list[str]:
    """Return the tags that a thought may have, each once; `tell` is told of others."""
    fitting: dict[str, None] = {}
    for tag in filter(None, tags):
        if len(tag) > _LONGEST_TAG:
            tell(f"{place}: a tag is longer than {_LONGEST_TAG} characters; it was left out")
        elif len(fitting) >= _MOST_TAGS and tag not in fitting:
            tell(f"{place}: there are more than {_MOST_TAGS} tags; the others were left out")
            break
        else:
            fitting[tag] = None
    return list(fitting)
