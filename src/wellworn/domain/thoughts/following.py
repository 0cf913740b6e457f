"""Holds what a searcher of thoughts has in memory, and lets a second searcher follow it.

Beside the index and the database a search depends on cached units and on the weights of a space.
Another process searches as this one does if it is told of whatever changes of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wellworn.domain.thoughts.store import features
from wellworn.domain.thoughts.unit_cache import CACHED_UNITS, UnitCache
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.retrieval import Unit
from wellworn.engines.retrieval.learning import Policy
from wellworn.engines.storage.sql import Database

_WARMED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class SearcherChange:
    """A change of a searcher's state.

    Attributes:
        deleted: the seqs of deleted thoughts.
        replaced: units of thoughts that have been embedded, with their spaces.
        policies: the weights that rank a space from now on.
        trials: the weights that are tried beside them from now on; None where none are any more.
    """

    deleted: Sequence[int] = ()
    replaced: Sequence[tuple[str, Unit]] = ()
    policies: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    trials: Mapping[str, Policy | None] = field(default_factory=dict[str, Policy | None])


class SearcherState:
    """The cached units and the policies of one searcher."""

    def __init__(self) -> None:
        self.units = UnitCache()
        self.policies: dict[str, Policy] = {}
        self.trials: dict[str, Policy | None] = {}
        self._followers: tuple[Callable[[SearcherChange], None], ...] = ()

    def change(self, change: SearcherChange) -> None:
        """Apply a change, here and where it is followed."""
        self.units.discard(change.deleted)
        for space, unit in change.replaced:
            self.units.replace(space, unit)
        self.policies |= change.policies
        self.trials |= change.trials
        for tell in self._followers:
            tell(change)

    def set_policy(self, space: str, policy: Policy, trial: Policy | None = None) -> None:
        """Set the weights that rank a space from now on, and those that are tried beside them."""
        self.change(SearcherChange(policies={space: policy}, trials={space: trial}))

    def forget(self, seqs: Iterable[int]) -> None:
        """Remove deleted thoughts from the cache."""
        self.change(SearcherChange(deleted=[*seqs]))

    def follow(self, tell: Callable[[SearcherChange], None]) -> None:
        """Tell of the policies as they are, and of every change from here on."""
        self._followers = (*self._followers, tell)
        tell(SearcherChange(policies={**self.policies}, trials={**self.trials}))

    def unfollow(self, tell: Callable[[SearcherChange], None]) -> None:
        """Tell of changes no more."""
        self._followers = tuple(other for other in self._followers if other != tell)


class CacheWarmer:
    """Reads ranking units of all spaces into a cache, before a search needs them.

    Without it a search takes 3 ms longer.
    """

    def __init__(self, database: Database, state: SearcherState, versions: FeatureVersions) -> None:
        self._database = database
        self._state = state
        self._versions = versions
        self._warmed_to: int | None = None

    def warm(self) -> None:
        """Cache what was stored since the last call; at first takes some seconds for 100,000.

        Raises:
            StorageUnavailable: the database failed.
        """
        while True:
            with self._database.read() as transaction:
                if self._warmed_to is None:
                    self._warmed_to = max(0, features.find_newest(transaction) - CACHED_UNITS)
                page = features.load_next_units(
                    transaction, self._warmed_to, version=self._versions.whole, most=_WARMED_AT_ONCE
                )
            for space, unit in page:
                self._state.units.put(space, [unit])
            if not page:
                return
            self._warmed_to = page[-1][1].id

    def refresh(self, seqs: Sequence[int]) -> None:
        """Cache what is new of thoughts that have been embedded.

        Raises:
            StorageUnavailable: the database failed.
        """
        with self._database.read() as transaction:
            units = features.load_units_of_all_spaces(
                transaction, seqs, versions=self._versions.usable
            )
        self._state.change(SearcherChange(replaced=units))
