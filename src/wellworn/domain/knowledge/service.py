"""Best practices' use cases: ingest, and look up by meaning. Each is a document of the handbook.

Source: the earlier endpoints keep working unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from wellworn.domain.inspection import Inspector
from wellworn.domain.sources import HandbookEntry, IndexedDraft, Sources
from wellworn.domain.spaces import Access
from wellworn.engines.safety import redact
from wellworn.engines.storage.sql import Database, Lose, Transaction
from wellworn.errors import InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.ids import derive_id
from wellworn.kit.text import is_storable


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
    """The file of some chunks, with their numbers in order; `path` is empty without a file."""

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


class Knowledge:
    """Best practices, stored and searched; every method needs an Access."""

    def __init__(
        self,
        database: Database,
        sources: Sources,
        clock: Clock,
        inspector: Inspector | None = None,
    ) -> None:
        self._database = database
        self._handbook = sources.handbook
        self._clock = clock
        self._inspector = inspector or Inspector()

    def ingest(self, access: Access, practice: Practice) -> tuple[str, bool]:
        """Store a chunk; return its id and whether it was new. The same chunk is stored once.

        Raises:
            InvalidInput: the content is empty or not storable.
        """
        practice = _redact(practice)
        if not practice.content.strip():
            message = "content is required and must be a non-empty string"
            raise InvalidInput(message)
        texts = (practice.content, practice.domain, practice.source, practice.file_path)
        if not all(is_storable(text) for text in texts):
            message = "text must not contain NUL or unpaired surrogate characters"
            raise InvalidInput(message)
        if access.is_inspected and self._inspector.is_order(*texts):
            raise InvalidInput("it reads like an instruction; only an admin can store it")
        practice_id = derive_id(
            practice.domain, practice.file_path, str(practice.chunk_index), practice.content
        )
        row = {"id": practice_id, **asdict(practice), "timestamp": self._clock.now()}
        ready = self.prepare(access, [row])
        with self._database.write() as transaction:
            return practice_id, self.take(transaction, access, ready) > 0

    def query(
        self, access: Access, text: str, *, domain: str | None = None, limit: int = 5
    ) -> list[PracticeHit]:
        """Return the chunks nearest in meaning, best first."""
        hits = self._handbook.search(access, text, domain=domain, limit=limit)
        return [
            PracticeHit(
                text.document.path,
                cosine,
                Practice(text.text, **text.document.metadata),
                text.document.fetched_at,
            )
            for cosine, text in hits
        ]

    def files(self, transaction: Transaction, access: Access) -> list[PracticeFile]:
        """Return every file that chunks of the space are of, oldest first."""
        chunks_by_file: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for number, about in self._handbook.load_metadata(transaction, access):
            key = about["domain"], about["source"], about["file_path"]
            chunks_by_file.setdefault(key, []).append((about["chunk_index"], number))
        return [
            PracticeFile(*key, tuple(number for _, number in sorted(chunks)))
            for key, chunks in chunks_by_file.items()
        ]

    def chunks(
        self, transaction: Transaction, access: Access, file: PracticeFile, *, limit: int
    ) -> list[PracticeChunk]:
        """Return the first `limit` chunks of a file, in its order."""
        texts = self._handbook.load_texts(transaction, access, file.chunks[:limit])
        return [
            PracticeChunk(text.document.path, text.text, file.source, text.document.fetched_at)
            for text in texts
        ]

    def export(self, access: Access, lose: Lose) -> Iterator[dict[str, Any]]:
        """Yield every chunk of the space in the order they were stored."""
        for row in self._handbook.export_records(access, lose):
            yield {
                "id": row["path"],
                "content": row["content"],
                **row["metadata"],
                "timestamp": row["fetched_at"],
            }

    def prepare(self, access: Access, rows: Sequence[Mapping[str, Any]]) -> list[IndexedDraft]:
        """Cut and embed exported chunks that are new.

        Raises:
            EmbeddingFailed: the encoder failed.
        """
        return self._handbook.prepare(access, [_to_entry(row) for row in rows])

    def take(self, transaction: Transaction, access: Access, ready: Sequence[IndexedDraft]) -> int:
        """Store and index what was prepared and is still new; return how many chunks that is.

        Raises:
            IndexUnavailable: the vector index refused the points.
        """
        return self._handbook.add(transaction, access, ready)

    def count(self, access: Access) -> int:
        """Count the chunks of the space."""
        return self._handbook.count(access)


def _to_entry(row: Mapping[str, Any]) -> HandbookEntry:
    about = {name: value for name, value in row.items() if name not in _OWN}
    return HandbookEntry(row["id"], row["content"], about, row["timestamp"])


_OWN = frozenset({"id", "content", "timestamp"})


def _redact(practice: Practice) -> Practice:
    return replace(
        practice,
        content=redact(practice.content).text,
        domain=redact(practice.domain).text,
        source=redact(practice.source).text,
        file_path=redact(practice.file_path).text,
        file_name=redact(practice.file_name).text,
    )
