"""Thought records made ready to be stored: named, checked, and put after their sources; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wellworn.domain.thoughts import ThoughtDraft, ThoughtKind, ThoughtStatus, ThoughtType
from wellworn.domain.thoughts.store import (
    Speaker,
    content_key,
    is_of_speaker,
    own_content_key,
)
from wellworn.engines.formats import ThoughtRecord
from wellworn.errors import InvalidInput
from wellworn.kit.clock import from_iso
from wellworn.kit.ids import derive_id


@dataclass(frozen=True, slots=True)
class Arrival:
    """A thought on its way in.

    Attributes:
        key: what arrivals of the same content share.
        erased_at: None while it has words.
        is_foreign: it has no id from a memory like this, which would send its links with it.
        is_of_speaker: it is in the first person.
    """

    line: int
    draft: ThoughtDraft
    key: str
    erased_at: float | None
    mark: ThoughtStatus
    is_foreign: bool = False
    is_of_speaker: bool = False

    @property
    def id(self) -> str:
        return str(self.draft.thought_id)

    @property
    def speaker(self) -> Speaker:
        return self.draft.contributor_id, self.mark.owner

    def with_own_key(self) -> Arrival:
        """Return it with the key of what its speaker alone says, if it is in the first person."""
        if not self.is_of_speaker:
            return self
        return replace(self, key=own_content_key(self.draft, self.mark.owner))


def read_arrival(record: ThoughtRecord, line: int, *, mark: ThoughtStatus, now: float) -> Arrival:
    """Return the record as a checked draft with an id and a time.

    Raises:
        InvalidInput, MissingSources: the thought cannot be stored; the message names the line.
    """
    draft = _to_draft(record, now)
    if record.erased_at is not None:
        _check_erased(draft, line)
        return Arrival(line, draft, "", from_iso(record.erased_at), mark)
    draft, is_foreign = _validate(draft, line), record.id is None
    key, is_own = content_key(draft), is_of_speaker(draft)
    return Arrival(line, draft, key, None, mark, is_foreign=is_foreign, is_of_speaker=is_own)


def check_thought(record: ThoughtRecord) -> None:
    """Check that `read_arrival` takes a record in which there is no secret.

    Raises:
        InvalidInput, MissingSources: it does not.
    """
    draft = _to_draft(record, 0.0)
    if record.erased_at is not None:
        _check_erased(draft, 1)
    else:
        draft.check()


def _check_erased(draft: ThoughtDraft, line: int) -> None:
    if draft.content or draft.tags or draft.context_metadata:
        raise InvalidInput(f"line {line}: an erased thought has no content, tags or context")


def _to_draft(record: ThoughtRecord, now: float) -> ThoughtDraft:
    return ThoughtDraft(
        content=record.content,
        contributor_id=record.contributor_id,
        contributor_name=record.contributor_name,
        thought_type=ThoughtType(record.thought_type),
        source_ids=tuple(record.source_ids),
        tags=tuple(record.tags),
        context_metadata=record.context_metadata,
        kind=ThoughtKind(record.kind),
        session=record.session,
        position=record.position,
        created_at=now if record.created_at is None else from_iso(record.created_at),
        thought_id=record.id or _derive_thought_id(record),
    )


def _derive_thought_id(record: ThoughtRecord) -> str:
    """Return the id that the same words at the same place always get."""
    place = () if record.kind == "thought" else (record.session or "", str(record.position))
    return derive_id(record.kind, *place, record.contributor_id, record.content)


def _validate(draft: ThoughtDraft, line: int) -> ThoughtDraft:
    try:
        # The record was screened.
        clean = draft.validate_redacted()
    except InvalidInput as error:
        raise type(error)(f"line {line}: {error.message}") from error
    # Tags that this memory wrote are clean, and stay as they are to the last character.
    untouched = len(clean.tags) == len(draft.tags) and all(
        " ".join(tag.split()) == tag for tag in draft.tags
    )
    return draft if untouched else clean


def sort_by_sources(arrivals: Sequence[Arrival], aliases: Mapping[str, str]) -> list[Arrival]:
    """Return the arrivals with each behind its sources, else in their order.

    `aliases` gives the id under which the words of a passed-over thought are known.

    Raises:
        InvalidInput: thoughts are each other's sources.
    """
    waiting = {
        arrival.id: _rename_sources(arrival, aliases) if arrival.draft.source_ids else arrival
        for arrival in arrivals
    }
    done: dict[str, Arrival] = {}
    for start in waiting:
        _settle(start, waiting, done)
    return list(done.values())


def _settle(start: str, waiting: Mapping[str, Arrival], done: dict[str, Arrival]) -> None:
    open_ids = [start]
    path: set[str] = set()
    while open_ids:
        here = open_ids[-1]
        missing = [] if here in done else _missing(waiting[here], waiting, done)
        if path.intersection(missing) or here in missing:
            raise InvalidInput(f"line {waiting[here].line}: source_ids must not form a circle")
        if missing:
            path.add(here)
            open_ids.append(missing[0])
            continue
        done.setdefault(here, waiting[here])
        path.discard(here)
        open_ids.pop()


def _missing(
    arrival: Arrival, waiting: Mapping[str, Arrival], done: Mapping[str, Arrival]
) -> list[str]:
    return [
        source for source in arrival.draft.source_ids if source in waiting and source not in done
    ]


def _rename_sources(arrival: Arrival, aliases: Mapping[str, str]) -> Arrival:
    sources = tuple(aliases.get(source, source) for source in arrival.draft.source_ids)
    return replace(arrival, draft=replace(arrival.draft, source_ids=sources))


def outside(arrivals: Iterable[Arrival]) -> dict[str, int]:
    """Return the sources that the arrivals do not bring themselves, each with the line of one."""
    brought: set[str] = set()
    wanted: dict[str, int] = {}
    for arrival in arrivals:
        brought.add(arrival.id)
        for source in arrival.draft.source_ids:
            wanted.setdefault(source, arrival.line)
    return {source: line for source, line in wanted.items() if source not in brought}
