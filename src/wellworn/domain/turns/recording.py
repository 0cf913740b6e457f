"""Turns that other agents work on themselves: opened, appended to, and closed by their calls.

They leave the documents that our own turns leave. What an agent used and what it answered is stored
as it says; its claims are checked by the rules that check ours, and one without a source is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.turns.answers import TurnAnswer, TurnQuery
from wellworn.domain.turns.briefs import Brief
from wellworn.domain.turns.extractive import checking
from wellworn.domain.turns.flow import PhaseStep
from wellworn.domain.turns.journal import CallEntry, JournalEnd
from wellworn.domain.turns.models import (
    Claim,
    Evidence,
    EvidenceKind,
    Output,
    Phase,
    QueryAnalysis,
    Response,
    ToolCall,
    ToolRequest,
    ToolResult,
    Turn,
    TurnStatus,
    Validation,
    ValidationDecision,
)
from wellworn.domain.turns.phases import coordination
from wellworn.domain.turns.phases.coordination import NOTE
from wellworn.domain.turns.pipeline import complete_document, record_phase
from wellworn.domain.turns.service import Turns
from wellworn.domain.turns.turn_run import TurnRun
from wellworn.engines.safety import redact
from wellworn.errors import InvalidInput
from wellworn.kit.ids import canonical_id

LONGEST_JOURNAL: Final = 16 * 1024 * 1024
"""In characters or bytes: all of it is read to end a turn, and whenever that is read."""
_THOUGHT: Final = "thought:"
_UNCLAIMED: Final = "The answer came without claims, so no source was found to support it"
_ATTEMPT: Final = 1  # What an agent does is planned by nobody here, and so is not retried.


@dataclass(frozen=True, slots=True)
class RecordedSource:
    """Something that a tool found: what it says, and where."""

    text: str
    source: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """An agent's step: a tool that it used, or a note of its own.

    Attributes:
        result: what the tool gave, or the note.
        sources: what can be cited of it; the result itself where none is named.
    """

    result: str
    tool: str = NOTE
    arguments: tuple[tuple[str, str], ...] = ()
    sources: tuple[RecordedSource, ...] = ()
    is_ok: bool = True


class TurnRecorder:
    """Opens, continues and closes the turns of agents that work on their own."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def open(self, access: Access, query: TurnQuery) -> Turn:
        """Begin a turn whose `engine` is the agent; one of the same key is returned as it is.

        Raises:
            TurnNotFound: the turn to go on from is not there.
            StorageUnavailable: it could not be stored.
        """
        turn = self._turns.open(access, query)
        if turn.status is TurnStatus.OPEN:
            with self._turns.reservations.hold(access, turn.id):
                self._begin(access, turn)
        return turn

    def append(
        self,
        access: Access,
        turn_id: str,
        entries: Sequence[RecordedEntry],
        key: str | None = None,
    ) -> list[Evidence]:
        """Keep what an agent did, in its order; return what can be cited of it, by number.

        What was stored under the same key before, also if only in part, is stored once.

        Raises:
            TurnNotFound: there is none, or it is another member's.
            InvalidInput: it is closed, being written to, full, or has other entries under the key.
            StorageUnavailable: it could not be stored.
        """
        turn = self._find_open(access, turn_id)
        with self._turns.reservations.hold(access, turn.id):
            vault, ends = self._turns.vaults.open(access, turn.user_id), self._turns.journal_ends
            end = ends.find(access, turn, vault)
            if end is None:
                end = self._begin(access, turn).journal.find_end()
            keys = [f"{key}/{place}" if key else "" for place in range(len(entries))]
            again = self._find_again(access, turn, key, entries) if end.keys & {*keys} else []
            new = slice(len(again), None)
            calls = _list_calls(turn, entries[new], end, self._turns.clock.now())
            added = [CallEntry(_ATTEMPT, *pair) for pair in zip(calls, keys[new], strict=True)]
            if added and end.size >= LONGEST_JOURNAL:
                message = "the turn is full; close it, and go on in another one that follows it"
                raise InvalidInput(message)
            if added:
                ends.add(access, turn, vault, end, added)
        return [item for call in (*again, *calls) for item in call.result.evidence]

    def _find_again(
        self, access: Access, turn: Turn, key: str | None, entries: Sequence[RecordedEntry]
    ) -> list[ToolCall]:
        """Return what was stored under a key before, the first of the entries."""
        journal = self._turns.open_run(access, turn).journal
        calls = [
            entry.call
            for entry in journal.entries
            if isinstance(entry, CallEntry) and entry.key.rpartition("/")[0] == key
        ]
        same = [_is_same(*pair) for pair in zip(calls, entries, strict=False)]
        if len(same) < len(calls) or not all(same):
            message = "the key of this call was used for other entries; use a new one"
            raise InvalidInput(message)
        return calls

    def close(self, access: Access, turn_id: str, text: str, claims: Sequence[Claim]) -> TurnAnswer:
        """End a turn with its answer, check the claims, and return it as it is read from now on.

        Raises:
            TurnNotFound: there is none, or it is another member's.
            InvalidInput: it is closed, or being written to.
            StorageUnavailable: it could not be stored; close it again.
        """
        turn = self._find_open(access, turn_id)
        with self._turns.reservations.hold(access, turn.id):
            run = self._begin(access, turn)
            sources = checking.read_sources(run.evidence)
            known = tuple(
                _rate_claim(
                    replace(
                        claim,
                        text=redact(claim.text).text,
                        evidence=claim.evidence if claim.evidence in sources else None,
                    ),
                    sources,
                )
                for claim in claims
            )
            if run.list_calls():
                ended = coordination.conclude(run, coordination.DONE)
                _record(run, Phase.COORDINATION, replace(ended, claims=known or ended.claims))
            _record(run, Phase.SYNTHESIS, Response(redact(text).text, known))
            _record(run, Phase.VALIDATION, _judge(run.brief()))
            return self._turns.finish(run)

    def _begin(self, access: Access, turn: Turn) -> TurnRun:
        """Return a turn with its first section, which a killed process may not have written."""
        run = self._turns.open_run(access, turn)
        complete_document(run)
        _record(run, Phase.ANALYSIS, QueryAnalysis.of(turn.query))
        return run

    def _find_open(self, access: Access, turn_id: str) -> Turn:
        turn = self._turns.get(access, turn_id, is_written=True)
        if turn.status is not TurnStatus.OPEN:
            message = (
                f"the turn is {turn.status.value}; only one that its agent opened is written to"
            )
            raise InvalidInput(message)
        return turn


def _rate_claim(claim: Claim, sources: checking.Sources) -> Claim:
    """Return a claim with no confidence in it where its source does not say it."""
    is_supported = checking.is_supported(claim, sources)
    return claim if is_supported else replace(claim, confidence=0.0)


def _judge(brief: Brief) -> Validation:
    """Return what the rules find; what does not pass fails, as nobody here writes it again."""
    validation, response = checking.validate(brief), brief.response or Response("")
    if validation.decision is ValidationDecision.APPROVE:
        return validation
    missing = {checking.name_missing(goal.goal) for goal in validation.goals}
    goals = tuple(
        goal if response.claims else replace(goal, notes=_UNCLAIMED) for goal in validation.goals
    )
    return replace(
        validation,
        decision=ValidationDecision.FAIL,
        issues=tuple(each for each in validation.issues if each not in missing) or (_UNCLAIMED,),
        hints=(),
        goals=goals,
    )


def _record(run: TurnRun, phase: Phase, output: Output) -> None:
    """Keep what a phase gave, once."""
    if all(entry.phase is not phase for entry in run.journal.phases):
        record_phase(run, PhaseStep(phase), output)


def _is_same(call: ToolCall, entry: RecordedEntry) -> bool:
    """Tell whether a call is what was stored of an entry."""
    result = redact(entry.result).text
    return (call.request.tool, call.result.message) == (_name_tool(entry), result)


def _name_tool(entry: RecordedEntry) -> str:
    return redact(entry.tool).text.replace("`", "'")


def _list_calls(
    turn: Turn, entries: Sequence[RecordedEntry], end: JournalEnd, moment: float
) -> list[ToolCall]:
    """Return entries as the calls that follow the end of a turn's journal."""
    calls: list[ToolCall] = []
    first = end.evidence + 1
    for place, entry in enumerate(entries, end.calls + 1):
        sources = entry.sources or _cite_result(turn, entry)
        evidence = tuple(_to_evidence(each, number) for number, each in enumerate(sources, first))
        first += len(evidence)
        arguments = {redact(name).text: redact(value).text for name, value in entry.arguments}
        call = ToolCall(
            iteration=place,
            request=ToolRequest(_name_tool(entry), arguments),
            result=ToolResult(redact(entry.result).text, evidence, is_ok=entry.is_ok),
            started_at=moment,
            duration_ms=0.0,
        )
        calls.append(call)
    return calls


def _cite_result(turn: Turn, entry: RecordedEntry) -> tuple[RecordedSource, ...]:
    """Return what a tool said as a source; an agent's own note is none."""
    if entry.tool == NOTE or not entry.is_ok or not entry.result.strip():
        return ()
    place = f"{turn.folder}/{coordination.FILE}"
    return (RecordedSource(entry.result, place, _name_tool(entry)),)


def _to_evidence(source: RecordedSource, number: int) -> Evidence:
    thought_id = canonical_id(source.source.removeprefix(_THOUGHT))
    is_thought = source.source.startswith(_THOUGHT) and thought_id is not None
    return Evidence(
        number,
        EvidenceKind.THOUGHT if is_thought else EvidenceKind.TOOL,
        redact(source.title or source.source).text,
        redact(source.text).text,
        redact(source.source).text,
        thought_id=thought_id if is_thought else None,
        relevance=1.0,
    )
