"""Records of questions, for imports that make a memory large without embedding anything."""

from __future__ import annotations

from typing import Any
from uuid import uuid4


def make_query(session: str, text: str) -> dict[str, Any]:
    """Return the record of a question that found nothing."""
    return {
        "record": "query",
        "id": str(uuid4()),
        "agent_id": "ada",
        "session_id": session,
        "query_text": text,
        "context_text": None,
        "query_vector": None,
        "returned_ids": [],
        "timestamp": "2026-01-01T00:00:00Z",
        "retrieval_method": "hybrid",
        "policy_version": 1,
        "offered_tags": None,
        "contributed_id": None,
    }
