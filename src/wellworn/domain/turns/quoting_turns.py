"""Turns that quote a thought that is gone, and their files without what they quote.

A mark stands where the words stood. The question, what other sources say and every file stay, so
that whoever erases a note takes nothing else from those who asked. The journal is written last: an
erasure that was interrupted finds its turns again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, cast

from wellworn.domain.turns.context_document import FILE as CONTEXT
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import METADATA, read_turn
from wellworn.domain.turns.journal import FILE as JOURNAL
from wellworn.domain.turns.journal import TurnJournal
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    Execution,
    QueryAnalysis,
    Response,
    Turn,
)
from wellworn.domain.turns.phases.analysis import FILE as ANALYSIS
from wellworn.domain.turns.phases.planning import FILE as TICKET
from wellworn.domain.turns.quote_eraser import ERASED, QuoteEraser
from wellworn.domain.turns.tool_results import FILE as RESULTS
from wellworn.domain.turns.vaults import read_number
from wellworn.domain.turns.webpages import format_json, parse_object
from wellworn.kit.clock import format_day
from wellworn.kit.neutralising import escape_hidden

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
        return {name: self._erase(each, is_prose=name in _PROSE) for name, each in value.items()}

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
    """What the journal of a turn says of what it found and what it made of it."""

    evidence: Sequence[Evidence]
    queries: Sequence[str]
    claims: Sequence[tuple[int | None, str]]


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
            (claim.evidence, claim.text)
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
    statements = [text for number, text in reading.claims if number in own]
    return QuoteEraser(erased, known, statements)


def _find_number(path: str | None) -> int | None:
    """Return the number of the turn that a file stands in, not in a folder of its own."""
    return read_number(path.rpartition("/")[0]) if path else None
