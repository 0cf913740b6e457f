"""What a source lists, under names that are safe to keep.

A secret in the name of a file is as secret as one in its text, and a name can steer the terminal
that it is shown in. So nothing behind a visit ever sees the name as it was; only reading goes by
it.

Source: issue 5, point 3; knowledge design, decision 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wellworn.domain.sources.connectors import READABLE, Item, Listing, Same, Setback, Visit
from wellworn.domain.sources.models import Problem
from wellworn.engines.safety import redacted

_NAMESAKE = "its name differs from another's only by what cannot be shown of it; rename the file"
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class CleanVisit:
    """Fills the port of a visit over another one, with paths without secrets."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._given: dict[str, Item] = {}

    def listing(self) -> Listing | Same | Setback:
        """Return what there is; of files whose clean names are one, the first only."""
        found = self._visit.listing()
        if not isinstance(found, Listing):
            return found
        problems = [Problem(clean(one.path), one.reason) for one in found.problems]
        for item in found.items:
            path = clean(item.path)
            if self._given.setdefault(path, item) is not item:
                problems.append(Problem(path, _NAMESAKE))
        items = tuple(replace(item, path=path) for path, item in self._given.items())
        return replace(found, items=items, problems=tuple(problems))

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        """Yield items under their clean names with what they hold."""
        by_name = {self._given[item.path].path: item for item in items}
        given = [self._given[item.path] for item in items]
        for one, raw in self._visit.read(given):
            item = by_name[one.path]
            is_problem = isinstance(raw, Problem)
            yield item, Problem(item.path, raw.reason) if is_problem else raw


def clean(path: str) -> str:
    """Return a path without the secrets in it, on one line; it ends as files of its kind do."""
    plain = _UNSEEN.sub(_escaped, redacted(path).text)
    ending = next((one for one in READABLE if path.casefold().endswith(one)), "")
    return plain if plain.casefold().endswith(ending) else f"{plain}{ending}"


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
