"""Names callers in the audit trail, and the trail of what is done in no space.

Source: `docs/security.md`.
"""

from __future__ import annotations

import uuid
from typing import Final

from wellworn.domain.audit import Actor
from wellworn.domain.spaces import Access
from wellworn.engines.storage.sealed import Loss

SERVER_TRAIL: Final = "server"
"""The trail of what was done in no space: to credentials, to logins, to all of the memory."""

FRAME: Final = "frame"
"""The detail with the number of a sealed space's last transaction."""


def count_losses(loss: Loss) -> dict[str, int]:
    """Return what the audit trail tells of lost records; nothing where none are."""
    return {"lost_records": loss.records, "lost_rows": len(loss.rows)} if loss.records else {}


def audit_actor(access: Access) -> Actor:
    """Return how the audit trail names a caller; every call has a number of its own."""
    credential = access.credential
    return Actor(
        access.principal,
        credential=credential.kid if credential else None,
        owner=access.owner,
        request_id=new_request(),
    )


def new_request() -> str:
    """Return a number for a call."""
    return uuid.uuid4().hex
