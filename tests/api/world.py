"""A server in this process and what can be asked of it, for tests that read as stories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from empty_memory import look_into
from wellworn.application.calls import App
from wellworn.testing.clock import ManualClock

NOBODY = "00000000-0000-4000-8000-000000000000"

Json = Any


@dataclass(frozen=True)
class World:
    """A server with an open memory; every method but the last sends one request."""

    home: Path
    clock: ManualClock
    app: App
    client: TestClient

    def ask(self, prompt: str, agent: str = "ada", **more: Json) -> Json:
        """Talk to memory as an agent and return the body of a 200."""
        return accepted(self.client.post("/api/v1/memory", json=talk(prompt, agent, **more)))

    def know(self, content: str, agent: str = "zoe", **more: Json) -> str:
        """Store a thought without retrieving any and return its id."""
        body = {"content": content, "contributor_id": agent, "contributor_name": agent.title()}
        body |= {"thought_type": "original", "source_ids": [], "tags": [], **more}
        return accepted(self.client.post("/api/v1/think", json=body))["thought_id"]

    def feedback(self, session_id: str, thought_id: str, signal: str, **more: Json) -> Json:
        body = {"session_id": session_id, "thought_id": thought_id, "signal": signal, **more}
        return accepted(self.client.post("/api/v1/memory/feedback", json=body))

    def forget(self, thought_id: str, agent: str = "ada", **more: Json) -> Json:
        url = f"/api/v1/thoughts/{thought_id}"
        return accepted(self.client.request("DELETE", url, json={"agent_id": agent, **more}))

    def record(self, thought_id: str) -> Json:
        return self.read(f"thoughts/{thought_id}")

    def weight(self, thought_id: str) -> float:
        return self.record(thought_id)["pheromone_weight"]

    def read(self, path: str, **query: Json) -> Json:
        return accepted(self.client.get(f"/api/v1/{path}", params=query))

    def post(self, path: str, body: Json, **more: Json) -> Any:
        return self.client.post(f"/api/v1/{path}", json=body, **more)

    def send(self, method: str, path: str, body: Json = None) -> Any:
        return self.client.request(method, f"/api/v1/{path}", json=body)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Look into the database from outside, as an operator would."""
        with look_into(self.home) as records:
            return records.execute(statement, values).fetchall()

    def tables(self) -> list[str]:
        """Return the names of the database's tables."""
        with look_into(self.home) as records:
            return records.list_tables()


def talk(prompt: str, agent: str = "ada", **more: Json) -> Json:
    """Return the body of a call to memory."""
    return {"prompt": prompt, "agent_id": agent, "agent_name": agent.title(), **more}


def accepted(response: Any) -> Json:
    assert response.status_code in {200, 201}, response.text
    return response.json()


def refused(response: Any, status: int, code: str) -> str:
    """Check an error's status, code and shape, and return its message."""
    body = response.json()
    assert (response.status_code, body["error"]["code"]) == (status, code), response.text
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    assert response.headers["content-type"] == "application/json"
    return body["error"]["message"]


def ids(reply: Json) -> list[str]:
    """Return the thoughts that an answer shows, best first."""
    return [source["thought_id"] for source in reply["result"]["sources"]]
