"""Tells what an import stored, and how far that has come since."""

from __future__ import annotations

from dataclasses import dataclass

from wellworn.application.calls.pool import SpacePool
from wellworn.application.transfer import Taken
from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import FindableThoughts


@dataclass(frozen=True, slots=True)
class Import:
    """An import that is stored; `access` is that of its call, with the role proven there."""

    taken: Taken
    access: Access
    pool: SpacePool

    def count_findable(self) -> FindableThoughts:
        """Count the thoughts among the records by what finds them now.

        It may be asked again and again: the trail has one line for all of it.
        """
        with self.pool.use(self.access) as (services, inside):
            return services.thoughts.progress.count_findable(inside, self.taken.thoughts)
