"""Knowledge: what is compiled of documents, and the best practices of the earlier endpoints."""

from wellworn.domain.knowledge.answers import (
    Answer,
    Artifact,
    ArtifactName,
    Candidate,
    Claim,
    Compiled,
    ConflictFound,
    Evidence,
    FoundBy,
    Outcome,
    Quality,
    Unknown,
    Value,
)
from wellworn.domain.knowledge.discovery import Discovery
from wellworn.domain.knowledge.enrichment import Enricher
from wellworn.domain.knowledge.models import Chunk, Practice, PracticeFile, PracticeFound
from wellworn.domain.knowledge.service import Knowledge

__all__ = [
    "Answer",
    "Artifact",
    "ArtifactName",
    "Candidate",
    "Chunk",
    "Claim",
    "Compiled",
    "ConflictFound",
    "Discovery",
    "Enricher",
    "Evidence",
    "FoundBy",
    "Knowledge",
    "Outcome",
    "Practice",
    "PracticeFile",
    "PracticeFound",
    "Quality",
    "Unknown",
    "Value",
]
