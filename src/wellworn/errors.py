"""Every error wellworn raises on purpose, in one tree.

WellwornError
├── InvalidInput            the caller can fix it by sending something else
│   ├── InvalidThoughtType  thought_type is none of the three
│   └── MissingSources      a refinement or consolidation names no source
├── NotFound                nothing there, or nothing the caller may know of
│   ├── ThoughtNotFound
│   ├── SessionNotFound
│   ├── SpaceNotFound       no such space, or none the caller may know of
│   ├── SourceNotFound      no such source of knowledge, or none the caller may see
│   ├── DocumentNotFound    no such document, or none that is served
│   ├── TurnNotFound        no such turn, or another member's
│   └── CredentialNotFound  no such credential, member or invitation, or not the caller's
├── Unauthenticated         no credential, or none that is valid now
├── Forbidden               the credential is valid and its role or scope is too small
├── SpaceLocked             a sealed space that the caller's credential cannot unlock
├── SyncRunning             the source is being synced by another call
├── RateLimited             too many calls; `retry_after_s` says how long to wait
├── Overloaded              more calls than can be answered; `retry_after_s` as above
├── ExtractionUnavailable   the process that reads files could not be started
├── EmbeddingFailed         the model file is missing, damaged, or refused the text
├── ReadingFailed           the reader's model is missing or damaged, or its server does not answer
├── IndexUnavailable        the vector index did not answer
│   └── IndexDamaged        a file of it is; `retry_after_s` says when it is made again
├── StorageUnavailable      the database did not answer
│   ├── DiskFull            its disk is full; what reads goes on
│   └── DatabaseAway        it runs elsewhere and cannot be reached now; `retry_after_s` as above
├── StoreInUse              another process owns the data folder
│   └── HeldElsewhere       another server of the database has what the call is about
├── KeyUnavailable          the server's own key is not where the settings say, or not the one
└── DamagedStore            the data folder cannot be read as what it should be
    └── Tampered            a sealed record, a grant or the audit trail is not as it was written

`code` is what a caller sees; every interface translates it through one table of its own.
Messages are written for the caller and never contain their input or a path of the server.
"""

from __future__ import annotations

from typing import ClassVar


class WellwornError(Exception):
    """The root; `retryable` says whether the same call may succeed later."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(WellwornError):
    code = "VALIDATION_ERROR"


class InvalidThoughtType(InvalidInput):
    code = "INVALID_THOUGHT_TYPE"


class MissingSources(InvalidInput):
    code = "MISSING_SOURCE_IDS"


class NotFound(WellwornError):
    code = "NOT_FOUND"


class ThoughtNotFound(NotFound):
    code = "THOUGHT_NOT_FOUND"


class SessionNotFound(NotFound):
    code = "SESSION_NOT_FOUND"


class SpaceNotFound(NotFound):
    code = "SPACE_NOT_FOUND"


class CredentialNotFound(NotFound):
    code = "CREDENTIAL_NOT_FOUND"


class SourceNotFound(NotFound):
    code = "SOURCE_NOT_FOUND"


class TurnNotFound(NotFound):
    code = "TURN_NOT_FOUND"


class DocumentNotFound(NotFound):
    code = "DOCUMENT_NOT_FOUND"


class Unauthenticated(WellwornError):
    code = "UNAUTHENTICATED"


class Forbidden(WellwornError):
    code = "FORBIDDEN"


class SpaceLocked(WellwornError):
    code = "SPACE_LOCKED"


class SyncRunning(WellwornError):
    code = "SYNC_RUNNING"
    retryable = True


class RateLimited(WellwornError):
    code = "RATE_LIMITED"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: int, limit: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.limit = limit


class Overloaded(WellwornError):
    code = "OVERLOADED"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ExtractionUnavailable(WellwornError):
    code = "EXTRACTION_UNAVAILABLE"
    retryable = True


class EmbeddingFailed(WellwornError):
    code = "EMBEDDING_FAILED"
    retryable = True


class ReadingFailed(WellwornError):
    retryable = True


class IndexUnavailable(WellwornError):
    code = "QDRANT_ERROR"
    retryable = True


class IndexDamaged(IndexUnavailable):
    code = "NOT_READY"

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class StorageUnavailable(WellwornError):
    retryable = True


class DiskFull(StorageUnavailable):
    """The disk has no room for a write; what only reads goes on."""


class DatabaseAway(StorageUnavailable):
    """A database of another machine or process is not there for now."""

    code = "NOT_READY"

    def __init__(self, message: str, *, retry_after_s: int = 5) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class StoreInUse(WellwornError):
    retryable = True


class HeldElsewhere(StoreInUse):
    """Another server has it: a call that comes there, or here when it has it no longer, is done."""

    code = "NOT_READY"

    def __init__(self, message: str, *, retry_after_s: int = 5) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DamagedStore(WellwornError):
    pass


class Tampered(DamagedStore):
    pass


class KeyUnavailable(WellwornError):
    pass
