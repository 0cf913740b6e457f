"""Paths that are safe to store and to display.

A secret in a file name is as sensitive as one in the text, and a name can contain terminal control
sequences. So only reading uses the original names; all other code sees clean ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wellworn.domain.sources.connectors import (
    READABLE,
    Listing,
    ListingFailed,
    NotModified,
    SourceItem,
    SourceSnapshot,
)
from wellworn.domain.sources.models import Problem
from wellworn.engines.safety import redact

_NAMESAKE = "its name differs from another's only by what cannot be shown of it; rename the file"
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class SafeSnapshot:
    """A snapshot that lists the items of another one under clean paths."""

    def __init__(self, snapshot: SourceSnapshot) -> None:
        self._snapshot = snapshot
        self._originals: dict[str, SourceItem] = {}

    def list_items(self) -> Listing | NotModified | ListingFailed:
        """List the items; of several files with the same clean path, only the first."""
        listing = self._snapshot.list_items()
        if not isinstance(listing, Listing):
            return listing
        problems = [
            Problem(clean_path(problem.path), problem.reason) for problem in listing.problems
        ]
        for item in listing.items:
            path = clean_path(item.path)
            if self._originals.setdefault(path, item) is not item:
                problems.append(Problem(path, _NAMESAKE))
        items = tuple(replace(item, path=path) for path, item in self._originals.items())
        return replace(listing, items=items, problems=tuple(problems))

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        """Yield items under their clean paths with their bytes."""
        by_name = {self._originals[item.path].path: item for item in items}
        originals = [self._originals[item.path] for item in items]
        for original, raw in self._snapshot.read(originals):
            item = by_name[original.path]
            is_problem = isinstance(raw, Problem)
            yield item, Problem(item.path, raw.reason) if is_problem else raw


def clean_path(path: str) -> str:
    """Return a path on one line without secrets; a document's extension is preserved."""
    plain = _UNSEEN.sub(_escape, redact(path).text)
    ending = next((suffix for suffix in READABLE if path.casefold().endswith(suffix)), "")
    return plain if plain.casefold().endswith(ending) else f"{plain}{ending}"


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
