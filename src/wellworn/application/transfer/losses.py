"""Collects what an export or import leaves out: the unreadable, and what no import takes.

One damaged record would else end an export, or the import of all that came with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wellworn.application.transfer.drafts import check_thought
from wellworn.application.transfer.owners import read_mark, read_owner_fields
from wellworn.application.transfer.screening import split_vouched
from wellworn.engines.formats import ThoughtRecord, parse_record
from wellworn.errors import InvalidInput

_LONGEST = 1_000
_NAMES = ("id", "thought_id", "path", "term", "name")


class Losses:
    """Collects what an export leaves out."""

    def __init__(self) -> None:
        self._records: list[dict[str, Any]] = []
        self._ids: set[str] = set()

    def add(self, kind: str, name: str, failure: Exception) -> None:
        """Note what is left out."""
        reason = "cannot be read"
        if isinstance(failure, InvalidInput):
            reason = _explain(failure)
        lost = {"record": "lost", "kind": kind, "id": name[:_LONGEST], "reason": reason}
        self._records.append(lost)
        self._ids.add(name)

    def filter(self, records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the records that an import takes, then a record of each loss."""
        for record in records:
            whole = self.drop_lost_sources(record)
            try:
                self.check(whole)
            except InvalidInput:
                continue
            yield whole
        yield from self._records

    def check(self, record: Mapping[str, Any]) -> None:
        """Check that an import takes a record, and note it as lost if it does not.

        Raises:
            InvalidInput: it does not; the message says why.
        """
        try:
            _check(record)
        except InvalidInput as failure:
            name = next((str(record[key]) for key in _NAMES if key in record), "unknown")
            self.add(str(record.get("record")), name, failure)
            raise InvalidInput(_explain(failure)) from failure

    def drop_lost_sources(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a thought without the sources that are lost, which an import would look for."""
        named = record.get("source_ids", ())
        if record["record"] != "thought" or self._ids.isdisjoint({record.get("id"), *named}):
            return record
        sources = [source for source in named if source not in self._ids]
        if len(sources) < len(named):
            lost = InvalidInput("names a thought that is lost")
            self.add("source_ids", str(record.get("id")), lost)
        return record | {
            "source_ids": sources,
            "thought_type": record.get("thought_type", "original") if sources else "original",
        }


def _explain(refusal: InvalidInput) -> str:
    return refusal.message.removeprefix("line 1: ")


def _check(record: Mapping[str, Any]) -> None:
    """Check that an import takes a record.

    Raises:
        InvalidInput: it does not.
    """
    plain, beside = split_vouched(record)
    parsed = parse_record(plain, 1)
    if isinstance(parsed, ThoughtRecord):
        read_mark(beside, 1)
        check_thought(parsed)
    else:
        read_owner_fields(parsed, beside, 1)
