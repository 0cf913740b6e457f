"""Finds the notes of a space that say the same in the same words.

What tells that two may be alike is worked out once for each note, as its words never change; only
those that share it are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Final

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.folding import (
    LONGEST,
    group_alike,
    list_initials,
    normalise_statement,
)
from wellworn.domain.thoughts.store import curation as store
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.curation import Saying
from wellworn.engines.storage.sql import Transaction

_MOST_COMPARED: Final = 20_000
_MOST_KNOWN: Final = 200_000


class AlikeFinder:
    """Finds what says the same, in the spaces of one database."""

    def __init__(self) -> None:
        self._keys = (_Keys(list_initials), _Keys(normalise_statement))

    def find(self, transaction: Transaction, access: Access) -> list[list[Saying]]:
        """Return the newest notes that say the same, by what they say, the newest first."""
        notes = store.list_notes(transaction, access, longest=LONGEST, most=_MOST_COMPARED)
        # The first key is worked out fast, the second of few.
        for keys in self._keys:
            notes = keys.filter_rivals(transaction, notes)
        sayings = store.load_sayings(transaction, access, notes)
        spoken = [(each.content, (each.contributor_id, each.owner)) for each in sayings]
        return [[sayings[place] for place in group] for group in group_alike(spoken)]


class _Keys:
    """What notes that say the same have in common, as numbers by seq."""

    def __init__(self, work_out: Callable[[str], Hashable]) -> None:
        self._work_out = work_out
        self._known: dict[int, int] = {}
        self._guard = Lock()

    def filter_rivals(self, transaction: Transaction, notes: Sequence[int]) -> list[int]:
        """Return the notes that have something in common with another one."""
        known = self._recall(transaction, notes)
        counts = Counter(known[seq] for seq in notes if seq in known)
        return [seq for seq in notes if seq in known and counts[known[seq]] > 1]

    def _recall(self, transaction: Transaction, notes: Sequence[int]) -> Mapping[int, int]:
        known = self._known
        unknown = [seq for seq in notes if seq not in known]
        if unknown:
            contents = rows.load_contents(transaction, unknown)
            found = {seq: hash(self._work_out(content)) for seq, content in contents.items()}
            with self._guard:
                # Not changed in place: others may be reading it.
                kept = self._known if len(self._known) < _MOST_KNOWN else {}
                self._known = {**kept, **found}
            known = {**known, **found}
        return known
