"""Turns that quote a thought that is gone, and their files without what they quote.

A mark stands where the words stood. The question, what other sources say and every file stay, so
that erasing a note takes nothing else from those who asked. The journal is written last: an
erasure that was interrupted finds its turns again.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, cast

from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.context_document import TITLES
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import METADATA, read_turn
from wellworn.domain.turns.journal import FILE as JOURNAL
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    EvidenceKind,
    Execution,
    QueryAnalysis,
    Response,
    Turn,
)
from wellworn.domain.turns.phases.analysis import FILE as ANALYSIS
from wellworn.domain.turns.phases.planning import FILE as TICKET
from wellworn.domain.turns.tool_results import FILE as RESULTS
from wellworn.domain.turns.vaults import read_number
from wellworn.domain.turns.webpages import format_json, parse_object
from wellworn.kit.clock import format_day
from wellworn.kit.neutralising import escape_hidden, remove_hidden

ERASED: Final = "[erased]"
_LEAST_WORDS: Final = 3
_SHORTEST: Final = 4
"""In characters: what is shorter stands in most texts by chance."""
# Scripts that part no words: each of their characters counts as one.
_UNPARTED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_WORD: Final = re.compile(rf"[{_UNPARTED}]|[^\W{_UNPARTED}]+")
_DIGIT: Final = re.compile(r"\d")
_FRAME: Final = re.compile(
    rf"^## (?:{'|'.join(map(re.escape, TITLES.values()))})[^\n]*$"
    r"|^\*\*(?:Decision|Outcome|Response Preview):\*\*"
    r"|\[[^\[\]\n]*+\]\([^)\[\s]++\) \| \[\[[^\[\]\n]*+\]\]"
    r"|\[E?\d{1,9}\]| \^(?:evidence|claim|decision)-[\w-]++$",
    re.MULTILINE,
)
"""Frames that sections are read and linked by: headings, fields, links, citations and block ids."""
_Triple = tuple[str, str, str]


class _PlacedWord(NamedTuple):
    """A word as it is compared, and where it stands."""

    text: str
    start: int = 0
    end: int = 0


_BREAK: Final = _PlacedWord("\n")
"""Stands between texts: no quote goes over it."""


class QuoteEraser:
    """Erases what texts quote of erased ones.

    Args:
        erased: what was erased.
        known: what else the texts were made of, which stays.
        statements: what is a quote however short it is, unless it is known.
        answers: the words that answer, and the quote that they lead in an answer.
    """

    def __init__(
        self,
        erased: Iterable[str],
        known: Iterable[str],
        statements: Iterable[str] = (),
        answers: Iterable[tuple[str, str]] = (),
    ) -> None:
        gone = [[word.text for word in _split_words(text)] for text in _list_forms(erased)]
        known_words = [
            word.text for text in _list_forms(known) for word in (*_split_words(text), _BREAK)
        ]
        self._triples = {triple for words in gone for triple in _list_triples(words)}
        self._triples.difference_update(_list_triples(known_words))
        self._next: dict[tuple[str, str], set[str]] = {}
        for first, second, third in self._triples:
            self._next.setdefault((first, second), set()).add(third)
        self._identifiers = {each for words in gone for each in words if _is_identifier(each)}
        self._identifiers.difference_update(known_words)
        stated = [[word.text for word in _split_words(text)] for text in _list_forms(statements)]
        stated += [words for answer, quote in answers for words in _list_leads(answer, quote)]
        phrases = {
            _join(words)
            for words in (*(words for words in gone if len(words) < _LEAST_WORDS), *stated)
            if len(_join(words)) > _SHORTEST + 1
        }
        text = _join(known_words)
        self._phrases = [phrase for phrase in sorted(phrases) if phrase not in text]

    def erase(self, text: str) -> str:
        """Return a text with a mark where something of what was erased is quoted."""
        words = list(_list_free_words(text))
        marks = self._mark([word.text for word in words])
        parts: list[str] = []
        start, after = 0, False
        for word, is_quoted in zip(words, marks, strict=True):
            if is_quoted and not after:
                parts += [text[start : word.start], ERASED]
            start = word.end if is_quoted else start
            after = bool(is_quoted)
        return "".join([*parts, text[start:]])

    def _mark(self, words: Sequence[str]) -> bytearray:
        """Return which words are quoted."""
        marks = bytearray(word in self._identifiers for word in words)
        for place, triple in enumerate(_list_triples(words)):
            if triple in self._triples:
                marks[place : place + _LEAST_WORDS] = b"\1" * _LEAST_WORDS
            elif marks[place] and marks[place + 1] and self._is_cut(triple):
                marks[place + 2] = 1
        if self._phrases:
            self._mark_phrases(words, marks)
        return marks

    def _is_cut(self, triple: _Triple) -> bool:
        """Tell whether the last word is the beginning of a quoted one that was cut off."""
        following = self._next.get(triple[:2], ())
        return any(word.startswith(triple[2]) for word in following)

    def _mark_phrases(self, words: Sequence[str], marks: bytearray) -> None:
        text = _join(words)
        ends = list(accumulate(len(word) + 1 for word in words))
        for phrase in self._phrases:
            at = text.find(phrase)
            while at >= 0:
                last = at + len(phrase) - 1
                for place in range(bisect_right(ends, at), bisect_left(ends, last) + 1):
                    marks[place] = words[place] != _BREAK.text
                at = text.find(phrase, last)


def _list_forms(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as they were said, and as they are shown where that differs."""
    for text in texts:
        yield from dict.fromkeys((text, remove_hidden(text)))


def _split_words(text: str, start: int = 0) -> Iterator[_PlacedWord]:
    for match in _WORD.finditer(text):
        yield _PlacedWord(match[0].casefold(), start + match.start(), start + match.end())


def _list_free_words(text: str) -> Iterator[_PlacedWord]:
    """Yield the words of a text, and a break where it is framed."""
    bounds = [(0, 0), *(match.span() for match in _FRAME.finditer(text)), (len(text), len(text))]
    for (_, start), (end, _) in pairwise(bounds):
        yield from _split_words(text[start:end], start)
        yield _BREAK


def _list_leads(answer: str, quote: str) -> Iterator[list[str]]:
    """Yield words that answer, alone and before their quote, with a citation between or without."""
    lead = [word.text for word in _split_words(answer)]
    quoted = [word.text for word in _split_words(quote)]
    yield from (lead, [*lead, *quoted], [*lead, _BREAK.text, *quoted]) if lead else ()


def _list_triples(words: Sequence[str]) -> Iterator[_Triple]:
    return zip(words, words[1:], words[2:], strict=False)


def _is_identifier(word: str) -> bool:
    return len(word) >= _SHORTEST and _DIGIT.search(word) is not None


def _join(words: Iterable[str]) -> str:
    return f" {' '.join(words)} "


IsGone = Callable[[str], bool]
_NOTE: Final = "erased since"
_FRONT: Final = "---\n"
_PROSE: Final = frozenset(
    (
        *("text", "message", "reasoning", "resolved_query", "read_as", "prior_findings"),
        *("question", "description", "subtasks", "previous_failure", "notes", "issues", "hints"),
        *("summary", "arguments", "section"),
    )
)
"""The fields of files that may quote what was found."""


@dataclass(frozen=True, slots=True)
class QuotingTurn:
    """A turn that quotes what is gone, in its files.

    Attributes:
        id: of the turn; None where people made something else of its metadata.
        is_gone: tells which thoughts are.
        numbers: the turns that quote it, whose answers this one may quote.
    """

    id: str | None
    vault: Vault
    folder: str
    eraser: QuoteEraser
    is_gone: IsGone
    numbers: frozenset[int]

    def erase_in(self, turn: Turn) -> Turn:
        """Return a turn as it is listed, without what it quotes."""
        query, summary = map(self.eraser.erase, (turn.resolved_query, turn.summary))
        return replace(turn, resolved_query=query, summary=summary)

    def erase_documents(self) -> None:
        """Erase in what was written of the journal."""
        for name in (CONTEXT, RESULTS, TICKET):
            path = f"{self.folder}/{name}"
            text = self.vault.read(path) or ""
            end = text.find(f"\n{_FRONT}") + 1 if text.startswith(_FRONT) else 0
            self._write(path, text, text[:end] + self.eraser.erase(text[end:]))
        for name in (ANALYSIS, METADATA):
            path = f"{self.folder}/{name}"
            text = self.vault.read(path) or ""
            if value := parse_object(text):
                self._write(path, text, format_json(self._erase_object(value)))

    def erase_journal(self) -> None:
        """Erase in the journal; nothing finds the words any more afterwards."""
        path = f"{self.folder}/{JOURNAL}"
        text = self.vault.read(path) or ""
        lines = [value for line in text.split("\n") if (value := parse_object(line))]
        erased = (
            escape_hidden(json.dumps(self._erase_object(each), ensure_ascii=False))
            for each in lines
        )
        self._write(path, text, "".join(f"{line}\n" for line in erased))

    def _write(self, path: str, text: str, changed: str) -> None:
        if changed != text:
            self.vault.write(path, changed)

    def _erase_object(self, value: Mapping[str, Any]) -> dict[str, Any]:
        if "thought_id" in value and "number" in value:
            return dict(value) | self._erase_evidence(value)
        erased = {name: self._erase(each, is_prose=name in _PROSE) for name, each in value.items()}
        if value.get("value") and erased.get("text") != value.get("text"):
            erased["value"] = ""
        return erased

    def _erase(self, value: Any, *, is_prose: bool) -> Any:
        if isinstance(value, str):
            return self.eraser.erase(value) if is_prose else value
        if isinstance(value, list):
            return [self._erase(each, is_prose=is_prose) for each in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        values = cast("dict[str, Any]", value)
        if is_prose:
            return {name: self._erase(each, is_prose=True) for name, each in values.items()}
        return self._erase_object(values)

    def _erase_evidence(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Return what changes in evidence; what others say stays, word for word."""
        thought, replacing = item["thought_id"], item.get("note_of")
        if thought is not None and self.is_gone(thought):
            return {"title": self.eraser.erase(item["title"]), "text": ERASED, "note": _NOTE}
        if replacing is not None and self.is_gone(replacing):
            return {"note": item["note"].partition(": ")[0]}
        if item["kind"] == EvidenceKind.TURN and _find_number(item["link"]) in self.numbers:
            return {
                "title": self.eraser.erase(item["title"]),
                "text": self.eraser.erase(item["text"]),
            }
        return {}


class _Reading(NamedTuple):
    """A turn's findings and what it made of them, as its journal says."""

    evidence: Sequence[Evidence]
    queries: Sequence[str]
    claims: Sequence[Claim]


def find_quoting(vault: Vault, folders: Iterable[str], is_gone: IsGone) -> Iterator[QuotingTurn]:
    """Yield the turns among a user's that quote a thought that is gone, or one that does."""
    readings = {folder: _read(vault, folder) for folder in folders}
    erased = {
        number: words
        for folder, reading in readings.items()
        if (number := read_number(folder)) is not None
        and (words := set(_list_gone(reading.evidence, is_gone)))
    }
    while added := {
        number: words
        for folder, reading in readings.items()
        if (number := read_number(folder)) is not None
        and (words := _list_derived(reading.evidence, erased)) - erased.get(number, set())
    }:
        erased = {
            each: erased.get(each, set()) | added.get(each, set()) for each in {**erased, **added}
        }
    numbers = frozenset(erased)
    for folder, reading in readings.items():
        if (number := read_number(folder)) in erased:
            turn = read_turn(vault, folder, "")
            eraser = _make_eraser(turn, reading, erased[number], is_gone, numbers)
            yield QuotingTurn(turn.id if turn else None, vault, folder, eraser, is_gone, numbers)


def _read(vault: Vault, folder: str) -> _Reading:
    journal = TurnJournal(vault, folder)
    outputs = [entry.output for entry in journal.phases]
    return _Reading(
        journal.list_evidence(),
        [each.original_query for each in outputs if isinstance(each, QueryAnalysis)],
        [
            claim
            for each in outputs
            if isinstance(each, Response | Execution)
            for claim in each.claims
        ],
    )


def _list_gone(evidence: Iterable[Evidence], is_gone: IsGone) -> Iterator[str]:
    """Yield the words of what is gone, as evidence has them."""
    for item in evidence:
        if item.thought_id is not None and is_gone(item.thought_id):
            yield item.text
        if item.note_of is not None and is_gone(item.note_of):
            yield item.note.partition(": ")[2]


def _list_derived(evidence: Iterable[Evidence], erased: Mapping[int, set[str]]) -> set[str]:
    """Return the words that answers of other turns may quote."""
    numbers = [_find_number(item.link) for item in evidence if item.kind is EvidenceKind.TURN]
    return {text for number in numbers if number is not None for text in erased.get(number, ())}


def _make_eraser(
    turn: Turn | None,
    reading: _Reading,
    erased: Iterable[str],
    is_gone: IsGone,
    numbers: frozenset[int],
) -> QuoteEraser:
    gone = [item for item in reading.evidence if item.thought_id and is_gone(item.thought_id)]
    own = {item.number for item in gone} - {0}
    known = [*reading.queries, turn.query if turn else ""]
    for item in reading.evidence:
        known += [item.source, item.link or "", format_day(item.moment or 0.0)]
        is_derived = item.kind is EvidenceKind.TURN and _find_number(item.link) in numbers
        if item not in gone and not is_derived:
            known += [item.title, item.text]
    claims = [claim for claim in reading.claims if claim.evidence in own]
    statements = [claim.text for claim in claims]
    return QuoteEraser(erased, known, statements, [(each.value, each.text) for each in claims])


def _find_number(path: str | None) -> int | None:
    """Return the number of the turn that a file stands in, not in a folder of its own."""
    return read_number(path.rpartition("/")[0]) if path else None
