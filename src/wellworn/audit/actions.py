"""The closed list of what an audit trail can tell of."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """What was done, noun first. Names are only ever added: old entries keep theirs."""

    MEMORY_RECALLED = "memory.recalled"
    MEMORY_REMEMBERED = "memory.remembered"
    MEMORY_FORGOTTEN = "memory.forgotten"
    MEMORY_JUDGED = "memory.judged"
    THOUGHT_READ = "thought.read"
    THOUGHT_FOUND = "thought.found"
    THOUGHT_LISTED = "thought.listed"
    PRACTICE_STORED = "practice.stored"
    PRACTICE_FOUND = "practice.found"
    SPACE_CREATED = "space.created"
    SPACE_CHANGED = "space.changed"
    SPACE_READ = "space.read"
    SPACE_OPENED = "space.opened"
    SPACE_LOCKED = "space.locked"
    SPACE_SEALED = "space.sealed"
    SPACE_ROTATED = "space.rotated"
    SPACE_RESEALED = "space.resealed"
    SPACE_DELETED = "space.deleted"
    MEMBER_INVITED = "member.invited"
    MEMBER_JOINED = "member.joined"
    MEMBER_CHANGED = "member.changed"
    MEMBER_REVOKED = "member.revoked"
    CREDENTIAL_CREATED = "credential.created"
    CREDENTIAL_ROTATED = "credential.rotated"
    CREDENTIAL_REVOKED = "credential.revoked"
    ACCESS_REFUSED = "access.refused"
    LIMIT_REACHED = "limit.reached"
    SECRET_REDACTED = "secret.redacted"  # noqa: S105  (names an action)
    QUARANTINE_HELD = "quarantine.held"
    QUARANTINE_RELEASED = "quarantine.released"
    QUARANTINE_DROPPED = "quarantine.dropped"
    ROLLBACK_MADE = "rollback.made"
    EXPORT_MADE = "export.made"
    IMPORT_MADE = "import.made"
    BACKUP_MADE = "backup.made"
    AUDIT_READ = "audit.read"
    AUDIT_EXPORTED = "audit.exported"
