"""Knowledge: what is compiled of documents, and the best practices of the earlier endpoints."""

from wellworn.domain.knowledge.answers import (
    Answer,
    AnswerCandidate,
    Artifact,
    ArtifactName,
    Choice,
    ChoiceKind,
    CompileSummary,
    ConflictClaim,
    Quality,
    QuotedSpan,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    UnknownTerm,
    Value,
)
from wellworn.domain.knowledge.discovery import Discovery
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.naming import NameRuling, NameVerdict
from wellworn.domain.knowledge.questions import call_value
from wellworn.domain.knowledge.service import (
    Knowledge,
    Practice,
    PracticeChunk,
    PracticeFile,
    PracticeHit,
)

__all__ = [
    "Answer",
    "AnswerCandidate",
    "Artifact",
    "ArtifactName",
    "Choice",
    "ChoiceKind",
    "CompileSummary",
    "ConflictClaim",
    "Discovery",
    "Enricher",
    "Knowledge",
    "NameRuling",
    "NameVerdict",
    "Practice",
    "PracticeChunk",
    "PracticeFile",
    "PracticeHit",
    "Quality",
    "QuotedSpan",
    "ResolutionOutcome",
    "ResolverStep",
    "StoredConflict",
    "UnknownTerm",
    "Value",
    "call_value",
]
