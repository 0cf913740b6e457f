"""Sources of knowledge: where documents come from, how they are kept in step, and found."""

from wellworn.sources.anchors import Anchors, shown
from wellworn.sources.checking import Parts, refuse_built_in
from wellworn.sources.connectors import (
    Connector,
    Item,
    Listing,
    Means,
    Same,
    Setback,
    all_connectors,
)
from wellworn.sources.handbook import Given, Handbook, Ready
from wellworn.sources.identifiers import Identifier, asked, key_of
from wellworn.sources.identifiers import identifiers as identifiers_in
from wellworn.sources.indexing import ChunkIndexer
from wellworn.sources.models import (
    Document,
    DocumentState,
    NewSource,
    Problem,
    Run,
    SecretNote,
    Snippet,
    Source,
    SourceChanges,
    SourceType,
    SyncStatus,
    cited,
    nothing,
)
from wellworn.sources.schedule import JOB, job_key, of_key
from wellworn.sources.searching import best_by_document
from wellworn.sources.service import Sources
from wellworn.sources.settings import SourceSettings
from wellworn.sources.store.documents import Served, Text, Visible
from wellworn.sources.store.library import BrowsedDocument, BrowsedSource, Library

__all__ = [
    "JOB",
    "Anchors",
    "BrowsedDocument",
    "BrowsedSource",
    "ChunkIndexer",
    "Connector",
    "Document",
    "DocumentState",
    "Given",
    "Handbook",
    "Identifier",
    "Item",
    "Library",
    "Listing",
    "Means",
    "NewSource",
    "Parts",
    "Problem",
    "Ready",
    "Run",
    "Same",
    "SecretNote",
    "Served",
    "Setback",
    "Snippet",
    "Source",
    "SourceChanges",
    "SourceSettings",
    "SourceType",
    "Sources",
    "SyncStatus",
    "Text",
    "Visible",
    "all_connectors",
    "asked",
    "best_by_document",
    "cited",
    "identifiers_in",
    "job_key",
    "key_of",
    "nothing",
    "of_key",
    "refuse_built_in",
    "shown",
]
