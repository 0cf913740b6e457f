"""The audit trail's use cases: note, show, verify, checkpoint, export.

An entry joins the transaction of what it tells of, so that neither exists without the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from wellworn.domain.audit import store
from wellworn.domain.audit.actions import Action
from wellworn.domain.audit.chain import Walk, canonical, next_hash, origin, verify_chain
from wellworn.domain.audit.keys import MustSeal, TrailKeys
from wellworn.domain.audit.models import (
    OK,
    Actor,
    Checkpoint,
    Entry,
    Link,
    LogEntry,
    TrailReport,
    require_identifier,
)
from wellworn.domain.audit.reading import TrailReader, heading, lines
from wellworn.domain.audit.signing import CheckpointSigner, Trust, sign_checkpoint
from wellworn.engines.crypto import DataKey
from wellworn.engines.storage.disk import LEAST_FREE_BYTES
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import Tampered
from wellworn.kit.clock import Clock

CHECKPOINT_EVERY = 1_000
CHECKPOINT_AFTER_S = 3_600.0

_PAGE = 1_000
_LEAST_FREE_BYTES = LEAST_FREE_BYTES // 4
_log = logging.getLogger(__name__)


def _seals_nothing(*_: object) -> bool:
    return False


class Audit:
    """The audit trails, written and verified; every space has its own.

    The trail of a sealed space is sealed too. `keys` must follow what happens to the space's key.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        chain_key: bytes | Callable[[str], bytes],
        signer: CheckpointSigner,
        verifies: Callable[[bytes, bytes, bytes], bool],
        older_keys: Sequence[bytes] = (),
        must_seal: MustSeal = _seals_nothing,
    ) -> None:
        """Take the parts.

        Args:
            database: where the trails are stored.
            clock: when entries and checkpoints are made.
            chain_key: the chains' key, at least 32 bytes, or what gives each space its own.
            signer: signs checkpoints.
            verifies: tells from (public key, message, signature) whether a signature is right.
            older_keys: public keys that signed earlier checkpoints.
            must_seal: tells whether a space is sealed, also when its trail's keys are gone.
        """
        self._database = database
        self._clock = clock
        self._chain_key = chain_key
        self._signer = signer
        self.trust = Trust((signer.public, *older_keys), verifies)
        self.keys = TrailKeys(self._key_of, must_seal)

    def note(
        self,
        space: str,
        action: Action,
        *,
        by: Actor,
        targets: Sequence[str] = (),
        outcome: str = OK,
        details: Mapping[str, int] | None = None,
        transaction: Transaction | None = None,
    ) -> int:
        """Append an entry and return its seq.

        With a write transaction the entry is part of it and goes if it fails. Without one it is
        flushed with what others write, which a caller inside a write transaction must not ask for:
        it would wait for itself. It is stored on a disk that is too full for anything else, so that
        what only reads goes on, too.

        Raises:
            ValueError: a value could be content; nothing is written.
            Tampered: the trail's last entry is damaged, or the key that seals the trail.
            StorageUnavailable: the database failed; nothing is written.
        """
        require_identifier(space)
        at = self._clock.now()
        entry = canonical(Entry(at, by, action, tuple(targets), outcome, details or {}))
        if transaction is not None:
            return self._append(transaction, space, entry)
        with self._database.share_write(least_free_bytes=_LEAST_FREE_BYTES) as own:
            return self._append(own, space, entry)

    def head(self, space: str) -> tuple[int, bytes]:
        """Return the last entry's seq and hash; of an empty trail 0 and its origin."""
        with self._database.read() as transaction:
            return self._head(transaction, space)[:2]

    def confirm_key(self, space: str, data_key: DataKey) -> None:
        """Check what seals the trail of a sealed space, as a member opens it.

        Raises:
            Tampered: somebody put another key in its place.
        """
        with self._database.write() as transaction:
            public = self.keys.confirm(transaction, space, data_key)
        self.keys.remember(space, public)

    def entries(
        self, space: str, *, after_seq: int = 0, limit: int = 100, data_key: DataKey | None = None
    ) -> list[LogEntry]:
        """Return entries in order; of a sealed space that was deleted, those in the clear.

        Raises:
            SpaceLocked: the trail is sealed, and the space's key was not given.
            Tampered: one of them cannot be read; `verify` and `export` can.
        """
        entries: list[LogEntry] = []
        with self._reading(space, data_key) as (transaction, reader):
            for link in store.links_after(
                transaction, space, after_seq, limit=limit, only_clear=reader.is_gone
            ):
                entry = _read(reader, transaction, link)
                if entry is None:
                    raise Tampered("what opens an entry of the audit trail is lost; verify it")
                entries.append(LogEntry(link.seq, entry, link.hash))
        return entries

    def find_highest(
        self,
        space: str,
        detail: str,
        *,
        among: int,
        since: Action,
        data_key: DataKey | None = None,
    ) -> int:
        """Return the highest number that the newest entries tell of something; 0 when none does.

        Entries before the last success of `since` do not count.

        Raises:
            SpaceLocked, Tampered: see `entries`; but what cannot be opened any more is passed over.
        """
        highest = 0
        with self._reading(space, data_key) as (transaction, reader):
            seq, *_ = self._head(transaction, space)
            for link in store.links_after(transaction, space, max(0, seq - among)):
                entry = _read(reader, transaction, link)
                if entry is None:
                    continue
                if (entry.action, entry.outcome) == (since, OK):
                    highest = 0
                highest = max(highest, entry.details.get(detail, 0))
        return highest

    def spaces(self) -> list[str]:
        """Return every space that has a trail, deleted ones among them."""
        with self._database.read() as transaction:
            return store.spaces(transaction)

    def verify(self, space: str, *, external: Iterable[Checkpoint] = ()) -> TrailReport:
        """Return the verdict over a space's trail, read from its first entry.

        `external` checkpoints were stored elsewhere, and must hold too; those of other spaces are
        passed over. Only they show that a trail's end was cut off together with its checkpoints.
        """
        mine = [checkpoint for checkpoint in external if checkpoint.space == space]
        with self._database.read() as transaction:
            return verify_chain(
                space,
                store.all_links(transaction, space),
                [*store.checkpoints(transaction, space), *mine],
                key=self._key_of(space),
                trust=self.trust,
            )

    def checkpoint(self, space: str) -> Checkpoint | None:
        """Sign where the trail stands; None when it is empty.

        Only what follows from the checkpoint before is signed, and nothing twice.

        Raises:
            Tampered: the trail does not hold since the last checkpoint.
        """
        with self._database.read() as transaction:
            latest = store.latest_checkpoint(transaction, space)
            walk = self._walk_since(transaction, space, latest)
        if walk.seq == 0 or (latest is not None and latest.seq == walk.seq):
            return latest
        made = sign_checkpoint(
            self._signer, space, walk.seq, head=walk.head, made_at=float(self._clock.now())
        )
        with self._database.write() as transaction:
            store.add_checkpoint(transaction, made)
        _log.info("%s", made.line)
        return made

    def checkpoint_if_due(self) -> list[Checkpoint]:
        """Make every checkpoint that is due; cheap to ask often.

        One is due after 1,000 entries, or an hour after the last one when there is something new.
        A trail that does not hold is told to the log, and does not stop the others.
        """
        with self._database.read() as transaction:
            spaces = store.spaces(transaction)
            due = [space for space in spaces if self._is_due(transaction, space)]
        made = map(self._checkpoint_or_log, due)
        return [checkpoint for checkpoint in made if checkpoint is not None]

    def export(self, space: str, *, data_key: DataKey | None = None) -> Iterator[str]:
        """Yield the trail as JSON lines, without line ends; later exports only add lines.

        Damaged entries are exported as they are; the lines' verdict tells. After a sealed one comes
        a line with what it holds, if the space's key was given.

        Raises:
            Tampered: the last entry has no number.
        """
        yield heading(space)
        last, _ = self.head(space)
        after = 0
        while after < last:
            with self._reading(space, data_key) as (transaction, reader):
                page = list(store.links_after(transaction, space, after, limit=_PAGE))
                page = [link for link in page if link.seq <= last]
                if not page:
                    return
                upto = page[-1].seq
                made = store.checkpoints(transaction, space, after=after, upto=upto)
                opened = {link.seq: reader.open(transaction, link) for link in page}
            yield from lines(page, made, opened)
            after = upto

    def _key_of(self, space: str) -> bytes:
        return self._chain_key if isinstance(self._chain_key, bytes) else self._chain_key(space)

    def _append(self, transaction: Transaction, space: str, entry: bytes) -> int:
        last, previous, is_sealed = self._head(transaction, space)
        seq = last + 1
        written = self.keys.seal(transaction, space, seq, entry, after_sealed=is_sealed)
        digest = next_hash(self._key_of(space), previous, written)
        store.add(transaction, space, Link(seq, written, digest))
        return seq

    def _head(self, transaction: Transaction, space: str) -> tuple[int, bytes, bool]:
        return store.head(transaction, space) or (0, origin(self._key_of(space), space), False)

    @contextmanager
    def _reading(
        self, space: str, data_key: DataKey | None
    ) -> Generator[tuple[Transaction, TrailReader]]:
        with self._database.read() as transaction:
            keys = store.list_keys(transaction, space)
            reader = TrailReader(self.keys, keys, space, data_key)
            try:
                yield transaction, reader
            finally:
                reader.close()

    def _walk_since(self, transaction: Transaction, space: str, latest: Checkpoint | None) -> Walk:
        key = self._key_of(space)
        walk = Walk(key, 0, origin(key, space))
        if latest is not None:
            known = store.hash_at(transaction, space, latest.seq)
            if known != latest.head or not self.trust.holds(latest):
                raise Tampered("the audit trail is not what its last checkpoint says; verify it")
            walk = Walk(key, latest.seq, latest.head)
        if walk.follow(store.links_after(transaction, space, walk.seq)) is not None:
            raise Tampered("the audit trail is not valid; verify it")
        return walk

    def _is_due(self, transaction: Transaction, space: str) -> bool:
        seq, *_ = self._head(transaction, space)
        latest = store.latest_checkpoint(transaction, space)
        if latest is None:
            return seq > 0
        if seq == latest.seq:
            return False
        # A clock that went back makes it due, too.
        age_s = self._clock.now() - latest.made_at
        return seq - latest.seq >= CHECKPOINT_EVERY or not 0 <= age_s < CHECKPOINT_AFTER_S

    def _checkpoint_or_log(self, space: str) -> Checkpoint | None:
        try:
            return self.checkpoint(space)
        except Tampered:
            _log.exception("the audit trail of %s is not valid", space)
            return None


def _read(reader: TrailReader, transaction: Transaction, link: Link) -> Entry | None:
    try:
        return reader.read(transaction, link)
    except ValueError as error:
        raise Tampered("an entry of the audit trail is damaged; verify it") from error
