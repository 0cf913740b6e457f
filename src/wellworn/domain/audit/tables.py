"""The audit trail's rows; nothing updates or deletes them, not even when their space is deleted.

Entries are kept as the very bytes that were chained, so that reading them back changes nothing.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, Integer, LargeBinary, String, Table

from wellworn.engines.storage.sql import metadata

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    # Canonical JSON.
    Column("entry", LargeBinary, nullable=False),
    Column("hash", LargeBinary(32), nullable=False),
)

audit_checkpoints = Table(
    "audit_checkpoints",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("head", LargeBinary(32), nullable=False),
    Column("made_at", Float, nullable=False),
    Column("signature", LargeBinary(64), nullable=False),
    # SHA-256 of the public key that made the signature.
    Column("key_fingerprint", LargeBinary(32), nullable=False),
)
