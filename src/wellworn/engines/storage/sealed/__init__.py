"""Sealed spaces on disk: a database in memory, kept as records that only its key opens."""

from wellworn.engines.storage.sealed.models import RecordCipher
from wellworn.engines.storage.sealed.store import destroy, drop_all, epoch_of, is_sealed, spaces
from wellworn.engines.storage.sealed.tables import sealed_records
from wellworn.engines.storage.sealed.vault import SealedStore

__all__ = [
    "RecordCipher",
    "SealedStore",
    "destroy",
    "drop_all",
    "epoch_of",
    "is_sealed",
    "sealed_records",
    "spaces",
]
