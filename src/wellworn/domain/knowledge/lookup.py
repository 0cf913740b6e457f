"""What is known under a name: rows of facts, of the glossary, of conflicts and of what was taught.

Nothing is searched and no document is read but those that are quoted. Of two documents of one
place the one that is past gives way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from wellworn.domain.knowledge.answers import StoredConflict, Value
from wellworn.domain.knowledge.candidates import NAMED_HEADING
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.glossary import GlossaryEntry
from wellworn.domain.knowledge.places import group_by_place, list_place_words
from wellworn.domain.knowledge.questions import list_names
from wellworn.domain.knowledge.quoting import DocumentQuoter
from wellworn.domain.knowledge.store import compiled, conflicts, learning
from wellworn.domain.knowledge.store.compiled import StoredEntry, StoredFact
from wellworn.domain.knowledge.store.learning import LearnedAlias
from wellworn.domain.sources import Sources
from wellworn.domain.sources.store import VisibleDocuments
from wellworn.domain.spaces import Access
from wellworn.engines.retrieval.text import is_same_name
from wellworn.engines.storage.sql import Transaction

MOST_HEADED: Final = 3
"""Documents that have one heading when it says nothing of any of them."""


@dataclass(frozen=True, slots=True)
class KnownTerm:
    """What one place knows of a term: values, the surest first, entries, the best first."""

    values: Sequence[Value] = ()
    entries: Sequence[GlossaryEntry] = ()
    conflicts: Sequence[StoredConflict] = ()

    @property
    def is_named(self) -> bool:
        """Whether it is more than a heading of plain words."""
        return bool(self.values) or any(entry.weight >= NAMED_HEADING for entry in self.entries)

    @property
    def documents(self) -> list[int]:
        """The documents that explain the term or say something of it."""
        explaining = (entry.document for entry in self.entries)
        stating = (value.evidence.document_id for value in self.values)
        return list(dict.fromkeys([*explaining, *stating]))


class TermLookup:
    """Looks terms up for one caller, in one transaction."""

    def __init__(
        self, sources: Sources, transaction: Transaction, access: Access, seen: VisibleDocuments
    ) -> None:
        self._transaction = transaction
        self._access = access
        self.quoter = DocumentQuoter(sources, transaction, access, seen.documents)

    @cached_property
    def place_words(self) -> frozenset[str]:
        """The words by which places may be named, where there are several."""
        places = {self.find_place(document) for document in self.quoter.served}
        return list_place_words(places) if len(places) > 1 else frozenset()

    def find_place(self, document_id: int) -> str:
        """Return the place of a document that the caller may see."""
        return self.quoter.served[document_id].place

    def find_names(self, text: str) -> Callable[[str], bool]:
        """Return what tells of each part of a question whether something is called so."""
        names = [name for name, _ in list_names(text)]
        known = compiled.find_known_names(
            self._transaction, self._access, names, most_headed=MOST_HEADED
        )
        known |= learning.find_taught(self._transaction, self._access, names)
        return lambda name: name_key(name) in known

    def find_alias(self, term: str) -> LearnedAlias | None:
        """Return what a term was found or said to stand for."""
        return learning.find_alias(self._transaction, self._access, term)

    def find_stated_alias(self, names: Iterable[str]) -> GlossaryEntry | None:
        """Return a document's statement that one of some names is another thing's."""
        entries = self._load_entries(names)
        aliases = (stored.entry for stored in entries if stored.entry.alias_of)
        return next(aliases, None)

    def find_terms(self, names: Sequence[str]) -> dict[str, KnownTerm]:
        """Return by place what is known under some names."""
        facts = compiled.load_facts(self._transaction, self._access, names)
        rows: list[tuple[str, StoredFact | StoredEntry]] = [
            (self.find_place(fact.fact.document), fact)
            for fact in facts
            if fact.fact.document in self.quoter.served
        ]
        rows += [
            (self.find_place(stored.entry.document), stored)
            for stored in self._load_entries(names)
            if not stored.entry.alias_of
        ]
        disputed = self._list_conflicts(names)
        return {
            place: KnownTerm(
                self._select_values([row for row in own if isinstance(row, StoredFact)]),
                _select_entries([row for row in own if isinstance(row, StoredEntry)]),
                [conflict for conflict in disputed if conflict.place == place],
            )
            for place, own in group_by_place(rows).items()
        }

    def load_values(self, names: Iterable[str] | None) -> list[Value]:
        """Return what documents say under some names, or with None all, past or not."""
        facts = compiled.load_facts(self._transaction, self._access, names)
        return [value for stored in facts if (value := self.quoter.to_value(stored)) is not None]

    def list_facts(self) -> list[StoredFact]:
        """Return every fact of the documents that the caller may see."""
        facts = compiled.load_facts(self._transaction, self._access, None)
        return [stored for stored in facts if stored.fact.document in self.quoter.served]

    def list_alike(self, term: str) -> list[str]:
        """Return the names that differ from a term by a typing error."""
        names = compiled.list_terms(self._transaction, self._access, like=term)
        return [name for name in names if _is_misspelt(name, term)]

    def _load_entries(self, names: Iterable[str]) -> list[StoredEntry]:
        entries = compiled.load_entries(self._transaction, self._access, names)
        return [stored for stored in entries if stored.entry.document in self.quoter.served]

    def _select_values(self, facts: Sequence[StoredFact]) -> list[Value]:
        """Return values, without those of the past that a document has another of."""
        now = {_subject(stored) for stored in facts if not stored.is_past}
        live = [stored for stored in facts if not stored.is_past or _subject(stored) not in now]
        return [value for stored in live if (value := self.quoter.to_value(stored)) is not None]

    def _list_conflicts(self, names: Iterable[str]) -> list[StoredConflict]:
        """Return what documents that the caller sees disagree about; of others nothing is told."""
        return [
            conflict
            for conflict in conflicts.list_conflicts(self._transaction, self._access, names)
            if conflict.state != "closed"
            and all(claim.evidence.document_id in self.quoter.served for claim in conflict.claims)
        ]


def _is_misspelt(name: str, term: str) -> bool:
    """Tell whether two names differ by a typing error, in a word or in the name as a whole."""
    keys = [name_key(spelling).replace("_", "") for spelling in (name, term)]
    return is_same_name(name, term) or is_same_name(*keys)


def _subject(stored: StoredFact) -> tuple[str, str, str]:
    fact = stored.fact
    return name_key(fact.term), fact.fact_type, fact.attribute


def _select_entries(entries: Sequence[StoredEntry]) -> list[GlossaryEntry]:
    """Return entries, those of the past only where there are no others."""
    live = [stored.entry for stored in entries if not stored.is_past]
    return live or [stored.entry for stored in entries]
