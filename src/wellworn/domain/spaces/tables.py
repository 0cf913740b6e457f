"""Members, their credentials, and the spaces they belong to.

`knowledge_spaces` and `space_memberships` have the columns of the seed, grown by what sealing
needs; `agent_id` there is a member. No column holds anything that opens a sealed space by itself:
of a credential only a verifier is stored, private keys are sealed under it, data keys are wrapped.

Source: agent memory, iteration 10; `docs/adr/0012-spaces.md`.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from wellworn.engines.storage.sql import metadata

members = Table(
    "members",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("encryption_public", LargeBinary, nullable=False),
    Column("signing_public", LargeBinary, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("created_by", String, nullable=False),
)

credentials = Table(
    "credentials",
    metadata,
    Column("kid", String, primary_key=True),
    Column("member_id", String(36), ForeignKey("members.id"), nullable=False),
    Column("parent_kid", String),
    Column("label", String, nullable=False),
    Column("verifier", LargeBinary, nullable=False),
    Column("sealed_identity", LargeBinary, nullable=False),
    Column("role", String, nullable=False),
    # A JSON list; NULL for every space of the member.
    Column("spaces", Text),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("revoked_at", Float),
    Column("last_used_at", Float),
    Index(None, "member_id"),
    Index(None, "parent_kid"),
)

knowledge_spaces = Table(
    "knowledge_spaces",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("created_by", Text, nullable=False),
    # The check value of the newest epoch's key, by which a right key is known.
    Column("encryption_key_hash", Text),
    Column("settings", Text, nullable=False, default="{}"),
    Column("mode", String, nullable=False),
    Column("epoch", Integer, nullable=False, default=0),
)

space_memberships = Table(
    "space_memberships",
    metadata,
    Column("space_id", String, ForeignKey("knowledge_spaces.id"), primary_key=True),
    Column("agent_id", String(36), ForeignKey("members.id"), primary_key=True),
    Column("role", String, nullable=False),
    Column("granted_at", Text, nullable=False),
    Column("granted_by", Text, nullable=False),
    # The founder's public key as the member saw it on joining, sealed under the member's own key:
    # a writer to the database cannot put another founder in its place.
    Column("pinned", LargeBinary),
    Index(None, "agent_id"),
)

space_epochs = Table(
    "space_epochs",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("key_check", LargeBinary, nullable=False),
    Column("previous_hash", LargeBinary),
    Column("author", String(36), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)

space_grants = Table(
    "space_grants",
    metadata,
    Column("space_id", String, primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("member_id", String(36), primary_key=True),
    Column("encryption_public", LargeBinary, nullable=False),
    Column("signing_public", LargeBinary, nullable=False),
    Column("role", String, nullable=False),
    # Gone after a reseal; the statement that a role was granted stays, as later ones rest on it.
    Column("wrapped", LargeBinary),
    Column("wrapped_hash", LargeBinary, nullable=False),
    Column("granted_by", String, nullable=False),
    Column("signature", LargeBinary, nullable=False),
)

# Browsers that are signed in; nothing here lets anybody in by itself.
browser_sessions = Table(
    "browser_sessions",
    metadata,
    # The digest of its cookie.
    Column("id", String(64), primary_key=True),
    # The number of its credential; of a signed token its digest.
    Column("holder", String, nullable=False),
    Column("browser", String, nullable=False),
    Column("began_at", Float, nullable=False),
    Index(None, "holder"),
)

# Clients that members let in by OAuth; before its code is exchanged one is no credential yet.
oauth_connections = Table(
    "oauth_connections",
    metadata,
    # The number of its credential, of its code and of its tokens.
    Column("kid", String, primary_key=True),
    # The number of the credential that let it in.
    Column("holder", String, nullable=False),
    Column("member_id", String(36), nullable=False),
    Column("label", String, nullable=False),
    # The digest of the id that the client registered under.
    Column("client", String(64), nullable=False),
    Column("space_id", String, nullable=False),
    Column("role", String, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("challenge", String, nullable=False),
    Column("resource", Text, nullable=False),
    Column("made_at", Float, nullable=False),
    Column("code_verifier", LargeBinary, nullable=False),
    # NULL until the code is exchanged.
    Column("access_verifier", LargeBinary),
    Column("access_ends_at", Float),
    Column("refresh_verifier", LargeBinary),
    # Of what all its refresh tokens have in common, by which a used one is known.
    Column("family_verifier", LargeBinary),
    Index(None, "holder"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", String, primary_key=True),
    Column("space_id", String, ForeignKey("knowledge_spaces.id"), nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("role", String, nullable=False),
    Column("verifier", LargeBinary, nullable=False),
    # Gone once it is accepted or revoked; its digest stays, because the signature covers it.
    Column("wrapped", LargeBinary),
    Column("wrapped_hash", LargeBinary),
    Column("acceptance_key", LargeBinary),
    Column("founder", LargeBinary),
    Column("invited_by", String, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("accepted_by", String),
    Column("revoked_at", Float),
    Column("signature", LargeBinary),
    # The number of a credential; of what was made without one, nothing.
    Column("made_with", String),
    Index(None, "space_id"),
)
