"""Sources of knowledge: where documents come from, how they are kept in step, and found."""

from wellworn.domain.sources.anchors import Anchors
from wellworn.domain.sources.handbook import Handbook, HandbookEntry, IndexedDraft
from wellworn.domain.sources.identifiers import (
    Identifier,
    extract_exact_terms,
    find_identifiers,
    normalize_identifier,
)
from wellworn.domain.sources.models import (
    NewSource,
    Problem,
    Snippet,
    Source,
    SourceChanges,
    SyncRun,
    SyncStatus,
    format_citation,
)
from wellworn.domain.sources.repair import ChunkIndexer
from wellworn.domain.sources.schedule import SYNC_JOB, format_job_key, parse_job_key
from wellworn.domain.sources.search import group_by_document
from wellworn.domain.sources.service import Sources
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.validation import SourceDependencies, reject_built_in

__all__ = [
    "SYNC_JOB",
    "Anchors",
    "ChunkIndexer",
    "Handbook",
    "HandbookEntry",
    "Identifier",
    "IndexedDraft",
    "NewSource",
    "Problem",
    "Snippet",
    "Source",
    "SourceChanges",
    "SourceDependencies",
    "SourceSettings",
    "Sources",
    "SyncRun",
    "SyncStatus",
    "extract_exact_terms",
    "find_identifiers",
    "format_citation",
    "format_job_key",
    "group_by_document",
    "normalize_identifier",
    "parse_job_key",
    "reject_built_in",
]
