"""The audit trail's rows; nothing updates or deletes them, not even when their space is deleted.

Entries are stored as the very bytes that were chained, so that reading them back changes nothing.
Only the keys of sealed trails change: they are sealed again under each key of their space.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, Integer, LargeBinary, String, Table

from wellworn.engines.storage.sql import metadata

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    # Canonical JSON: of the entry, or of the envelope that it is sealed in.
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

audit_keys = Table(
    "audit_keys",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", String, nullable=False),
    Column("encryption_public", LargeBinary, nullable=False),
    Column("signing_public", LargeBinary, nullable=False),
    # The private halves, sealed under the space's key; NULL once the space is deleted.
    Column("wrapped", LargeBinary),
    Column("mac", LargeBinary(32), nullable=False),
)

audit_pens = Table(
    "audit_pens",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("key_number", Integer, nullable=False),
    # What a process sealed entries with, encrypted for the key of that number.
    Column("wrapped", LargeBinary, nullable=False),
)
