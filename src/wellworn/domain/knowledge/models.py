"""Best practices: chunks of documents, searched by meaning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Practice:
    """One chunk; file and chunk fields are empty for content sent to /ingest."""

    content: str
    domain: str = ""
    source: str = ""
    file_path: str = ""
    file_name: str = ""
    chunk_index: int = 0
    total_chunks: int = 1


@dataclass(frozen=True, slots=True)
class PracticeHit:
    """A chunk in a result; score is the cosine similarity, -1 to 1."""

    id: str
    score: float
    practice: Practice
    timestamp: float


@dataclass(frozen=True, slots=True)
class PracticeFile:
    """What chunks are of, with their numbers in order; `path` is empty without a file."""

    domain: str
    source: str
    path: str
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PracticeChunk:
    """One chunk of a file, to be read in its order."""

    id: str
    content: str
    source: str
    timestamp: float
