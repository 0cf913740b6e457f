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
    USUAL,
    NewSource,
    Problem,
    Snippet,
    Source,
    SourceChanges,
    SyncOptions,
    SyncRun,
    SyncStatus,
    format_citation,
)
from wellworn.domain.sources.repair import ChunkIndexer
from wellworn.domain.sources.schedule import (
    HAND,
    SYNC_JOB,
    find_cause,
    format_job_key,
    list_other_options,
    make_wanted_slot,
    parse_job_key,
)
from wellworn.domain.sources.search import group_by_document
from wellworn.domain.sources.service import Sources
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.sources.validation import SourceDependencies, reject_built_in
