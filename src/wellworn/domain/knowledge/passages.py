"""Passages that speak of what is asked, where no fact says it: quoted, and nothing is claimed.

A line speaks of a need by itself, by the head of its table, by the line that introduces its list,
or by the headings and the title it stands below. Quoted is only what speaks of nearly all needs,
rare words counting more than common ones, and of every name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import log
from typing import Final

from wellworn.domain.knowledge.answers import QuotedSpan
from wellworn.domain.knowledge.attributes import Attribute, list_telling_words
from wellworn.domain.knowledge.commonness import share, stem
from wellworn.domain.knowledge.entities import file_name, is_special, name_key, split_pieces
from wellworn.domain.knowledge.questions import ValueQuestion
from wellworn.domain.knowledge.quoting import DocumentPage, DocumentQuoter, quote_snippet
from wellworn.domain.sources import Snippet, find_identifiers
from wellworn.kit.words import load_phrases

_KINDS: Final = {"hostname": "host", "secret_ref": "env"}
"""What identifiers of some types of facts are called."""

COMMAND: Final = "command"
_MOST: Final = 5
_LONGEST: Final = 600
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?!.*[.:]$)")
_COMMAND: Final = re.compile(
    rf"[$>][ \t]+\S|`?(?:sudo |\./|~/|/usr/|(?:{load_phrases(__name__, 'commands')})[ \t])"
)
_RULE: Final = re.compile(r"[\s|:+=-]*")
_SHOWN: Final = 5
_IN_LINE: Final = 4
_NEAR: Final = 2
_ABOVE: Final = 1
_NAME: Final = 10.0
"""The weight of a name: about that of a word that nobody else has."""
_LEAST_MET: Final = 0.7


@dataclass(frozen=True)
class Need:
    """What a passage must speak of: one of some phrases, or a name exactly.

    Attributes:
        kinds: of identifiers that a line may have instead of a phrase.
        longer: names of other things that begin with the name; where one stands, it does not.
    """

    phrases: frozenset[str]
    is_name: bool = False
    kinds: frozenset[str] = frozenset()
    longer: frozenset[str] = frozenset()

    @cached_property
    def weight(self) -> float:
        """How much is missed where it is not met: a rare word tells more than a common one."""
        if self.is_name:
            return _NAME
        shares = (
            min(map(share, stems.split()), default=1.0) for stems in self._stems if stems.strip()
        )
        return -log(max(shares, default=1.0))

    @cached_property
    def _keys(self) -> list[str]:
        return [_join(name_key(phrase)) for phrase in self.phrases]

    @cached_property
    def _longer_keys(self) -> list[str]:
        return [_join(name_key(phrase)) for phrase in self.longer]

    @cached_property
    def _stems(self) -> list[str]:
        return [f" {' '.join(_stem_pieces(phrase))} " for phrase in self.phrases]

    @cached_property
    def hints(self) -> list[str]:
        """Letters of which some stand in every text that speaks of it."""
        pieces = (split_pieces(phrase) for phrase in self.phrases)
        return [stem(first[0])[:4] for first in pieces if first]

    def is_met_by(self, text: PassageText) -> bool:
        """Tell whether a text speaks of it."""
        if self.is_name:
            return any(text.contains_name(key, self._longer_keys) for key in self._keys)
        return any(stems in text.stems for stems in self._stems)

    def is_of_other(self, heading: PassageText) -> bool:
        """Tell whether a heading is of a thing whose name only begins with this one."""
        return any(heading.contains_name(key) for key in self._longer_keys)

    def is_shown_by(self, text: PassageText) -> bool:
        """Tell whether a text has a value of the kind that is asked for."""
        return not self.kinds.isdisjoint(text.kinds)


@dataclass(frozen=True)
class PassageText:
    """A piece of text as needs are held against it."""

    text: str

    @cached_property
    def _pieces(self) -> list[str]:
        return split_pieces(name_key_of_words(self.text))

    @cached_property
    def stems(self) -> str:
        return f" {' '.join(_stem_pieces(self.text))} "

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of identifiers in it, and `command` where it begins like one."""
        kinds = {str(identifier.kind) for identifier in find_identifiers(self.text)}
        return frozenset(kinds | {COMMAND} if _COMMAND.match(self.text) else kinds)

    def contains_name(self, key: str, longer: Sequence[str] = ()) -> bool:
        """Tell whether neighbouring words are spelt like a name, blanks and hyphens aside.

        Where they are those of a longer name they are not.
        """
        return any(
            self._has_at(first, key) and not any(self._has_at(first, other) for other in longer)
            for first in range(len(self._pieces))
        )

    def _has_at(self, first: int, key: str) -> bool:
        joined = ""
        for piece in self._pieces[first:]:
            joined += piece
            if len(joined) >= len(key) or not key.startswith(joined):
                break
        return joined == key


def name_key_of_words(text: str) -> str:
    """Return a text folded as names are, its blanks kept."""
    return " ".join(name_key(word) for word in text.split())


@dataclass(frozen=True, slots=True)
class Passage:
    """A line that speaks of what is asked, how well it does, and where it was found."""

    score: float
    quote: QuotedSpan
    snippet: Snippet


def find_passages(
    quoter: DocumentQuoter, snippets: Iterable[Snippet], needs: Sequence[Need]
) -> list[Passage]:
    """Return the lines of passages that speak of every need, the most telling first."""
    scored: dict[tuple[int, int], Passage] = {}
    for snippet in snippets:
        page = quoter.open_page(snippet.document_id)
        for score, span in _score_lines(snippet, page, needs) if page else ():
            quote = quote_snippet(snippet, page, *span) if page else None
            if quote is not None:
                place = (quote.document_id, quote.start)
                scored.setdefault(place, Passage(score, quote, snippet))
    return sorted(scored.values(), key=lambda passage: -passage.score)


def list_quotes(passages: Iterable[Passage]) -> list[QuotedSpan]:
    """Return what the best passages say."""
    return [passage.quote for passage in islice(passages, _MOST)]


def _score_lines(
    snippet: Snippet, page: DocumentPage, needs: Sequence[Need]
) -> Iterator[tuple[float, tuple[int, int]]]:
    """Yield what each line is worth that speaks of enough, and where it stands."""
    *outer, nearest = ("", *snippet.headings)
    folders = snippet.path.rpartition("/")[0].replace("/", " ")
    around = PassageText(" ".join([snippet.title or "", folders, file_name(snippet.path), *outer]))
    heading = PassageText(nearest)
    above = frozenset(
        need for need in needs if need.is_met_by(around) and not need.is_of_other(heading)
    )
    own = frozenset(need for need in needs if need.is_met_by(heading))
    for line, span in _list_lines(page, snippet.start, snippet.end):
        if score := _score_line(line, needs, own, above):
            yield score, span


@dataclass(frozen=True)
class _PassageLine:
    """A line, the head of its table and the line that introduces its list."""

    text: PassageText
    head: PassageText


def _score_line(
    line: _PassageLine, needs: Sequence[Need], own: frozenset[Need], above: frozenset[Need]
) -> float:
    lower = f"{line.text.text} {line.head.text}".casefold()
    hinted = [need for need in needs if any(hint in lower for hint in need.hints)]
    if any(need.is_name and need not in {*hinted, *own, *above} for need in needs):
        return 0.0
    if not hinted and not (own and any(need.kinds for need in needs)):
        return 0.0
    values: dict[Need, int] = {}
    # A name decides, and costs less to look for than a value.
    for need in sorted(needs, key=lambda need: not need.is_name):
        values[need] = _measure(need, line, own, above, is_hinted=need in hinted)
        if need.is_name and not values[need]:
            return 0.0
    met = sum(need.weight for need in needs if values[need])
    is_enough = met >= _LEAST_MET * sum(need.weight for need in needs)
    is_in_line = any(value >= _IN_LINE for value in values.values())
    score = sum(value * need.weight for need, value in values.items())
    return score if is_enough and is_in_line else 0.0


def _measure(
    need: Need,
    line: _PassageLine,
    own: frozenset[Need],
    above: frozenset[Need],
    *,
    is_hinted: bool,
) -> int:
    """Return how near a line speaks of a need; 0 where nothing does."""
    if is_hinted and need.is_met_by(line.text):
        return _IN_LINE
    if need.kinds and need.is_shown_by(line.text):
        return _SHOWN
    if need in own or (is_hinted and need.is_met_by(line.head)):
        return _NEAR
    return _ABOVE if need in above else 0


def _list_lines(
    page: DocumentPage, start: int, end: int
) -> Iterator[tuple[_PassageLine, tuple[int, int]]]:
    begun, _, _ = page.find_table_head(start).partition("\n")
    head, is_table, at = PassageText(begun), bool(begun), start
    aligned = PassageText("")
    for line in page.text[start:end].splitlines(keepends=True):
        bare, first = line.strip(), at + len(line) - len(line.lstrip())
        at += len(line)
        if bare and not bare.startswith("|") and (table_head := page.find_table_head(first)):
            names = table_head.partition("\n")[0]
            aligned = aligned if aligned.text == names else PassageText(names)
            yield _PassageLine(PassageText(bare), aligned), (first, first + len(bare))
            continue
        if not bare:
            head, is_table = (PassageText(""), False) if is_table else (head, False)
            continue
        if bare.startswith("|") and not is_table:
            head, is_table = PassageText(bare), True
        elif bare.rstrip("*_").endswith(":") and not bare.startswith("|"):
            head = PassageText(bare)
        if len(bare) <= _LONGEST and not _RULE.fullmatch(bare) and not _HEADING.match(bare):
            above = _leave_blank_columns(head, bare) if is_table else head
            yield _PassageLine(PassageText(bare), above), (first, first + len(bare))


def _leave_blank_columns(head: PassageText, row: str) -> PassageText:
    """Return the head of a table without the columns of which a row says nothing."""
    cells, columns = row.split("|"), head.text.split("|")
    if len(cells) != len(columns) or all(cell.strip() for cell in cells[1:-1]):
        return head
    return PassageText(
        "|".join(name for name, cell in zip(columns, cells, strict=True) if cell.strip())
    )


def _stem_pieces(text: str) -> list[str]:
    return [stem(piece) for piece in split_pieces(text)]


def _join(key: str) -> str:
    return "".join(split_pieces(key))


def list_needs(question: ValueQuestion, longer: Iterable[str] = ()) -> list[Need]:
    """Return what a passage must speak of to answer a question.

    `longer` are names of other things that begin with the one that is asked about.
    """
    needs = [Need(frozenset({question.name}), is_name=True, longer=frozenset(longer))]
    asked = question.asked
    if asked is not None and asked.is_free:
        needs += [Need(frozenset({word})) for word in asked.name.split()]
    elif asked is not None:
        needs.append(_build_need(asked))
    return [*needs, *(Need(frozenset({word})) for word in question.qualifiers)]


def list_word_needs(text: str, question: ValueQuestion, longer: Iterable[str] = ()) -> list[Need]:
    """Return what a passage must speak of where no name is known: each word, special ones exactly.

    Words for the attribute that is asked are one need, met by any other word for it. `longer` are
    names of other things that begin with the one that is asked about.
    """
    others = frozenset(longer)
    asked = question.asked
    if asked is not None and asked.is_free and question.is_by_context:
        text = f"{text} {asked.name}"
    needs = [_build_need(asked)] if asked is not None and not asked.is_free else []
    names = {word for need in needs for name in need.phrases for word in name.split()}
    words = (word for word in list_telling_words(text) if word not in names)
    return [
        *needs,
        *(Need(frozenset({word}), is_name=is_special(word), longer=others) for word in words),
    ]


def _build_need(asked: Attribute) -> Need:
    return Need(asked.names, kinds=frozenset(_KINDS.get(kind, kind) for kind in asked.types))
