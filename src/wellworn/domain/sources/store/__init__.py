"""The only SQL of sources."""

from wellworn.domain.sources.store.chunks import recover
from wellworn.domain.sources.store.library import BrowsedDocument, BrowsedSource, Library
from wellworn.domain.sources.store.served import ServedDocument, VisibleDocuments, find_place

__all__ = [
    "BrowsedDocument",
    "BrowsedSource",
    "Library",
    "ServedDocument",
    "VisibleDocuments",
    "find_place",
    "recover",
]
