"""The journal of a turn: one line for what each phase decided and for each tool call.

A line is on the disk before what follows from it. A killed turn goes on from its journal: what is
written there is not decided, called or appended again. A line that was torn by the end of a
process does not count.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

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
    Validation,
)

FILE = "journal.jsonl"
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
    """A tool call of an attempt."""

    attempt: int
    call: ToolCall


Entry = PhaseEntry | CallEntry


class TurnJournal:
    """The entries of one turn, oldest first, and the file that they are kept in."""

    def __init__(self, vault: Vault, folder: str) -> None:
        self._vault = vault
        self._path = f"{folder}/{FILE}"
        text = vault.read(self._path) or ""
        self.entries: list[Entry] = list(_read_entries(text))
        self._is_torn = bool(text) and not text.endswith("\n")

    def add(self, entry: Entry) -> None:
        """Keep an entry.

        Raises:
            StorageUnavailable: it could not be kept.
        """
        # A torn line is ended first, so that it never swallows the next one.
        start, self._is_torn = ("\n" if self._is_torn else ""), False
        self._vault.append(self._path, f"{start}{_write_entry(entry)}\n")
        self.entries.append(entry)

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


def _write_entry(entry: Entry) -> str:
    if isinstance(entry, CallEntry):
        written: dict[str, Any] = {"call": _CALL.dump_python(entry.call, mode="json")}
    else:
        written = {
            "phase": entry.phase.value,
            "output": _TYPES[entry.phase].dump_python(entry.output, mode="json"),
            "section": entry.section,
            "duration_ms": entry.duration_ms,
        }
    return json.dumps(written | {"attempt": entry.attempt}, ensure_ascii=False)


def _read_entries(text: str) -> Iterator[Entry]:
    # Not `splitlines`, which also divides at characters that JSON leaves as they are.
    for line in text.split("\n"):
        try:
            yield _read_entry(json.loads(line))
        except (ValueError, KeyError, TypeError, ValidationError):
            continue


def _read_entry(written: dict[str, Any]) -> Entry:
    if "call" in written:
        return CallEntry(written["attempt"], _CALL.validate_python(written["call"]))
    phase = Phase(written["phase"])
    return PhaseEntry(
        phase,
        written["attempt"],
        _TYPES[phase].validate_python(written["output"]),
        written["section"],
        written["duration_ms"],
    )
