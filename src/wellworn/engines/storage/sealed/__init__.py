"""Sealed spaces on disk: a database in memory, stored as records that only its key opens."""

from wellworn.engines.storage.sealed.models import RecordCipher
from wellworn.engines.storage.sealed.store import (
    count_salvaged,
    destroy,
    drop_all,
    epoch_of,
    is_sealed,
    mark_salvaged,
    spaces,
)
from wellworn.engines.storage.sealed.tables import sealed_records
from wellworn.engines.storage.sealed.vault import NOTHING, Loss, SealedStore
