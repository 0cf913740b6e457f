"""The state of one sync, and how it is summarised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wellworn.domain.sources.connectors import AskElsewhere, Listing, SourceItem
from wellworn.domain.sources.models import Problem, Source
from wellworn.domain.sources.outcomes import SyncOutcome, summarize_sync
from wellworn.domain.sources.planning import KnownDocument, Plan
from wellworn.domain.sources.staging import IndexedDraft
from wellworn.domain.spaces import Access

_EMPTY: Final = "the file is empty; what an earlier one said is kept"


@dataclass(slots=True)
class SyncState:
    """The progress of one sync.

    Attributes:
        judged: the paths whose content was refused.
        published: the documents that are served already.
        uploaded_by: the member whose words they are; None where they are those of the source.
        ask_elsewhere: as a listing's; None also where whatever comes is to be believed.
    """

    access: Access
    source: Source
    plan: Plan
    known: dict[int, KnownDocument]
    seen: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    moved: dict[int, SourceItem] = field(default_factory=dict[int, SourceItem])
    problems: list[tuple[SourceItem, Problem]] = field(
        default_factory=list[tuple[SourceItem, Problem]]
    )
    judged: set[str] = field(default_factory=set[str])
    published: list[int] = field(default_factory=list[int])
    counts: Counter[str] = field(default_factory=Counter[str])
    uploaded_by: str | None = None
    ask_elsewhere: AskElsewhere | None = None

    def take_within(self, wanted: Sequence[SourceItem], remaining: int) -> list[SourceItem]:
        """Return the items to read, at most `remaining` of them new; note the others."""
        paths = {document.path for document in self.known.values() if document.is_served}
        new = [item for item in wanted if item.path not in paths]
        beyond = {item.path for item in new[max(0, remaining) :]}
        reason = "the space has as many documents as it may; remove a source or raise the limit"
        self.problems += [
            (item, Problem(item.path, reason)) for item in wanted if item.path in beyond
        ]
        return [item for item in wanted if item.path not in beyond]

    def attribute(self, ready: Sequence[IndexedDraft], now: float) -> Sequence[IndexedDraft]:
        """Return drafts that say whose words they are."""
        if self.uploaded_by is None:
            return ready
        by = {"uploaded_by": self.uploaded_by, "uploaded_at": now}
        return [replace(draft, document=replace(draft.document, **by)) for draft in ready]

    @property
    def unchanged(self) -> list[int]:
        """The unchanged documents that are not refused."""
        return [id_ for id_ in self.plan.unchanged if not self.known[id_].is_refused]

    @property
    def as_before(self) -> list[int]:
        """The documents that are as they were, whether they had to be read for that or not."""
        return [*self.unchanged, *(id_ for id_, _ in self.seen)]

    def count(self, changed: Sequence[int], gone: Sequence[int]) -> None:
        """Count the documents by what happened to them."""
        self.counts["new"] = sum(document_id not in self.known for document_id in changed)
        self.counts["changed"] = len(changed) - self.counts["new"]
        self.counts["moved"] = len(self.moved)
        self.counts["gone"] = len(gone)
        self.counts["unchanged"] = len(self.as_before)

    def summarize(self, listing: Listing, *, vanished: int) -> SyncOutcome:
        """Return the outcome; `vanished` documents wait for a confirmation."""
        still = list_refusals(self.known[id_] for id_ in self.plan.unchanged)
        new = (problem for _, problem in self.problems)
        return summarize_sync(
            self.counts,
            (*still, *new, *listing.problems),
            vanished=vanished,
            state=listing.state,
            is_settled=not listing.problems
            and all(item.path in self.judged for item, _ in self.problems),
            skipped=listing.skipped,
        )


def list_refusals(known: Iterable[KnownDocument]) -> tuple[Problem, ...]:
    """Return why documents are refused."""
    return tuple(
        Problem(document.path, document.reason) for document in known if document.is_refused
    )


@dataclass(frozen=True, slots=True)
class UploadSnapshot:
    """A snapshot with one item that a caller sent."""

    uploaded: Listing
    raw: bytes

    def list_items(self) -> Listing:
        return self.uploaded

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        for item in items:
            yield item, self.raw if self.raw.strip() else Problem(item.path, _EMPTY)
