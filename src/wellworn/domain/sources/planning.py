"""Plans a sync from the listing and the known documents; pure.

Everything is keyed by document, never by content: of two documents with equal text one may go.
Absent is not deleted: a listing that is not complete removes nothing, and when much is missing at
once, somebody is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from wellworn.domain.sources.connectors import Listing, SourceItem


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A stored document as a sync needs to know it.

    Attributes:
        version: of its text, as its source names it.
        is_readable: whether it has text; one that was refused from the first has none.
        is_gone: whether it has vanished and could come back.
        reason: why it was refused, or is not known to be as it is in its source.
        refused_version: the version that could not be read, if the last one could not.
        refused_by: what refused that version for what it is, if anything did.
    """

    id: int
    path: str
    version: str
    raw_hash: str
    maker: int
    is_readable: bool = True
    is_gone: bool = False
    reason: str = ""
    refused_version: str | None = None
    refused_by: int | None = None

    @property
    def is_refused(self) -> bool:
        """Tell whether it cannot be read as its source gives it, whether or not it has text."""
        return not self.is_readable or self.refused_by is not None

    @property
    def is_served(self) -> bool:
        """Tell whether it is readable and present."""
        return self.is_readable and not self.is_gone

    def is_made_by(self, maker: int | None, refuser: int | None) -> bool:
        """Tell whether its text is by this maker, or it was refused by this refuser."""
        if self.refused_by is not None:
            return self.refused_by == refuser
        return self.is_readable and self.maker == maker

    def is_listed_as(self, version: str) -> bool:
        """Tell whether it is there in the version that was read or refused last."""
        last = self.version if self.refused_by is None else self.refused_version
        return not self.is_gone and last == version


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a sync.

    Attributes:
        read: items whose content may be new.
        unchanged: documents that are as they were, those that were refused included.
        moved: the new item of a document that only changed its path.
        missing: documents that are not listed.
    """

    read: tuple[SourceItem, ...]
    unchanged: tuple[int, ...]
    moved: Mapping[int, SourceItem]
    missing: tuple[int, ...]


def plan_sync(
    listing: Listing,
    known: Sequence[KnownDocument],
    *,
    maker: int | None,
    refuser: int | None = None,
) -> Plan:
    """Compare a listing with the documents of a source.

    Args:
        listing: what the source has.
        known: what was there before.
        maker: what makes texts; what another one made is read again, and with None everything.
        refuser: what refuses; what another one refused is read again, and with None everything.
    """
    by_path = {document.path: document for document in known}
    listed = {item.path for item in listing.items}
    unchanged: list[int] = []
    unknown: list[SourceItem] = []
    for item in listing.items:
        match = by_path.get(item.path)
        is_there = match is not None and match.is_listed_as(item.version)
        if match is not None and is_there and match.is_made_by(maker, refuser):
            unchanged.append(match.id)
        else:
            unknown.append(item)
    # Of what an incomplete listing leaves out nobody knows whether it is missing, or has moved.
    missing = [
        document
        for document in known
        if listing.is_complete and document.path not in listed and not document.is_gone
    ]
    moved = _match_moves(unknown, missing, by_path.keys(), maker)
    places = {item.path for item in moved.values()}
    return Plan(
        read=tuple(item for item in unknown if item.path not in places),
        unchanged=tuple(unchanged),
        moved=moved,
        missing=tuple(document.id for document in missing if document.id not in moved),
    )


def _match_moves(
    unknown: Sequence[SourceItem],
    missing: Sequence[KnownDocument],
    taken: Collection[str],
    maker: int | None,
) -> dict[int, SourceItem]:
    """Return the new item of each missing document whose exact content is at an unknown path."""
    orphaned: dict[str, list[int]] = defaultdict(list)
    for document in missing:
        if document.maker == maker and document.is_readable:
            orphaned[document.version].append(document.id)
    moved: dict[int, SourceItem] = {}
    for item in unknown:
        waiting = orphaned.get(item.version) if item.is_content else None
        if waiting and item.path not in taken:
            moved[waiting.pop(0)] = item
    return moved


def group_orphaned(
    known: Mapping[int, KnownDocument], plan: Plan, *, maker: int
) -> dict[str, list[int]]:
    """Group documents that are no longer at their path by content: they may have moved."""
    orphaned: dict[str, list[int]] = defaultdict(list)
    gone = [document.id for document in known.values() if document.is_gone]
    for number in (*plan.missing, *gone):
        document = known[number]
        if document.raw_hash and document.maker == maker:
            orphaned[document.raw_hash].append(number)
    return orphaned


def is_alarming(missing: int, served: int, *, most: float) -> bool:
    """Tell whether so much is missing at once that somebody must confirm it.

    One document of several may always go; all of them never without a word.
    """
    if not missing or not served:
        return False
    return missing == served or (missing > 1 and missing > most * served)
