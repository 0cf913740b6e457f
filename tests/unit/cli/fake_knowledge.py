"""One good answer for each route of knowledge; texts hold what could steer a terminal."""

from __future__ import annotations

from typing import Any

NOW = "2026-02-23T15:00:00.000000Z"
SOURCE: dict[str, Any] = {
    "id": 7,
    "source_type": "folder",
    "name": "mytech",
    "config": {"path": "/srv/mytech"},
    "has_secret": True,
    "agents": None,
    "sync_schedule": "0 3 * * *",
    "schedule_in_words": "At 03:00 every day",
    "time_zone": "UTC",
    "is_paused": False,
    "sync_status": "partial",
    "sync_error": "1 could not be read \x1b[2J",
    "last_synced_at": NOW,
    "last_attempt_at": NOW,
    "next_attempt_at": None,
    "failures": 0,
    "webhook": {"set_at": NOW, "last_delivery_at": None},
    "documents": 2,
    "created_at": NOW,
    "updated_at": NOW,
}
FINDABLE = {"readable": 2, "by_words": 2, "by_meaning": 1, "passages": 9, "waiting": 4}
SHOWN = {**SOURCE, "progress": {"done": 3, "total": 9}, "findable": FINDABLE}
OTHER = {**SOURCE, "id": 8, "name": "7", "is_paused": True, "sync_error": None}
SOURCES = {"sources": [SOURCE, OTHER]}
NEW_WEBHOOK = {"path": "/api/knowledge/sources/7/webhook", "secret": "a-secret"}
WEBHOOK_REMOVED = {"removed": True}
REMOVED = {"deleted": 7, "documents": 2}
RUN: dict[str, Any] = {
    "id": 31,
    "source_id": 7,
    "trigger": "hand",
    "started_at": NOW,
    "finished_at": NOW,
    "status": "partial",
    "counts": {"new": 1, "unchanged": 2},
    "message": "1 new, 2 unchanged",
    "problems": [{"path": "a\x1b[2J.pdf", "reason": "it has no text"}],
}
FAILED = {**RUN, "status": "failed", "message": "the folder does not exist", "problems": []}
RUNS = {"runs": [RUN, {**RUN, "id": 30, "finished_at": None, "problems": []}]}
SECRETS = {"secrets": [{"path": "a.md", "kind": "github", "line": 3}]}
DOCUMENT = {
    "id": 12,
    "source_id": 7,
    "source": "mytech",
    "path": "AGENTS.md",
    "title": "Infra\x1b[2Jstructure",
    "state": "current",
    "reason": None,
    "characters": 900,
    "content_hash": "ab",
    "metadata": {"kind": "markdown"},
    "fetched_at": NOW,
}
REFUSED = {**DOCUMENT, "id": 13, "title": None, "state": "refused", "reason": "it has no text"}
DOCUMENTS = {"documents": [DOCUMENT, REFUSED], "next_offset": 100}
PAGE = {"document": DOCUMENT, "text": "# Servers\n\x1b[2Jcube\n", "offset": 0, "next_offset": 20}
SNIPPET = {
    "text": "cube \x1b[2J (100.70.237.79)",
    "start": 20,
    "end": 44,
    "anchor": "servers",
    "headings": ["Servers"],
    "page": None,
    "citation": "mytech/AGENTS.md#servers",
    "exact": True,
    "score": 0.61,
}
FOUND = {
    "query": "cube",
    "results": [
        {
            "source": "mytech",
            "source_id": 7,
            "path": "AGENTS.md",
            "title": "Infrastructure",
            "document_id": 12,
            "score": 0.61,
            "snippets": [SNIPPET],
            "stale": True,
            "weak": False,
            "fetched_at": NOW,
        }
    ],
}
EVIDENCE = {
    "document_id": 12,
    "source": "mytech",
    "path": "AGENTS.md",
    "anchor": "servers",
    "citation": "mytech/AGENTS.md#servers",
    "text": "**cube** \x1b[2J (100.70.237.79): home GPU server",
    "start": 20,
    "end": 60,
}
FACT = {
    "term": "cube",
    "fact_type": "ip",
    "attribute": "",
    "value": "100.70.237.79",
    "start": 30,
    "end": 43,
    "confidence": 0.95,
    "derived_by": "compiler_1",
    "derived_at": NOW,
    "evidence": EVIDENCE,
}
ANSWER: dict[str, Any] = {
    "term": "cube",
    "outcome": "resolved",
    "found_by": "hot_terms",
    "canonical": "mytech/AGENTS.md#servers",
    "confidence": 0.9,
    "summary": "home GPU server \x1b[2J",
    "values": [FACT],
    "evidence": [EVIDENCE],
    "question": None,
    "candidates": [],
    "more_values": 0,
    "chosen_by": [],
}
CHOICE = {
    "kind": "decision",
    "words": "it moved \x1b[2J",
    "by": "ada",
    "others": [{"label": "cube", "citation": "lab/old.md", "summary": "a clock"}],
    "more": 2,
}
ASKED = {
    **ANSWER,
    "outcome": "ambiguous",
    "canonical": None,
    "values": [],
    "evidence": [],
    "question": "Which cube is meant?",
    "candidates": [
        {"label": "cube \x1b[2J", "citation": "mytech/AGENTS.md#servers", "summary": "a server"}
    ],
}
PROVENANCE = {"term": "cube", "values": [FACT]}
ARTIFACTS = {"artifacts": [{"name": "catalog.md", "compiled_at": NOW, "compiler_version": "1"}]}
HOT_TERMS = "# Hot Terms\n\n| cube \x1b[2J |\n"
COMPILED = {
    "documents": 2,
    "recompiled": 1,
    "facts": 9,
    "conflicts_open": 1,
    "tokens": 0,
    "seconds": 0.25,
    "compiler_version": "1",
    "note": "",
}
CONFLICT: dict[str, Any] = {
    "id": 3,
    "term": "cube",
    "fact_type": "ip",
    "claims": [
        {"value": "100.70.237.79", "evidence": EVIDENCE},
        {"value": "100.70.237.80", "evidence": EVIDENCE},
    ],
    "state": "resolved",
    "resolution": "100.70.237.80",
    "reason": "it moved \x1b[2J",
    "resolved_by": "ana",
    "resolved_at": NOW,
    "found_at": NOW,
}
CONFLICTS = {"conflicts": [CONFLICT]}
PINS = {"pins": ["cube \x1b[2J"]}
UNKNOWNS = {"unknowns": [{"term": "zebra", "times": 2, "note": "asked for \x1b[2J in vain"}]}
QUALITY = {
    "asked": 3,
    "resolved": 2,
    "ambiguous": 0,
    "not_stated": 0,
    "unknown": 1,
    "success_rate": 0.6667,
    "by_step": {"hot_terms": 2},
    "documents": 2,
    "found_by_words_only": 1,
    "refused": 1,
    "stale_documents": 0,
    "stale_sources": 0,
    "failing_sources": 0,
    "facts": 9,
    "conflicts_open": 1,
    "secrets_taken_out": 1,
    "top_unknown": UNKNOWNS["unknowns"],
}
RULING: dict[str, Any] = {
    "id": 5,
    "term": "box",
    "other": "cube",
    "verdict": "one",
    "reason": "the sticker",
    "said_by": "ada",
    "said_at": NOW,
}
RULINGS = {"rulings": [RULING, {**RULING, "id": 6, "other": "box", "reason": None}]}
RULING_UNDONE = {"undone": 5}
_ROUTES: dict[tuple[str, str], Any] = {
    ("POST", "sources"): SOURCE,
    ("GET", "sources"): SOURCES,
    ("GET", "sources/7"): SHOWN,
    ("PUT", "sources/7"): SOURCE,
    ("DELETE", "sources/7"): REMOVED,
    ("PUT", "sources/7/webhook"): NEW_WEBHOOK,
    ("DELETE", "sources/7/webhook"): WEBHOOK_REMOVED,
    ("POST", "sources/7/sync"): RUN,
    ("GET", "sources/7/runs"): RUNS,
    ("GET", "sources/7/secrets"): SECRETS,
    ("GET", "documents"): DOCUMENTS,
    ("GET", "documents/12"): PAGE,
    ("GET", "search"): FOUND,
    ("POST", "resolve"): ANSWER,
    ("POST", "aliases"): ANSWER,
    ("GET", "provenance"): PROVENANCE,
    ("GET", "artifacts"): ARTIFACTS,
    ("GET", "artifacts/hot_terms%2Emd"): HOT_TERMS.encode(),
    ("GET", "preamble"): HOT_TERMS.encode(),
    ("POST", "compile"): COMPILED,
    ("GET", "conflicts"): CONFLICTS,
    ("POST", "conflicts/3/decision"): CONFLICT,
    ("GET", "names"): RULINGS,
    ("POST", "names"): RULING,
    ("DELETE", "names/5"): RULING_UNDONE,
    ("GET", "pins"): PINS,
    ("PUT", "pins/cube"): PINS,
    ("DELETE", "pins/cube"): PINS,
    ("GET", "unknowns"): UNKNOWNS,
    ("GET", "quality"): QUALITY,
}
ANSWERS = {(method, f"/api/knowledge/{path}"): answer for (method, path), answer in _ROUTES.items()}
