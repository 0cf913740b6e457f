"""Passages that name what is asked, where no fact says it: quoted, and nothing is claimed.

A passage names a thing where all words of its name stand in it or above it: in its headings, its
document's title or path, or the head of its table. Of such a passage the line is quoted that has
most words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from wellworn.domain.knowledge.answers import QuotedSpan
from wellworn.domain.knowledge.attributes import list_telling_words
from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import key, split_pieces
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter, quote_snippet
from wellworn.domain.sources import Snippet

_MOST: Final = 5
_LONGEST: Final = 600
_NOTHING: Final = re.compile(r"[\s|:+=-]*|#{1,6}[ \t].*|(?:```|~~~).*")
_HALF: Final = 0.5


class _Line(NamedTuple):
    """A line with how many words of the question it has, and how many with what stands above."""

    own: int
    whole: int
    span: tuple[int, int]


class PassageQuoter:
    """Quotes what passages say of one name.

    Where a longer name stands, of a thing of its own, this one does not.
    """

    def __init__(self, quoter: DocumentQuoter, name: str, longer: Iterable[str] = ()) -> None:
        self._quoter = quoter
        self._names = [_join_stems(word) for word in name.split()]
        self._longer = [_join_stems(each) for each in longer]

    def quote(self, snippets: Iterable[Snippet], asked: str) -> list[QuotedSpan]:
        """Return the lines that speak of the name and of what is asked, the most telling first.

        They have every word of the name, and half of those that are asked.
        """
        pieces = split_pieces(" ".join(list_telling_words(asked)))
        wanted = frozenset(map(stem, pieces))
        quoted: dict[tuple[int, int], tuple[tuple[int, int], QuotedSpan]] = {}
        for snippet in snippets:
            page = self._quoter.open_page(snippet.document_id)
            for line in self._list_lines(snippet, page, wanted) if page else ():
                quote = quote_snippet(snippet, page, *line.span) if page else None
                if quote is not None:
                    quoted.setdefault((quote.document_id, quote.start), (line[:2], quote))
        ranked = sorted(quoted.values(), key=lambda each: each[0], reverse=True)
        return [quote for _, quote in ranked[:_MOST]]

    def select(self, snippets: Iterable[Snippet]) -> list[Snippet]:
        """Return the passages in which the name stands, or above them."""
        return [
            each
            for each in snippets
            if self._has_name(f"{self._read_above(each)}{self._leave_longer(each.text)}")
        ]

    def _list_lines(
        self, snippet: Snippet, page: DocumentPage, wanted: frozenset[str]
    ) -> Iterator[_Line]:
        above = self._read_above(snippet)
        is_below = bool(self._names) and self._has_name(
            self._leave_longer(" ".join(snippet.headings[-1:]))
        )
        at = snippet.start
        for line in page.text[snippet.start : snippet.end].splitlines(keepends=True):
            start, end = at + len(line) - len(line.lstrip()), at + len(line.rstrip())
            at += len(line)
            if end - start > _LONGEST or _NOTHING.fullmatch(page.text, start, max(start, end)):
                continue
            head = leave_blank_columns(page.find_table_head(start), page.text[start:end])
            words = self._leave_longer(page.text[start:end])
            around = f"{above}{self._leave_longer(head)}{words}"
            own, whole = wanted.intersection(words.split()), wanted.intersection(around.split())
            speaks = is_below or own or any(name in words for name in self._names)
            if speaks and self._has_name(around) and len(whole) >= _HALF * len(wanted):
                yield _Line(len(own), len(whole), (start, end))

    def _read_above(self, snippet: Snippet) -> str:
        """Return the stems of what stands above a passage; none below a thing of its own."""
        heading = " ".join(snippet.headings[-1:])
        if self._leave_longer(heading) != _join_stems(heading):
            return ""
        return self._leave_longer(" ".join([snippet.path, snippet.title or "", *snippet.headings]))

    def _has_name(self, words: str) -> bool:
        return all(name in words for name in self._names)

    def _leave_longer(self, text: str) -> str:
        """Return the stems of a text without those of longer names."""
        words = _join_stems(text)
        for longer in self._longer:
            words = words.replace(longer, "")
        return words


def build_label(snippet: Snippet) -> str:
    """Return what a passage is called: its document's title and its heading."""
    title = snippet.title or snippet.path
    heading = snippet.headings[-1] if snippet.headings else title
    return title if key(heading) == key(title) else f"{title}: {heading}"


def leave_blank_columns(head: str, row: str) -> str:
    """Return the head of a table without the columns of which a row says nothing."""
    cells, columns = row.split("|"), head.partition("\n")[0].split("|")
    if len(cells) != len(columns):
        return head
    return "|".join(name for name, cell in zip(columns, cells, strict=True) if cell.strip())


def _join_stems(text: str) -> str:
    """Return the stems of a text, each between blanks of its own."""
    return "".join(f" {stem(piece)} " for piece in split_pieces(text))
