"""Looks up a name: rows of facts, of the glossary, of conflicts and of what was taught.

Nothing is searched and no document is read but those that are quoted. Of two documents of one
place the one that is past gives way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import StoredConflict, Value
from wellworn.domain.knowledge.attributes import drop_aside, list_stems
from wellworn.domain.knowledge.candidates import NAMED_HEADING, STATED
from wellworn.domain.knowledge.claims import HEADED
from wellworn.domain.knowledge.entities import is_special, key, name_in, name_key, split_pieces
from wellworn.domain.knowledge.glossary import GlossaryEntry
from wellworn.domain.knowledge.places import PLACES
from wellworn.domain.knowledge.questions import (
    ValueQuestion,
    list_heads,
    list_names,
)
from wellworn.domain.knowledge.quoting import DocumentQuoter
from wellworn.domain.knowledge.store import compiled, conflicts, learning, rulings, spellings
from wellworn.domain.knowledge.store.compiled import StoredFact
from wellworn.domain.sources import Sources
from wellworn.domain.sources.store import select_visible
from wellworn.domain.spaces import Access
from wellworn.engines.retrieval.text import is_same_name, split_words
from wellworn.engines.storage.sql import Transaction
from wellworn.kit.project_ids import read_project_name

_NUMBER: Final = re.compile(r"\d+")
_AS_LETTERS: Final = {ord("0") + digit: ord("\u0430") + digit for digit in range(10)}
_MOST_SPELT_WORDS: Final = 100
Row = TypeVar("Row", StoredFact, GlossaryEntry)
MOST_HEADED: Final = 3
"""Documents that have one heading when it says nothing of any of them."""


@dataclass(frozen=True, slots=True)
class KnownTerm:
    """Knowledge of a term in one place: values, the surest first, entries, the best first.

    What is outdated was stated in the past of what a document states now.
    """

    values: Sequence[Value] = ()
    entries: Sequence[GlossaryEntry] = ()
    conflicts: Sequence[StoredConflict] = ()
    outdated: Sequence[Value] = ()

    @property
    def is_named(self) -> bool:
        """Whether it is more than a heading of plain words."""
        return bool(self.values) or any(entry.weight >= NAMED_HEADING for entry in self.entries)

    @property
    def is_explained(self) -> bool:
        """Whether a document is about it, rather than only naming it."""
        return any(entry.weight > STATED for entry in self.entries)


class TermLookup:
    """Looks terms up for one caller, in one transaction."""

    def __init__(self, sources: Sources, transaction: Transaction, access: Access) -> None:
        self._transaction = transaction
        self._access = access
        self.quoter = DocumentQuoter(sources, transaction, access)
        self.rulings = rulings.load_rulings(transaction, access)
        self.project = read_project_name(access.space) if access.in_project else ""

    def find_place(self, document_id: int) -> str | None:
        """Return the place of a document; None for one that the caller may not see."""
        document = self.quoter.look_up([document_id]).get(document_id)
        return document.place if document else None

    def find_names(self, text: str) -> Callable[[str], bool]:
        """Return what tells of each part of a question whether something is called so.

        What only documents say that the caller may not see is called nothing.
        """

        @cache
        def find() -> set[str]:
            names = [name for name, _ in list_names(text)]
            among = select_visible(self._transaction, self._access)
            known = compiled.find_known_names(
                self._transaction, self._access, names, most_headed=MOST_HEADED, among=among
            )
            known |= learning.find_taught(self._transaction, self._access, names, among=among)
            # Another form of one plain word is a word of the question, and no name.
            long = [name for name in names if " " in name or is_special(name)]
            return known or set(map(name_key, self._find_forms(long)))

        return lambda name: name_key(name) in find() or self._is_ruled(name)

    def find_headed(self, text: str) -> ValueQuestion | None:
        """Return what a text asks of a head of any words; None where it asks for anything else.

        It is the head itself, or the head and what a value below it is called. What heads something
        in many documents names nothing of any of them.
        """
        heads = list_heads(text)
        stated: dict[str, list[StoredFact]] = defaultdict(list)
        for stored in self._load_facts([name for name, _ in heads], with_headed=True):
            stated[name_key(stored.fact.term)].append(stored)
        for name, beside in heads:
            facts = stated.get(name_key(name), [])
            if {stored.fact.confidence for stored in facts} == {HEADED}:
                facts = [] if len({each.document for each in facts}) >= MOST_HEADED else facts
            asked = " ".join(beside) or None
            called = (list_stems(drop_aside(each.fact.attribute)) for each in facts)
            if facts and (asked is None or list_stems(asked) in called):
                return ValueQuestion(name, asked, wording=text, is_headed=True)
        return None

    def _is_ruled(self, name: str) -> bool:
        """Tell whether something is said of a name, and something is known under it."""
        return self.rulings.is_ruled(name) and bool(self.find_terms([name]))

    def find_alias(self, term: str) -> Alias | None:
        """Return what a term was found or said to stand for."""
        return learning.find_alias(self._transaction, self._access, term)

    def find_terms(
        self, names: Sequence[str], *, with_headed: bool = False
    ) -> dict[str, KnownTerm]:
        """Return by place what is known under some names, and others of the same things.

        What stands below heads of any words is known to who asks for these.
        """
        names = self.rulings.list_names(names)
        facts = self._load_facts(names, with_headed=with_headed)
        rows = [*facts, *self._load_entries(names)]
        served = self.quoter.look_up(row.document for row in rows)
        spoken = [(row.term, served[row.document].place, row) for row in rows]
        things = self.rulings.group(spoken, lambda row: served[row.document].citation)
        disputed = self._list_conflicts(names)
        return {
            place: KnownTerm(
                self._to_values(holding),
                _leave_past([row for row in own if isinstance(row, GlossaryEntry)]),
                [conflict for conflict in disputed if place in conflict.place.split(PLACES)],
                self._to_values(outdated),
            )
            for place, own in things.items()
            for holding, outdated in [
                _split_past(row for row in own if isinstance(row, StoredFact))
            ]
        }

    def load_values(self, names: Iterable[str]) -> list[Value]:
        """Return what documents say under some names, past or not."""
        facts = self._load_facts(self.rulings.list_names(names), with_headed=True)
        return [value for stored in facts if (value := self.quoter.to_value(stored)) is not None]

    def list_forms(self, name: str) -> Sequence[str]:
        """Return the names that are a name in other forms of its words, each in one spelling."""
        return self._find_forms([name]).get(name, ())

    def _find_forms(self, names: Collection[str]) -> dict[str, Sequence[str]]:
        known: dict[str, dict[str, str]] = defaultdict(dict)
        stems = {name: _stem_name(name) for name in names}
        for each in spellings.list_beginnings(self._transaction, self._access, names):
            if (stem := _stem_name(each)) in stems.values() and self.find_terms([each]):
                known[stem].setdefault(name_key(each), each)
        return {name: [*known[stem].values()] for name, stem in stems.items() if stem in known}

    def list_below(self, heading: str) -> list[str]:
        """Return the names that are explained in the sections that have a name for a heading."""
        entries = self._load_entries([heading])
        sections = [(each.document, each.anchor) for each in entries if each.anchor]
        sections = sections[:MOST_HEADED]
        names = compiled.list_explained(self._transaction, self._access, sections)
        return [name for name in names if name_key(name) != name_key(heading)]

    def list_alike(self, term: str) -> list[str]:
        """Return the names that differ from a term by a typing error, and not in form alone."""
        names = spellings.list_alike(self._transaction, self._access, [term]).get(term, ())
        stems = _stem_name(term)
        return [name for name in names if _is_misspelt(name, term) and _stem_name(name) != stems]

    def find_misspelt(self, text: str) -> tuple[str, str] | None:
        """Return the name in a question that is known in one other spelling alone, and that one.

        A question in which a known name stands has none, and another number of a word is no error.
        Nor has a text that is longer than questions are.
        """
        is_known = self.find_names(text)
        is_question = len(split_words(text)) <= _MOST_SPELT_WORDS
        names = dict.fromkeys(name for name, _ in list_names(text)) if is_question else {}
        special = [name for name in names if any(map(is_special, name.split()))]
        if not special or any(map(is_known, names)):
            return None
        alike = spellings.list_alike(self._transaction, self._access, special)
        for name in special:
            stems = split_words(name)
            known = {
                name_key(each): each
                for each in alike.get(name, ())
                if _is_misspelt(each, name) and split_words(each) != stems
                if self.find_terms([each])
            }
            if len(known) == 1:
                return name, next(iter(known.values()))
        return None

    def list_things_of(self, name: str) -> Sequence[str]:
        """Return the names of things of their own that begin with a name of words.

        What follows an identifier tells of the same thing.
        """
        return self.list_longer(name) if name.replace(" ", "").isalpha() else ()

    def list_longer(self, term: str) -> list[str]:
        """Return the names of other things that begin with a term, each in one spelling."""
        longer: dict[str, str] = {}
        for name in spellings.list_longer(self._transaction, self._access, term):
            if _begins_with(name, term) and name_in(name) == name:
                longer.setdefault(name_key(name), name)
        return list(longer.values())

    def _load_facts(self, names: Iterable[str], *, with_headed: bool = False) -> list[StoredFact]:
        facts = compiled.load_facts(self._transaction, self._access, names, with_headed=with_headed)
        return self._leave_unseen(facts)

    def _load_entries(self, names: Iterable[str]) -> list[GlossaryEntry]:
        entries = compiled.load_entries(self._transaction, self._access, names)
        return self._leave_unseen(entries)

    def _leave_unseen(self, rows: Sequence[Row]) -> list[Row]:
        served = self.quoter.look_up(row.document for row in rows)
        return [row for row in rows if row.document in served]

    def _to_values(self, facts: Iterable[StoredFact]) -> list[Value]:
        return [value for stored in facts if (value := self.quoter.to_value(stored)) is not None]

    def _list_conflicts(self, names: Iterable[str]) -> list[StoredConflict]:
        """Return what documents that the caller sees disagree about; of others nothing is told."""
        return [
            conflict
            for conflict in conflicts.list_conflicts(self._transaction, self._access, names)
            if conflict.state != "closed" and self._sees_all(conflict)
        ]

    def _sees_all(self, conflict: StoredConflict) -> bool:
        numbers = {claim.evidence.document_id for claim in conflict.claims}
        return self.quoter.look_up(numbers).keys() == numbers


def _split_past(facts: Iterable[StoredFact]) -> tuple[list[StoredFact], list[StoredFact]]:
    """Return facts that hold, those of the past last, and those a document states again since."""
    holding, past = list[StoredFact](), list[StoredFact]()
    for stored in facts:
        (past if stored.is_past else holding).append(stored)
    now = set(map(_subject, holding))
    holding += [stored for stored in past if _subject(stored) not in now]
    return holding, [stored for stored in past if _subject(stored) in now]


def _leave_past(entries: Sequence[GlossaryEntry]) -> Sequence[GlossaryEntry]:
    """Return entries, those of the past only where there are no others."""
    return [entry for entry in entries if not entry.is_past] or entries


def _begins_with(name: str, term: str) -> bool:
    """Tell whether the first words of a name are a term; "heron's" is heron."""
    pieces, begins = split_pieces(name), split_pieces(term)
    rest = pieces[len(begins) :]
    return pieces[: len(begins)] == begins and rest[:1] not in ([], ["s"])


def _is_misspelt(name: str, term: str) -> bool:
    """Tell whether two names differ by a typing error, in a word or in all of the name.

    Where their numbers are the same these count as letters of it: `go2rct` is `go2rtc`.
    """
    keys = [name_key(spelling).replace("_", "") for spelling in (name, term)]
    numbers, others = map(_NUMBER.findall, keys)
    if numbers == others:
        keys = [key.translate(_AS_LETTERS) for key in keys]
    return is_same_name(name, term) or is_same_name(*keys)


def _stem_name(name: str) -> str:
    return key(" ".join(split_pieces(name)))


def _subject(stored: StoredFact) -> tuple[str, str, str]:
    fact = stored.fact
    return name_key(fact.term), fact.fact_type, fact.attribute
