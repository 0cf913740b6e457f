"""Sources of knowledge: where documents come from, how they are kept in step, and found."""

from wellworn.domain.sources.anchors import Anchors, shown
from wellworn.domain.sources.connectors import (
    Connector,
    Item,
    Listing,
    Means,
    Same,
    Setback,
    SourceKind,
    all_connectors,
    source_kinds,
)
from wellworn.domain.sources.handbook import Given, Handbook, Ready
from wellworn.domain.sources.identifiers import Identifier, asked, key_of
from wellworn.domain.sources.identifiers import identifiers as identifiers_in
from wellworn.domain.sources.models import (
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
from wellworn.domain.sources.repair import ChunkIndexer
from wellworn.domain.sources.schedule import JOB, job_key, of_key
from wellworn.domain.sources.search import best_by_document
from wellworn.domain.sources.service import Sources
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.store.documents import Served, Text, Visible
from wellworn.domain.sources.store.library import BrowsedDocument, BrowsedSource, Library
from wellworn.domain.sources.validation import Parts, refuse_built_in

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
    "SourceKind",
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
    "source_kinds",
]
