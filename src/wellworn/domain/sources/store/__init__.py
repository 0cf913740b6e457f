"""The only SQL of sources."""

from wellworn.domain.sources.store.candidates import select_visible
from wellworn.domain.sources.store.chunks import recover
from wellworn.domain.sources.store.library import BrowsedDocument, BrowsedSource, Library
from wellworn.domain.sources.store.served import (
    ServedDocument,
    VisibleDocuments,
    find_cited,
    find_place,
    find_visible_among,
    select_hashes,
)
from wellworn.domain.sources.store.sources import list_unseen
