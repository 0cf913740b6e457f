"""The journal of a turn: one line for what each phase decided and for each tool call.

A line is on the disk before what follows from it. A killed turn goes on from its journal: what is
written there is not decided, called or appended again. A line that was torn by the end of a
process does not count.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from wellworn.domain.spaces import Access
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.models import (
    Evidence,
    Execution,
    GatheredContext,
    Output,
    Phase,
    QueryAnalysis,
    Reflection,
    Response,
    TaskPlan,
    ToolCall,
    Turn,
    Validation,
)
from wellworn.kit.neutralising import escape_hidden

FILE = "journal.jsonl"
_MOST_KNOWN: Final = 64
_TYPES: dict[Phase, TypeAdapter[Any]] = {
    Phase.ANALYSIS: TypeAdapter(QueryAnalysis),
    Phase.REFLECTION: TypeAdapter(Reflection),
    Phase.GATHERING: TypeAdapter(GatheredContext),
    Phase.PLANNING: TypeAdapter(TaskPlan),
    Phase.COORDINATION: TypeAdapter(Execution),
    Phase.SYNTHESIS: TypeAdapter(Response),
    Phase.VALIDATION: TypeAdapter(Validation),
}
_CALL: TypeAdapter[ToolCall] = TypeAdapter(ToolCall)


@dataclass(frozen=True, slots=True)
class PhaseEntry:
    """A finished phase: what it decided, and the section that says so, as it was written."""

    phase: Phase
    attempt: int
    output: Output
    section: str
    duration_ms: float


@dataclass(frozen=True, slots=True)
class CallEntry:
    """A tool call of an attempt; under `key` its caller stored it, and stores it once.

    Right after an entry of the same key, it takes its place.
    """

    attempt: int
    call: ToolCall
    key: str = ""


Entry = PhaseEntry | CallEntry


@dataclass(frozen=True, slots=True)
class JournalEnd:
    """The end of a journal: its size in its vault, and what was counted up to there.

    Attributes:
        keys: of the calls that have one; shared by the ends of one journal.
    """

    size: int
    calls: int
    evidence: int
    is_torn: bool = False
    keys: set[str] = field(default_factory=set[str])


class TurnJournal:
    """The entries of one turn, oldest first, and the file that holds them."""

    def __init__(self, vault: Vault, folder: str) -> None:
        self._vault = vault
        self._path = f"{folder}/{FILE}"
        text = vault.read(self._path) or ""
        self.entries: list[Entry] = []
        for entry in _read_entries(text):
            self._place(entry)
        self._is_torn = bool(text) and not text.endswith("\n")

    def add(self, entry: Entry) -> None:
        """Keep an entry.

        Raises:
            StorageUnavailable: it could not be stored.
        """
        is_torn, self._is_torn = self._is_torn, False
        self._vault.append(self._path, _format_lines([entry], is_torn=is_torn))
        self._place(entry)

    def _place(self, entry: Entry) -> None:
        if self.entries and _is_end_of(self.entries[-1], entry):
            self.entries.pop()
        self.entries.append(entry)

    def find_end(self) -> JournalEnd:
        """Return where the journal ends now."""
        size, evidence = self._vault.measure(self._path), self.list_evidence()
        calls = sum(isinstance(entry, CallEntry) for entry in self.entries)
        keys = {entry.key for entry in self.entries if isinstance(entry, CallEntry) and entry.key}
        return JournalEnd(size or 0, calls, len(evidence), self._is_torn, keys)

    @property
    def phases(self) -> list[PhaseEntry]:
        return [entry for entry in self.entries if isinstance(entry, PhaseEntry)]

    def list_evidence(self) -> list[Evidence]:
        """Return everything that was found, by number."""
        item: list[Evidence] = []
        for entry in self.entries:
            if isinstance(entry, CallEntry):
                item += entry.call.result.evidence
            elif isinstance(entry.output, GatheredContext):
                item += entry.output.evidence
        return item

    def list_calls(self, attempt: int) -> list[ToolCall]:
        """Return the tool calls of an attempt."""
        return [
            entry.call
            for entry in self.entries
            if isinstance(entry, CallEntry) and entry.attempt == attempt
        ]


def _is_end_of(begun: Entry, entry: Entry) -> bool:
    """Tell whether an entry is what a call gave that was stored before it was made."""
    if not (isinstance(begun, CallEntry) and isinstance(entry, CallEntry)):
        return False
    return entry.key != "" and entry.key == begun.key


class JournalEnds:
    """The ends of journals that were added to last, so that adding reads none of them again."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], JournalEnd] = {}
        self._lock = Lock()

    def find(self, access: Access, turn: Turn, vault: Vault) -> JournalEnd | None:
        """Return where a turn's journal ends; None where nobody knows, or its file was changed."""
        with self._lock:
            end = self._known.get((access.space, turn.id))
        return end if end and end.size == vault.measure(f"{turn.folder}/{FILE}") else None

    def add(
        self,
        access: Access,
        turn: Turn,
        vault: Vault,
        end: JournalEnd,
        entries: Sequence[CallEntry],
    ) -> None:
        """Keep entries after the end of a turn's journal.

        Raises:
            StorageUnavailable: they could not be stored.
        """
        path, key = f"{turn.folder}/{FILE}", (access.space, turn.id)
        vault.append(path, _format_lines(entries, is_torn=end.is_torn))
        evidence = sum(len(entry.call.result.evidence) for entry in entries)
        end.keys.update(entry.key for entry in entries if entry.key)
        moved = JournalEnd(
            vault.measure(path) or 0,
            end.calls + len(entries),
            end.evidence + evidence,
            keys=end.keys,
        )
        with self._lock:
            self._known.pop(key, None)
            self._known[key] = moved
            if len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]


def _format_lines(entries: Sequence[Entry], *, is_torn: bool) -> str:
    # A torn line is ended first, so that it never swallows the next one.
    start = "\n" if is_torn else ""
    return start + "".join(f"{_write_entry(entry)}\n" for entry in entries)


def _write_entry(entry: Entry) -> str:
    if isinstance(entry, CallEntry):
        written: dict[str, Any] = {"call": _CALL.dump_python(entry.call, mode="json")}
        written |= {"key": entry.key} if entry.key else {}
    else:
        written = {
            "phase": entry.phase.value,
            "output": _TYPES[entry.phase].dump_python(entry.output, mode="json"),
            "section": entry.section,
            "duration_ms": entry.duration_ms,
        }
    return escape_hidden(json.dumps(written | {"attempt": entry.attempt}, ensure_ascii=False))


def _read_entries(text: str) -> Iterator[Entry]:
    # Not `splitlines`, which also divides at characters that JSON leaves as they are.
    for line in text.split("\n"):
        try:
            yield _read_entry(json.loads(line))
        except (ValueError, KeyError, TypeError, ValidationError):
            continue


def _read_entry(written: dict[str, Any]) -> Entry:
    if "call" in written:
        call = _CALL.validate_python(written["call"])
        return CallEntry(written["attempt"], call, str(written.get("key", "")))
    phase = Phase(written["phase"])
    return PhaseEntry(
        phase,
        written["attempt"],
        _TYPES[phase].validate_python(written["output"]),
        written["section"],
        written["duration_ms"],
    )
