"""Transfer's use cases: all that a space holds, out as records and in again.

An import stores all of a batch in one transaction, to be found by its words; it is embedded in the
background. Whatever fails, nothing of the batch is there, and the same batch can be sent again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from wellworn.application.transfer.drafts import Arrival, outside, read_arrival, sort_by_sources
from wellworn.application.transfer.losses import Losses
from wellworn.application.transfer.owners import read_mark, read_owner_fields
from wellworn.application.transfer.screening import Screening
from wellworn.domain.knowledge import Discovery, Knowledge
from wellworn.domain.sources import IndexedDraft, Sources
from wellworn.domain.spaces import Access, Role
from wellworn.domain.thoughts import (
    PreparedThought,
    ThoughtDraft,
    Thoughts,
    ThoughtStatus,
)
from wellworn.domain.thoughts.store import EXPORTERS, Archive, ExportScope, Holder
from wellworn.domain.turns import Turns
from wellworn.engines.formats import KINDS, PASSED_OVER, Record, ThoughtRecord, parse_record
from wellworn.engines.storage.sql import Database, Lose, Transaction, refuse
from wellworn.errors import Forbidden, ThoughtNotFound
from wellworn.kit.clock import Clock

KNOWLEDGE = ("source", "document", "alias", "pin", "decision", "name_ruling")
"""Kinds of records of documents and what was learned of them."""
TURN_FILE = "turn_file"
LEDGER = tuple(
    kind for kind in KINDS if kind not in {"practice", *KNOWLEDGE, TURN_FILE, *PASSED_OVER}
)


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of an import: records stored, or passed over because they say nothing new.

    `held` are the ids of thoughts that were stored into quarantine, `clashing` the thoughts and
    turns that were left out because the space has others of the same ids or numbers, `thoughts` the
    ids of all thoughts among the records.
    """

    imported: int
    known: int
    held: tuple[str, ...] = ()
    clashing: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class _Batch:
    arrivals: list[Arrival]
    ledger: dict[str, list[dict[str, Any]]]
    practices: list[dict[str, Any]]
    knowledge: list[dict[str, Any]]
    turn_files: list[dict[str, Any]]

    @property
    def size(self) -> int:
        ledger = sum(map(len, self.ledger.values()))
        beside = (self.arrivals, self.practices, self.knowledge, self.turn_files)
        return ledger + sum(map(len, beside))


class PreparedImport(NamedTuple):
    """Records that were read, what their thoughts are found by, and embedded practices."""

    batch: _Batch
    passages: Mapping[str, PreparedThought]
    practices: list[IndexedDraft]


class Transfer:
    """Export and import; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        thoughts: Thoughts,
        knowledge: Knowledge,
        clock: Clock,
        *,
        sources: Sources,
        discovery: Discovery,
        turns: Turns,
    ) -> None:
        self._turns = turns
        self._sources = sources
        self._discovery = discovery
        self._database = database
        self._clock = clock
        self._thoughts = thoughts
        self._writer = thoughts.writer
        self._knowledge = knowledge

    def export(self, access: Access, lose: Lose = refuse) -> Iterator[dict[str, Any]]:
        """Yield every record of the space in canonical order; no transaction outlives a page.

        Thoughts and queries are those there were at the begin; what is said about them meanwhile
        may be among the records.

        Raises:
            DamagedStore: a record cannot be read, and `lose` does not leave it out.
            StorageUnavailable: the database failed.
        """
        scope = ExportScope.begin(self._database, access, lose)
        for kind in LEDGER:
            for row in EXPORTERS[kind](scope):
                yield {"record": kind, **row}
        for row in self._knowledge.export(access, lose):
            yield {"record": "practice", **row}
        yield from self._sources.exchange.export_records(access, lose)
        yield from self._discovery.export_records(access, lose)
        yield from self._turns.exchange.export_records(access)

    def export_readable(self, access: Access) -> Iterator[dict[str, Any]]:
        """Yield the records of the space that can be imported again, then what is left out.

        Raises:
            StorageUnavailable: the database failed.
        """
        losses = Losses()
        yield from losses.filter(self.export(access, losses.add))

    def import_records(self, access: Access, records: Iterable[Mapping[str, Any]]) -> Taken:
        """Store the records that are new, all of them or none; the order of kinds does not matter.

        Raises:
            InvalidInput, MissingSources: a record is not valid; the message names its line.
            ThoughtNotFound: a source is neither here nor among the records.
            Forbidden: there are traces among them, and the caller is no admin of the space.
            EmbeddingFailed: there are practices among them, and the encoder failed.
            IndexUnavailable, StorageUnavailable: nothing was stored.
        """
        return self.store(access, self.prepare(access, records))

    def prepare(self, access: Access, records: Iterable[Mapping[str, Any]]) -> PreparedImport:
        """Read records, and make all that can be made of them before they are stored.

        Raises:
            InvalidInput, MissingSources, Forbidden, EmbeddingFailed: see `import_records`.
        """
        batch = self._batch(access, records)
        with self._database.read() as transaction:
            new, _ = _unknown(Archive(transaction, access), batch.arrivals)
        passages = self._prepare([arrival for arrival in new if arrival.erased_at is None])
        practices = self._knowledge.prepare(access, batch.practices)
        return PreparedImport(batch, passages, practices)

    def store(self, access: Access, prepared: PreparedImport) -> Taken:
        """Store prepared records, as `import_records` does."""
        batch = prepared.batch
        with self._database.write() as transaction:
            archive = Archive(transaction, access)
            drafts, seqs = self._add(archive, batch.arrivals)
            is_all_new = len(drafts) == len(batch.arrivals)
            clashing = [] if is_all_new else _find_clashing(archive, batch.arrivals)
            ledger = sum(archive.insert_new(kind, rows) for kind, rows in batch.ledger.items())
            stored_practices = self._knowledge.take(transaction, access, prepared.practices)
            indexable = _select_indexable(drafts, seqs, prepared.passages)
            self._writer.index(transaction, access, indexable)
        learned = self._take_knowledge(access, batch.knowledge)
        files = self._turns.indexer.import_records(access, batch.turn_files)
        imported = len(drafts) + ledger + stored_practices + learned + files.imported
        return Taken(
            imported,
            batch.size - imported - files.left_out - len(clashing),
            _held(batch.arrivals, seqs),
            (*dict.fromkeys(clashing), *files.clashing),
            tuple(arrival.id for arrival in batch.arrivals),
        )

    def _take_knowledge(self, access: Access, records: Sequence[dict[str, Any]]) -> int:
        """Store sources and what belongs to them, after all the rest and not with it."""
        if not records:
            return 0
        of_kind = {kind: [row for row in records if row["record"] == kind] for kind in KNOWLEDGE}
        taken = self._sources.exchange.import_records(
            access, of_kind["source"], of_kind["document"]
        )
        kinds = ("alias", "pin", "decision", "name_ruling")
        learned = [row for kind in kinds for row in of_kind[kind]]
        return taken + self._discovery.import_records(access, learned)

    def empty(self, transaction: Transaction, access: Access) -> None:
        """Delete everything the space holds, in the caller's transaction."""
        self._thoughts.purge(transaction, access)
        self._discovery.purge(transaction, access)
        self._sources.purge(transaction, access)
        self._turns.purge(transaction, access)

    def _batch(self, access: Access, records: Iterable[Mapping[str, Any]]) -> _Batch:
        now, screening = self._clock.now(), Screening()
        arrivals: list[Arrival] = []
        ledger: dict[str, list[dict[str, Any]]] = {kind: [] for kind in (*LEDGER[1:], "practice")}
        knowledge: list[dict[str, Any]] = []
        turn_files: list[dict[str, Any]] = []
        for line, raw in enumerate(records, start=1):
            plain, beside = screening.screen(raw)
            record = parse_record(plain, line)
            if isinstance(record, ThoughtRecord):
                arrivals.append(read_arrival(record, line, mark=read_mark(beside, line), now=now))
            elif record.record in KNOWLEDGE:
                knowledge.append(record.model_dump())
            elif record.record == TURN_FILE:
                turn_files.append(record.model_dump())
            elif record.record not in PASSED_OVER:
                ledger[record.record].append(
                    _fields(record) | read_owner_fields(record, beside, line)
                )
        brought = {kind for kind, rows in ledger.items() if rows}
        brought |= {row["record"] for row in [*knowledge, *turn_files]}
        try:
            check_kinds(access, brought)
        except Forbidden as refusal:
            raise Forbidden(f"{refusal.message}; {_UNANNOUNCED}") from None
        if not access.role.allows(Role.ADMIN):
            arrivals = [self._of_the_caller(access, arrival, now) for arrival in arrivals]
        practices = ledger.pop("practice")
        return _Batch(arrivals, ledger, practices, knowledge, turn_files)

    def _of_the_caller(self, access: Access, arrival: Arrival, now: float) -> Arrival:
        """Return what somebody imports who is no admin: their own, and held where it must be."""
        is_marked = arrival.mark.quarantined_at is not None
        held = is_marked or arrival.draft.is_quarantined(access, self._writer.inspector)
        mark = ThoughtStatus(
            access.owner,
            now if held else None,
            unconfirmed_until=access.find_unconfirmed_end(now),
        )
        return replace(arrival, mark=mark)

    def _prepare(self, arrivals: Sequence[Arrival]) -> dict[str, PreparedThought]:
        """Return what each thought is found by until it is embedded, by its id."""
        return {arrival.id: self._writer.prepare_words(arrival.draft) for arrival in arrivals}

    def _add(
        self, archive: Archive, arrivals: Sequence[Arrival]
    ) -> tuple[list[ThoughtDraft], dict[str, int]]:
        new, aliases = _unknown(archive, arrivals)
        ordered = sort_by_sources(new, aliases)
        wanted = outside(ordered)
        missing = wanted.keys() - archive.find_seqs(wanted).keys()
        if missing:
            line = min(wanted[source] for source in missing)
            raise ThoughtNotFound(f"line {line}: a source_id names no thought")
        drafts = [arrival.draft for arrival in ordered]
        erased = {
            arrival.id: arrival.erased_at for arrival in ordered if arrival.erased_at is not None
        }
        marks = {arrival.id: arrival.mark for arrival in ordered}
        keys = {arrival.id: arrival.key for arrival in ordered}
        seqs = archive.insert_thoughts(drafts, keys, erased, marks, now=self._clock.now())
        # Later batches may name what was passed over by the id it has where it comes from.
        archive.add_aliases(aliases)
        return drafts, seqs


def _select_indexable(
    drafts: Sequence[ThoughtDraft], seqs: Mapping[str, int], passages: Mapping[str, PreparedThought]
) -> list[tuple[int, ThoughtDraft, PreparedThought]]:
    """Return those thoughts that have words, with number and passages."""
    ids = [(str(draft.thought_id), draft) for draft in drafts]
    return [(seqs[key], draft, passages[key]) for key, draft in ids if key in passages]


def _held(arrivals: Sequence[Arrival], stored: Mapping[str, int]) -> tuple[str, ...]:
    held = dict.fromkeys(
        arrival.id
        for arrival in arrivals
        if arrival.mark.quarantined_at is not None and arrival.erased_at is None
    )
    return tuple(thought_id for thought_id in held if thought_id in stored)


_UNANNOUNCED: Final = (
    "nothing of this call was stored, and what earlier ones brought stays: go on without such "
    "records, or have an admin roll it back; an import whose calls name all its kinds is refused "
    "before anything is stored"
)
"""What somebody has to know who did not say which kinds of records were to come."""


def check_kinds(access: Access, kinds: Iterable[str]) -> None:
    """Check that the caller may import records of these kinds; unknown ones are passed over.

    Raises:
        Forbidden: there are traces, sources or what belongs to them among them, and the caller is
            no admin of the space.
    """
    if access.role.allows(Role.ADMIN):
        return
    kinds = set(kinds)
    if not kinds.isdisjoint(LEDGER[1:]):
        raise Forbidden("only an admin of the space can import what was used, replaced or ended")
    if not kinds.isdisjoint({*KNOWLEDGE, TURN_FILE}):
        raise Forbidden("only an admin of the space can import sources and their documents")


def _fields(record: Record) -> dict[str, Any]:
    return record.model_dump(exclude={"record"})


def _find_clashing(archive: Archive, arrivals: Sequence[Arrival]) -> list[str]:
    """Return the ids of arrivals under which something else is stored."""
    living = [arrival for arrival in arrivals if arrival.erased_at is None]
    keys = archive.find_keys(arrival.id for arrival in living)
    return [
        arrival.id
        for arrival in living
        if keys.get(arrival.id, arrival.key) not in {arrival.key, arrival.with_own_key().key}
    ]


def _unknown(archive: Archive, arrivals: Sequence[Arrival]) -> tuple[list[Arrival], dict[str, str]]:
    """Return the arrivals that say something new, and who else says what the others say."""
    ids = archive.find_seqs({arrival.id for arrival in arrivals})
    living = [
        arrival for arrival in arrivals if arrival.erased_at is None and arrival.id not in ids
    ]
    keys = {each.key for arrival in living for each in (arrival, arrival.with_own_key())}
    holders = archive.find_duplicates(keys)
    new: dict[str, Arrival] = {}
    aliases: dict[str, str] = {}
    for arrival in arrivals:
        if arrival.id in ids or arrival.id in new:
            continue
        if arrival.erased_at is None:
            arrival, holder = _find_holder(arrival, holders)  # noqa: PLW2901
            if holder.id != arrival.id:
                aliases[arrival.id] = holder.id
                continue
        new[arrival.id] = arrival
    return list(new.values()), aliases


def _find_holder(arrival: Arrival, holders: dict[str, Holder]) -> tuple[Arrival, Holder]:
    """Return an arrival with its key, and who says the same: itself where nobody said it before.

    Of what is said in the first person no other speaker says the same.
    """
    mine = Holder(arrival.id, arrival.speaker)
    holder, own = holders.setdefault(arrival.key, mine), arrival.with_own_key()
    if own is arrival or holder.speaker == arrival.speaker:
        return arrival, holder
    return own, holders.setdefault(own.key, mine)
