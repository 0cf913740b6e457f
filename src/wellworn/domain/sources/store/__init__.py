"""The only SQL of sources."""

from wellworn.domain.sources.store.chunks import recover
from wellworn.domain.sources.store.documents import ServedDocument, VisibleDocuments
from wellworn.domain.sources.store.library import BrowsedDocument, BrowsedSource, Library

__all__ = [
    "BrowsedDocument",
    "BrowsedSource",
    "Library",
    "ServedDocument",
    "VisibleDocuments",
    "recover",
]
