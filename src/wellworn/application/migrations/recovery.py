"""Recovers from lost rows: counts, trails and chunks agree with the rest again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wellworn.application.migrations.revisions import make_empty_image, upgrade
from wellworn.domain.sources.store import recover
from wellworn.domain.thoughts.store import recount
from wellworn.engines.storage.sql import Database, LostRow, RamDatabase, salvage_image

_OF_DOCUMENTS = {"knowledge_chunks", "knowledge_documents", "chunk_identifiers"}


def mend(database: Database, lost: Iterable[LostRow]) -> None:
    """Bring a database of which rows are lost up to date, and count again."""
    upgrade(database)
    with database.write() as transaction:
        recount(transaction)
        if _OF_DOCUMENTS & {row.table for row in lost}:
            recover(transaction)


def recover_image(
    image: bytearray, changes: Sequence[bytes], holes: int
) -> tuple[bytes, tuple[LostRow, ...]]:
    """Return what is left of a sealed space, of an image with so many holes, and changes with gaps.

    Raises:
        DamagedStore: the changes are not of this space.
    """
    content, salvaged = salvage_image(image, changes, make_empty_image(), has_holes=holes > 0)
    database = RamDatabase(content)
    try:
        mend(database, salvaged.lost)
        with database.freeze() as mended:
            return mended, tuple(salvaged.lost)
    finally:
        database.discard()
