"""Members and strangers at the walls of a server, for tests that attack it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from api.conftest import Worlds, fast_folder
from api.world import World, accepted
from empty_memory import drop_databases, look_into
from wellworn.application.settings import Settings
from wellworn.domain.spaces import Role, SpaceSettings
from wellworn.testing.embedder import HashEmbedder

Json = Any

UNLIMITED = dict.fromkeys(
    (*("reads_a_minute", "writes_a_minute"), *("transfers_a_minute", "administration_a_minute")),
    10**9,
)
"""Rates for tests of something else."""

# What may differ between two answers that must not: how many calls are left of a minute.
COUNTED = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset")
MCP = {"accept": "application/json, text/event-stream"}


@dataclass(frozen=True)
class Caller:
    """Somebody with a credential, in one space."""

    world: World
    key: str
    space: str
    member_id: str = ""

    @property
    def kid(self) -> str:
        return self.key.split("_")[1]

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}", "wellworn-space": self.space}

    def send(self, method: str, path: str, body: Json = None, **more: Any) -> Any:
        """Send one request; `headers` go beside the caller's own, or replace them."""
        headers = self.headers | dict(more.pop("headers", {}))
        return send(self.world, method, path, body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        return self.send("GET", path, **more)

    def post(self, path: str, body: Json = None, **more: Any) -> Any:
        return self.send("POST", path, body, **more)

    def know(self, content: str, agent: str = "zoe", **more: Json) -> str:
        return accepted(self.post("think", thought(content, agent, **more)))["thought_id"]

    def ask(self, prompt: str, agent: str = "ada", **more: Json) -> Json:
        body = {"prompt": prompt, "agent_id": agent, "agent_name": agent.title(), **more}
        return accepted(self.post("memory", body))

    def import_records(self, *records: Mapping[str, Json]) -> Any:
        """Import records and embed them, as the background does in a while."""
        answer = self.send("POST", "import", lines=lines(records))
        self.world.app.embedding.finish()
        return answer

    def everything(self) -> list[Json]:
        """Return the records of the space."""
        return [json.loads(line) for line in self.get("export").text.splitlines()]

    def trail(self) -> list[Json]:
        return accepted(self.get("audit", params={"limit": 1000}))["entries"]

    def tool(self, name: str, path: str = "/mcp", headers: Mapping[str, str] = {}, **given: Json):
        """Call a tool over MCP."""
        params = {"name": name, "arguments": given}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        sent = self.headers | MCP | dict(headers)
        return self.world.client.post(path, json=message, headers=sent)

    def guest(self, role: str = "contributor", name: str = "guest") -> Caller:
        """Invite somebody into the space and return them."""
        path = f"spaces/{self.space}/invitations"
        token = accepted(self.post(path, {"role": role}))["token"]
        joined = accepted(
            send(self.world, "POST", "invitations/accept", {"token": token, "name": name})
        )
        member = joined["membership"]["member_id"]
        return Caller(self.world, joined["issued"]["key"], self.space, member)

    def keyless_guest(self) -> Caller:
        """Invite somebody into a sealed space, close it, and take its key from them."""
        guest = self.guest()
        self.world.app.guard.pool.close_all()
        with look_into(self.world.home) as records:
            records.execute("DELETE FROM space_grants WHERE member_id = ?", (guest.member_id,))
        return guest

    def child(self, **limits: Json) -> Caller:
        """Make a child of the caller's credential and return its bearer."""
        made = accepted(self.post("credentials", {"name": "child", **limits}))
        return Caller(self.world, made["key"], self.space, self.member_id)


def send(world: World, method: str, path: str, body: Json = None, **more: Any) -> Any:
    """Send one request as nobody; `lines` are a body of JSON lines."""
    headers = dict(more.pop("headers", {}))
    content = more.pop("lines", None)
    if content is not None:
        headers["content-type"] = "application/x-ndjson"
        more["content"] = content
    elif body is not None:
        more["json"] = body
    path = path if path.startswith("/") else f"/api/v1/{path}"
    return world.client.request(method, path, headers=headers, **more)


def founded(world: World, name: str = "lab", *, sealed: bool = False) -> Caller:
    """Make a space at the open door and return its admin."""
    body = {"name": name, "sealed": sealed, "member_name": f"{name} owner"}
    made = accepted(world.post("spaces", body))
    member = made["issued"]["credential"]["member_id"]
    return Caller(world, made["issued"]["key"], made["space"]["id"], member)


def unlimited(**spaces: Any) -> Settings:
    """Return settings in which nobody calls too often."""
    return Settings(spaces=SpaceSettings(**(UNLIMITED | spaces)))


@contextmanager
def served(settings: Settings | None = None, **client: bool) -> Iterator[World]:
    """Serve a new memory; for the fixtures of whole modules."""
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        stack.callback(drop_databases, Path(folder))
        worlds = Worlds(Path(folder) / "home", stack)
        yield worlds(HashEmbedder(), settings or unlimited(), **client)


@contextmanager
def closed() -> Iterator[Caller]:
    """Serve a memory whose door is closed; yield an admin of its default space.

    As on a machine: the first credential is made while nobody else can reach the server.
    """
    with TemporaryDirectory(dir=fast_folder()) as folder, ExitStack() as stack:
        stack.callback(drop_databases, Path(folder))
        worlds = Worlds(Path(folder) / "home", stack)
        before = worlds(HashEmbedder(), unlimited())
        issued = before.app.administration.issue(None, "first", role=Role.ADMIN)
        before.app.close()
        world = worlds(HashEmbedder(), unlimited(require_credentials=True))
        yield Caller(world, issued.key, "ks-default", issued.credential.member_id)


def thought(content: str, agent: str = "zoe", **more: Json) -> Json:
    """Return the body of a thought to be stored."""
    body = {"content": content, "contributor_id": agent, "contributor_name": agent.title()}
    return body | {"thought_type": "original", "source_ids": [], "tags": [], **more}


def lines(records: Sequence[Mapping[str, Json]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def told(response: Any) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return all that an answer tells, but for how many calls are left."""
    pairs = [(name, value) for name, value in response.headers.multi_items() if name not in COUNTED]
    return response.status_code, sorted(pairs), response.content


def all_of(response: Any) -> bytes:
    """Return every byte of an answer, headers and body."""
    head = "\n".join(f"{name}: {value}" for name, value in response.headers.multi_items())
    return head.encode("latin-1", "replace") + b"\n\n" + response.content


def kept(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of the database but those that tell of calls."""
    # Each connection reads the whole schema anew, so all tables are read over one.
    with look_into(world.home) as database:
        wanted = [name for name in database.list_tables() if not name.startswith("audit_")]
        return {name: database.execute(f'SELECT * FROM "{name}"').fetchall() for name in wanted}
