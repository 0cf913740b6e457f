"""Takes people's word for which names are of one thing, and takes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from wellworn.domain.knowledge.naming import NameRuling, NameVerdict, bare_key
from wellworn.domain.knowledge.store import learning, rulings
from wellworn.domain.spaces import Access, Role
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Transaction
from wellworn.errors import InvalidInput, NotFound
from wellworn.kit.clock import Clock

_MOST_RULINGS = 2_000
_LONGEST_REASON = 2_000


class NameRegistry:
    """Rulings on names in one database; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        normalize: Callable[[str], str],
        recompile: Callable[[Access], object],
    ) -> None:
        self._database = database
        self._clock = clock
        self._normalize = normalize
        self._recompile = recompile

    def rule(
        self, access: Access, term: str, other: str, verdict: NameVerdict, *, reason: str = ""
    ) -> NameRuling:
        """Take somebody's word that two names are of one thing or of several.

        With one name twice it is about its namesakes in several places. It replaces what was said
        of the same names before.

        Raises:
            InvalidInput: a name is empty or far too long, or there are too many rulings.
        """
        ruling = NameRuling(
            id=0,
            term=self._normalize(term),
            other=self._normalize(other),
            verdict=verdict,
            reason=redact(reason[:_LONGEST_REASON]).text or None,
            said_by=access.principal,
            said_at=self._clock.now(),
        )
        with self._database.write() as transaction:
            known = rulings.list_rulings(transaction, access)
            if len(known) >= _MOST_RULINGS:
                raise InvalidInput("the space has as many rulings on names as it may; undo some")
            ruling = rulings.add_ruling(transaction, access, ruling, known)
            _forget_learned(transaction, access, ruling)
        self._recompile(access)
        return ruling

    def list_rulings(self, access: Access) -> list[NameRuling]:
        """Return all that was said of names, oldest first."""
        with self._database.read() as transaction:
            return rulings.list_rulings(transaction, access)

    def undo(self, access: Access, ruling_id: int) -> None:
        """Take back what was said of names.

        Raises:
            NotFound: there is no such ruling here.
        """
        with self._database.write() as transaction:
            known = {ruling.id: ruling for ruling in rulings.list_rulings(transaction, access)}
            if ruling_id not in known:
                raise NotFound("there is no such ruling on names")
            rulings.remove_ruling(transaction, access, ruling_id)
            _forget_learned(transaction, access, known[ruling_id])
        self._recompile(access)

    def roll_back(self, transaction: Transaction, access: Access, owner: str, since: float) -> None:
        """Take back what a member said of names since a moment, in epoch seconds."""
        for ruling in rulings.list_rulings(transaction, access):
            if ruling.said_by == owner and ruling.said_at >= since:
                rulings.remove_ruling(transaction, access, ruling.id)
                _forget_learned(transaction, access, ruling)

    def export_records(self, transaction: Transaction, access: Access) -> Iterator[dict[str, Any]]:
        """Yield what was said of names, as records, to an admin of the space.

        A name or a reason may be of documents that others must not know of.
        """
        if not access.role.allows(Role.ADMIN):
            return
        for ruling in rulings.list_rulings(transaction, access):
            record = asdict(ruling) | {"record": "name_ruling", "verdict": ruling.verdict.value}
            del record["id"]
            yield record

    def import_record(
        self, transaction: Transaction, access: Access, record: Mapping[str, Any]
    ) -> bool:
        """Store what was said elsewhere, unless something is said of the same names here."""
        fields = {name: record[name] for name in ("term", "other", "reason", "said_by", "said_at")}
        ruling = NameRuling(id=0, verdict=NameVerdict(record["verdict"]), **fields)
        known = rulings.list_rulings(transaction, access)
        if any(other.keys == ruling.keys for other in known) or len(known) >= _MOST_RULINGS:
            return False
        rulings.add_ruling(transaction, access, ruling, known)
        return True


def _forget_learned(transaction: Transaction, access: Access, ruling: NameRuling) -> None:
    """Drop what use taught of names before the word on them changed."""
    for alias in learning.list_aliases(transaction, access):
        if bare_key(alias.term) in ruling.keys and not alias.is_taught:
            learning.drop_alias(transaction, access, alias.term)
