"""A server on loopback that gives one good answer for each route of the HTTP API."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

THOUGHT = "3f2a6c1e-0000-4000-8000-000000000001"
SESSION = "5e55104e-0000-4000-8000-000000000001"
REPLY: dict[str, Any] = {
    "result": {
        "response": "Based on what was said: boundaries help.",
        "sources": [
            {
                "thought_id": THOUGHT,
                "contributor": "PDSA Agent",
                "score": 0.873,
                "content_preview": "boundaries\nhelp \x1b[2Jnow",
                "why": {"dense": 0.5},
            }
        ],
        "highways_nearby": ["roles (12 accesses, 4 agents)"],
        "disambiguation": {"total_found": 12, "clusters": [{"tag": "roles", "count": 12}]},
        "guidance": "Welcome!",
    },
    "trace": {
        "session_id": SESSION,
        "operations": ["retrieve"],
        "thoughts_retrieved": 1,
        "thoughts_contributed": 1,
        "contribution_threshold_met": True,
        "context_used": False,
        "retrieval_method": "hybrid",
        "thought_id": THOUGHT,
    },
}
RECORD: dict[str, Any] = {
    "thought_id": THOUGHT,
    "contributor_id": "pdsa",
    "contributor_name": "PDSA Agent",
    "content": "boundaries help",
    "context_metadata": None,
    "created_at": "2026-02-23T15:00:00.000000Z",
    "thought_type": "original",
    "source_ids": [],
    "tags": ["roles"],
    "access_count": 12,
    "last_accessed": None,
    "accessed_by": ["a", "b"],
    "access_log": [{"user_id": "a", "timestamp": "2026-02-23T15:00:00Z", "session_id": SESSION}],
    "co_retrieved_with": [{"thought_id": THOUGHT, "count": 2}],
    "pheromone_weight": 1.25,
    "knowledge_space_id": "ks-default",
    "affirmed_by": [],
    "erased_at": None,
}
LINK = {
    "thought_id": THOUGHT,
    "contributor": "PDSA Agent",
    "thought_type": "original",
    "content_preview": "x",
    "created_at": "2026-02-23T15:00:00Z",
    "came_from": [],
}
HIGHWAY = {
    "thought_id": THOUGHT,
    "content_preview": "boundaries help",
    "access_count": 12,
    "unique_users": 4,
    "traffic_score": 48,
    "pheromone_weight": 3.2,
    "tags": ["roles"],
}
HEALTH = {
    "status": "ok",
    "version": "0.1.0",
    "qdrant": {"status": "ok"},
    "collections": {"thought_space": {"points": 7}},
    "database": {"status": "ok"},
    "embedding": {"status": "ok", "model": "m"},
}
ANSWERS: dict[tuple[str, str], Any] = {
    ("POST", "/api/v1/memory"): REPLY,
    ("POST", "/api/v1/memory/feedback"): {
        "thought_id": THOUGHT,
        "session_id": SESSION,
        "signal": "useful",
        "pheromone_weight": 1.1,
    },
    ("GET", f"/api/v1/thoughts/{THOUGHT}"): RECORD,
    ("DELETE", f"/api/v1/thoughts/{THOUGHT}"): {"thought_id": THOUGHT, "erased_at": "2026"},
    ("GET", f"/api/v1/thoughts/{THOUGHT}/provenance"): {
        "thought_id": THOUGHT,
        "came_from": [LINK],
        "built_into": [],
    },
    ("GET", "/api/v1/highways"): [HIGHWAY],
    ("GET", "/api/v1/health"): HEALTH,
    ("POST", "/api/v1/maintenance/decay"): {"settled": 3},
    ("GET", "/api/v1/export"): {"record": "thought", "content": "boundaries help"},
}


class Fake:
    """What was asked, and what is answered; change `answers` to be told something else."""

    def __init__(self) -> None:
        self.answers = dict(ANSWERS)
        self.asked: list[tuple[str, str, Any]] = []
        self.url = ""

    def reply(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        route = path.partition("?")[0]
        self.asked.append((method, path, json.loads(body) if body else None))
        answer = self.answers.get((method, route))
        if isinstance(answer, bytes):
            return 200, answer
        if answer is None:
            error = {"code": "THOUGHT_NOT_FOUND", "message": "there is no such thought"}
            return 404, json.dumps({"error": error}).encode()
        return 200, json.dumps(answer).encode()


@contextmanager
def running():
    fake = Fake()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            status, text = fake.reply(self.command, self.path, body)
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 — the names the base class calls

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        fake.url = f"http://127.0.0.1:{server.server_port}"
        yield fake
        server.shutdown()
        thread.join()
