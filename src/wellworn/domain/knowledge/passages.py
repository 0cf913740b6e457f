"""Passages that speak of what is asked, where no fact says it: quoted, and nothing is claimed.

A line speaks of a need by itself, by the head of its table, by the line that introduces its list
or its command, or by the headings and the title it stands below. One that shows a value of the kind
that is asked for says more than one that has the words for it. Quoted is only what speaks of nearly
all needs, rare words counting more than common ones, and of every name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Final

from wellworn.domain.knowledge.answers import QuotedSpan
from wellworn.domain.knowledge.commonness import share, stem
from wellworn.domain.knowledge.entities import file_name, name_key, term
from wellworn.domain.knowledge.quoting import DocumentQuoter
from wellworn.domain.sources import Snippet, find_identifiers
from wellworn.kit.words import load_phrases

COMMAND: Final = "command"
NUMBER: Final = "number"
_MOST: Final = 5
_LONGEST: Final = 600
_LONGEST_ROW: Final = 1_000
_PIECES: Final = re.compile(r"[^\W_]+")
_FLOWING: Final = re.compile(r"(?![-*+>|#]|\d+[.)]\s|`{3}|[^\s:=]{1,40}[:=])\S")
"""How a line begins that is no item, row, heading or key."""
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?!.*[.:]$)")
_COMMAND: Final = re.compile(
    rf"[$>][ \t]+\S|`?(?:sudo |\./|~/|/usr/|(?:{load_phrases(__name__, 'commands')})[ \t])"
)
_NUMBER: Final = re.compile(
    rf"(?<![\w.])\d|\b(?:{load_phrases(__name__, 'numbers')})\b", re.IGNORECASE
)
_RULE: Final = re.compile(r"[\s|:+=-]*")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[ \t]+(?=\S)")
_IN_LINE: Final = 4
_SHOWN: Final = 5
"""For a value of the kind that is asked for; words that speak of it count for half beside it."""
_NEAR: Final = 2
_ABOVE: Final = 1
_NAME_ABOVE: Final = 3
"""For a name that a heading or title has: each line below is about it."""
_NAME: Final = 10.0
"""The weight of a name: about that of a word that nobody else has."""
_LEAST_MET: Final = 0.7
_LEAST_SHOWN: Final = 6.0
"""The weight of a need with kinds and no words, which no line must meet."""
_SHORTEST_WRAPPED: Final = 40
"""Characters of a line that a sentence may be broken at."""
_LEAST_WORDS: Final = 5
_PAIR: Final = 2
_SHELLS: Final = frozenset(("sh", "bash", "shell", "console", "zsh", "shell-session", "terminal"))


@dataclass(frozen=True)
class Need:
    """What a passage must speak of: one of some phrases, or a name exactly.

    Attributes:
        kinds: of identifiers that a line may have instead of a phrase.
    """

    phrases: frozenset[str]
    is_name: bool = False
    kinds: frozenset[str] = frozenset()

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
    def _stems(self) -> list[str]:
        return [f" {' '.join(_stem_pieces(phrase))} " for phrase in self.phrases]

    @cached_property
    def hints(self) -> list[str]:
        """Letters of which some stand in every text that speaks of it."""
        pieces = (_PIECES.findall(term(phrase)) for phrase in self.phrases)
        return [stem(first[0])[:4] for first in pieces if first]

    def is_met_by(self, text: PassageText) -> bool:
        """Tell whether a text speaks of it."""
        if self.is_name:
            return any(text.contains_name(key) for key in self._keys)
        return any(stems in text.stems for stems in self._stems)

    def is_shown_by(self, text: PassageText, *, is_spoken_of: bool) -> bool:
        """Tell whether a text has a value of the kind that is asked for.

        A number says nothing where no word does of what it is one.
        """
        shown = self.kinds & text.kinds
        return bool(shown) and (is_spoken_of or not self.phrases or bool(shown - {NUMBER}))


@dataclass(frozen=True)
class PassageText:
    """A piece of text as needs are held against it."""

    text: str
    is_command: bool = False

    @cached_property
    def _pieces(self) -> list[str]:
        return _PIECES.findall(name_key_of_words(self.text))

    @cached_property
    def stems(self) -> str:
        return f" {' '.join(_stem_pieces(self.text))} "

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of identifiers in it, and whether it has a command or a number."""
        kinds = {str(identifier.kind) for identifier in find_identifiers(self.text)}
        if self.is_command or _COMMAND.match(self.text):
            kinds.add(COMMAND)
        if _NUMBER.search(self.text):
            kinds.add(NUMBER)
        return frozenset(kinds)

    def contains_name(self, key: str) -> bool:
        """Tell whether neighbouring words are spelt like a name, blanks and hyphens aside."""
        for first in range(len(self._pieces)):
            joined = ""
            for piece in self._pieces[first:]:
                joined += piece
                if not key.startswith(joined):
                    break
                if joined == key:
                    return True
        return False


def name_key_of_words(text: str) -> str:
    """Return a text folded as names are, its blanks kept."""
    return " ".join(name_key(word) for word in text.split())


def find_passages(
    quoter: DocumentQuoter, snippets: Iterable[Snippet], needs: Sequence[Need]
) -> list[QuotedSpan]:
    """Return the lines of passages that speak of every need, the most telling first."""
    scored: dict[tuple[int, int], tuple[float, QuotedSpan]] = {}
    for snippet in snippets:
        page = quoter.open_page(snippet.document_id)
        for score, span in _score_lines(snippet, page.text, needs) if page else ():
            place = (snippet.document_id, snippet.source, snippet.path, snippet.anchor)
            quote = QuotedSpan(*place, page.text[slice(*span)], *span) if page else None
            if quote is not None:
                scored.setdefault((quote.document_id, quote.start), (score, quote))
    best = sorted(scored.values(), key=lambda entry: -entry[0])
    return [quote for _, quote in best[:_MOST]]


def _score_lines(
    snippet: Snippet, text: str, needs: Sequence[Need]
) -> Iterator[tuple[float, tuple[int, int]]]:
    """Yield what each line is worth that speaks of enough, and where it stands."""
    *outer, nearest = ("", *snippet.headings)
    folders = snippet.path.rpartition("/")[0].replace("/", " ")
    around = PassageText(" ".join([snippet.title or "", folders, file_name(snippet.path), *outer]))
    heading = PassageText(nearest)
    above = frozenset(need for need in needs if need.is_met_by(around))
    own = frozenset(need for need in needs if need.is_met_by(heading))
    for line, span in _list_lines(text, _find_table(text, snippet.start), snippet.end):
        score = _score_line(line, needs, own, above)
        if score and span[0] >= snippet.start:
            yield score, span


def _find_table(text: str, start: int) -> int:
    """Return where the table begins in whose middle a passage does; else the same place."""
    while start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("|"):
            break
        start = before
    return start


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
    score, met, is_in_line = 0.0, 0.0, False
    # A name decides, and costs less to look for than a value.
    for need in sorted(needs, key=lambda need: not need.is_name):
        near = _measure(need, line, own, above, is_hinted=need in hinted)
        if need.is_name and not near:
            return 0.0
        shown = _SHOWN if need.is_shown_by(line.text, is_spoken_of=near > 0) else 0
        is_in_line |= bool(shown) or near == _IN_LINE
        met += need.weight if near or shown else 0.0
        score += near * need.weight / (2 if need.kinds else 1)
        score += shown * max(need.weight, _LEAST_SHOWN)
    is_enough = met >= _LEAST_MET * sum(need.weight for need in needs)
    return score if is_enough and is_in_line else 0.0


def _measure(
    need: Need,
    line: _PassageLine,
    own: frozenset[Need],
    above: frozenset[Need],
    *,
    is_hinted: bool,
) -> int:
    """Return how near a line the words for a need stand; 0 where none does."""
    if is_hinted and need.is_met_by(line.text):
        return _IN_LINE
    if need.is_name and (need in own or need in above):
        return _NAME_ABOVE
    if need in own or (is_hinted and need.is_met_by(line.head)):
        return _NEAR
    return _ABOVE if need in above else 0


def _list_lines(text: str, start: int, end: int) -> Iterator[tuple[_PassageLine, tuple[int, int]]]:
    """Yield lines, a sentence that is broken over some as one, and those of what is too long."""
    head, is_table, fence = PassageText(""), False, ""
    for first, last in _join_wrapped(text, start, end):
        bare = text[first:last]
        if not bare:
            head, is_table = (PassageText(""), False) if is_table else (head, False)
            continue
        if bare.startswith("```"):
            fence = "" if fence else bare.strip("`") or "text"
            continue
        is_shell = fence in _SHELLS
        is_head = _is_head(bare, is_shell=is_shell)
        if is_head or (bare.startswith("|") and not is_table):
            # "in the following format:", and what is bold above the example
            led = f"{head.text} {bare}" if head.text.endswith(":") and "*" in bare else bare
            head, is_table = PassageText(led), bare.startswith("|")
        if _RULE.fullmatch(bare) or _HEADING.match(bare) or _is_bold(bare):
            continue
        for span in _split_long(text, first, last):
            line = PassageText(text[slice(*span)], is_command=is_shell and not is_head)
            yield _PassageLine(line, head), span


def _is_head(line: str, *, is_shell: bool) -> bool:
    """Tell whether a line says what follows: it ends so, is all bold, or a comment on commands."""
    if line.startswith("|"):
        return False
    return line.rstrip("*_").endswith(":") or _is_bold(line) or (is_shell and line.startswith("#"))


def _is_bold(line: str) -> bool:
    """Tell whether a line is bold as a whole, which makes it a heading by another name."""
    return line.startswith("**") and line.endswith("**") and line.count("**") == _PAIR


def _join_wrapped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where lines stand, without blanks around; those of one broken sentence as one."""
    begun: tuple[int, int] | None = None
    at = start
    for line in text[start:end].splitlines(keepends=True):
        first = at + len(line) - len(line.lstrip())
        span = (first, max(first, at + len(line.rstrip())))
        at += len(line)
        if begun is not None and _is_broken(text[slice(*begun)], text[slice(*span)]):
            begun = (begun[0], span[1])
            continue
        if begun is not None:
            yield begun
        begun = span
    if begun is not None:
        yield begun


def _is_broken(before: str, line: str) -> bool:
    """Tell whether a sentence goes on in the next line, as in prose that is broken by width."""
    last = before.rpartition("\n")[2].strip()
    is_long = len(last) >= _SHORTEST_WRAPPED and len(last.split()) >= _LEAST_WORDS
    is_open = is_long and last[-1] not in ".:;!?|{}[\\`>" and not last.startswith(("|", "#"))
    return is_open and _FLOWING.match(line) is not None and len(before) + len(line) < _LONGEST


def _split_long(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a long line stand; a short one, or a row, is one."""
    if last - first <= _LONGEST or text.startswith("|", first):
        yield from [(first, last)] if last - first <= _LONGEST_ROW else []
        return
    at = first
    for gap in _SENTENCE_END.finditer(text, first, last):
        yield at, gap.start()
        at = gap.end()
    yield at, last


def _stem_pieces(text: str) -> list[str]:
    return [stem(piece) for piece in _PIECES.findall(term(text))]


def _join(key: str) -> str:
    return "".join(_PIECES.findall(key))
