"""Knowledge: what is compiled of documents, and the best practices of the earlier endpoints."""

from wellworn.domain.knowledge.answers import (
    Answer,
    AnswerCandidate,
    Artifact,
    ArtifactName,
    Choice,
    ChoiceKind,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    UnknownTerm,
    Value,
)
from wellworn.domain.knowledge.discovery import Discovery
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.naming import NameVerdict
from wellworn.domain.knowledge.questions import call_value
from wellworn.domain.knowledge.service import Knowledge, Practice, PracticeChunk, PracticeFile
