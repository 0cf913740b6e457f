"""Outlines an import: what its records are, by whom and of when, and how it is taken back."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wellworn.interfaces.cli.output import format_minute, print_table, say
from wellworn.kit.clock import SystemClock, to_iso

_MOST_SHOWN: Final = 8
_HISTORY: Final = frozenset({"replacement", "end"})


class ImportOutline:
    """Counts records as they pass."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._record_kinds: set[str] = set()
        self._authors: Counter[str] = Counter()
        self._tags: Counter[str] = Counter()
        self._first = self._last = ""

    def follow(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Yield the records and count each."""
        for record in records:
            is_thought = record["record"] == "thought"
            self._record_kinds.add(record["record"])
            self._kinds[record.get("kind", "thought") if is_thought else record["record"]] += 1
            if is_thought:
                self._authors[record["contributor_id"]] += 1
                self._tags.update(record.get("tags") or ())
            if is_thought and (said_at := record.get("created_at")):
                self._first = min(self._first or said_at, said_at)
                self._last = max(self._last, said_at)
            yield record

    @property
    def kinds(self) -> list[str]:
        """The kinds of the records, as their format names them."""
        return sorted(self._record_kinds)

    @property
    def has_history(self) -> bool:
        """Whether some of the records say what was replaced or has ended."""
        return not self._record_kinds.isdisjoint(_HISTORY)

    def to_json(self) -> dict[str, Any]:
        """Return the counts by kind, author and tag, and the first and last time."""
        return {
            "records": dict(self._kinds),
            "authors": dict(self._authors.most_common()),
            "tags": dict(self._tags.most_common()),
            "from": self._first or None,
            "to": self._last or None,
        }

    def print(self, kind: str) -> None:
        """Print the counts for people."""
        dates = [format_minute(time) for time in (self._first, self._last) if time]
        counts = {f"{name}s": str(count) for name, count in self._kinds.items()}
        say(f"{kind}: would import")
        print_table(
            counts
            | {"said": " to ".join(dict.fromkeys(dates))}
            | {"authors": _list_most(self._authors), "tags": _list_most(self._tags)}
        )

    def list_undo(self, space: str, since: float) -> list[str]:
        """Return the commands that take an import back which began at a moment."""
        where = space or "ks-default"
        return [
            shlex.join(("wellworn", "space", "rollback", where, author, "--since", to_iso(since)))
            for author in self._authors
        ]


def _list_most(counts: Counter[str]) -> str:
    most = [f"{name} ({count})" for name, count in counts.most_common(_MOST_SHOWN)]
    more = len(counts) - len(most)
    return ", ".join(most) + (f" and {more} more" if more else "")


def drop_history(records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield records without what is replaced or over, and without what says so."""
    every, now = list(records), SystemClock().now()
    gone = {record["replaced_id"] for record in every if record["record"] == "replacement"}
    gone |= {
        record["thought_id"]
        for record in every
        if record["record"] == "end" and (record["expires_at"] or now) <= now
    }
    for record in every:
        if record["record"] not in _HISTORY and record.get("id") not in gone:
            yield record
