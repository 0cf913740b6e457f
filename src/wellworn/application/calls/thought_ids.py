"""Ids of thoughts in short, as git shows its commits, where agents read: over MCP.

A whole id is sixteen tokens or more. What programs read has whole ids. Agents and people may give
the beginning of an id in its place, which is completed here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial

from wellworn.application.calls.pool import SpacePool
from wellworn.domain.spaces import Access
from wellworn.errors import InvalidInput
from wellworn.kit.ids import canonical_id, validate_beginning

_SHORT = 8
_MOST_NAMED = 20
_THOUGHT = "thought:"


class ThoughtIds:
    """Beginnings of ids, unique in what a caller reads: a space, and the shared one of a project.

    Nothing is written down, as the call is that an id is for.
    """

    def __init__(self, pool: SpacePool) -> None:
        self._pool = pool

    def complete(self, access: Access, beginning: str) -> str:
        """Return the id that begins so; what begins none as it is, for the call to refuse.

        Raises:
            InvalidInput: several ids begin so.
        """
        if canonical_id(beginning):
            return beginning
        with self._open(access) as find:
            ids = find(beginning, limit=_MOST_NAMED)
        if len(ids) > 1:
            message = f"the ids of several thoughts begin so, give one whole: {', '.join(ids)}"
            raise InvalidInput(message)
        return ids[0] if ids else beginning

    def complete_place(self, access: Access, place: str) -> str:
        """Return a place with its id whole if it is a thought: an id, or `thought:` and an id.

        Raises:
            InvalidInput: several ids begin so.
        """
        kind = _THOUGHT if place.startswith(_THOUGHT) else ""
        try:
            return kind + self.complete(access, validate_beginning(place.removeprefix(kind)))
        except ValueError:
            return place

    def shorten(self, access: Access, thought_ids: Iterable[str]) -> dict[str, str]:
        """Return by id what shows it: its first 8 characters, the whole where others begin so."""
        with self._open(access) as find:
            return {
                whole: whole if len(find(whole[:_SHORT], limit=2)) > 1 else whole[:_SHORT]
                for whole in thought_ids
            }

    def shorten_places(self, access: Access, places: Iterable[str]) -> dict[str, str]:
        """Return by place what shows it, where it is a thought: its id, with `thought:` or not."""
        ids = {place: place.removeprefix(_THOUGHT) for place in places}
        thoughts = {place: whole for place, whole in ids.items() if canonical_id(whole)}
        names = self.shorten(access, set(thoughts.values()))
        return {
            place: place.removesuffix(whole) + names[whole] for place, whole in thoughts.items()
        }

    @contextmanager
    def _open(self, access: Access) -> Generator[Callable[..., list[str]]]:
        services, access = self._pool.enter(access)
        try:
            yield partial(services.thoughts.searcher.find_ids, access)
        finally:
            self._pool.leave(access)
