"""Sealed spaces in a server in this process, and a look at everything it leaves on the disk."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from api.world import World, accepted
from wellworn.application.settings import Settings
from wellworn.domain.spaces import SpaceSettings
from wellworn.engines.crypto import ApiKey, KeyPrefix
from wellworn.testing.embedder import HashEmbedder

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LINES = {"content-type": "application/x-ndjson"}
IDLE_S = 900.0
OFTEN = 10**6
SETTINGS = SpaceSettings(
    idle_s=IDLE_S,
    reads_a_minute=OFTEN,
    writes_a_minute=OFTEN,
    transfers_a_minute=OFTEN,
    administration_a_minute=OFTEN,
)


@dataclass(frozen=True)
class Bearer:
    """A client that sends a credential and a space with every request."""

    client: Any
    key: str
    space: str

    def request(self, method: str, url: str, **more: Any) -> Any:
        headers = {"authorization": f"Bearer {self.key}", "wellworn-space": self.space}
        return self.client.request(method, url, headers=headers | more.pop("headers", {}), **more)

    def get(self, url: str, **more: Any) -> Any:
        return self.request("GET", url, **more)

    def post(self, url: str, **more: Any) -> Any:
        return self.request("POST", url, **more)


@dataclass(frozen=True)
class Place(World):
    """A world seen by a member of one of its spaces."""

    client: Bearer
    member: str

    @property
    def key(self) -> str:
        return self.client.key

    @property
    def space(self) -> str:
        return self.client.space

    @property
    def is_open(self) -> bool:
        return self.app.guard.pool.is_open(self.space)

    def close(self) -> None:
        """Drop the space from memory, as half an hour without a call does."""
        with self.app.guard.pool.close_for(self.space):
            pass

    def change(self, what: str = "", method: str = "POST", **body: Any) -> Any:
        """Do something to the space itself and return the body of a 200."""
        more = {"json": body} if body or what == "/invitations" else {}
        return accepted(self.client.request(method, f"/api/v1/spaces/{self.space}{what}", **more))

    def shared(self, name: str = "friend", **invitation: Any) -> Place:
        """Invite somebody new, who joins."""
        token = self.change("/invitations", **invitation)["token"]
        body = {"token": token, "name": name}
        joined = self.client.client.post("/api/v1/invitations/accept", json=body)
        joined = accepted(joined)
        key, member = joined["issued"]["key"], joined["membership"]["member_id"]
        return replace(self, client=replace(self.client, key=key), member=member)

    def data_key(self) -> bytes:
        """Return the 32 bytes that a member who wants to could keep."""
        return self.unlocked().data_key.material()

    def unlocked(self) -> Any:
        access = self.app.authenticator.enter(self.key, self.space)
        return self.app.administration._spaces.unlock(access)

    def export(self) -> str:
        return self.client.get("/api/v1/export").text

    def import_records(self, *records: Any) -> Any:
        """Import records and embed them, as the background does in a while."""
        body = "".join(json.dumps(one) + "\n" for one in records).encode()
        answer = accepted(self.client.post("/api/v1/import", content=body, headers=LINES))
        self.app.embedding.finish()
        return answer


def founded(world: World, name: str = "lab", *, sealed: bool = True, **policy: Any) -> Place:
    door = world.client.client if isinstance(world.client, Bearer) else world.client
    made = accepted(door.post("/api/v1/spaces", json={"name": name, "sealed": sealed, **policy}))
    client = Bearer(door, made["issued"]["key"], made["space"]["id"])
    return Place(world.home, world.clock, world.app, client, made["space"]["created_by"])


def false_key(key: str) -> str:
    """Return a key of the same number and form with another secret."""
    number, _, secret = key.rpartition("_")
    return f"{number}_{'b' if secret.startswith('a') else 'a'}{secret[1:]}"


@dataclass(frozen=True)
class Anywhere:
    """Opens a server on a folder of a name; its limits keep out of the way."""

    opened: Any

    def __call__(self, name: str = "home", **more: Any) -> World:
        settings = Settings(spaces=SETTINGS, **more)
        return self.opened(HashEmbedder(), settings, self.opened.home.with_name(name))


def restarted(anywhere: Any, place: Place) -> Place:
    """End the server and start another on the same folder."""
    place.app.close()
    world = anywhere(place.home.name)
    return replace(
        place, clock=world.clock, app=world.app, client=replace(place.client, client=world.client)
    )


WINDOW = 8
"""Bytes; of six letters, one in a hundred runs of the suite met some in the base64 of a nonce."""
_VARIED = 4
"""Different bytes in a window that is looked for; runs of zeros are everywhere."""


def nonsense(seed: int, many: int = 6) -> str:
    """Return words that no other text has eight letters in common with."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices(LETTERS, k=9)) for _ in range(many))


def numbers(content: bytes) -> np.ndarray:
    """Return every window of eight bytes as a number."""
    every = np.frombuffer(content, np.uint8).astype(np.uint64)
    size = len(every) - WINDOW + 1
    whole = np.zeros(max(0, size), np.uint64)
    for place in range(WINDOW if size > 0 else 0):
        whole |= every[place : place + size] << np.uint64(8 * place)
    return whole


@dataclass(frozen=True)
class Traces:
    """What to look for: windows of eight bytes as numbers, and ids as a whole.

    Eight bytes of an id are eight hex digits, which other ids have by chance.
    """

    windows: np.ndarray
    ids: tuple[bytes, ...] = ()


def windows(*secrets: bytes | str, ids: tuple[bytes, ...] = ()) -> Traces:
    """Return what to look for, without windows of fewer than four different bytes."""
    found = []
    for secret in secrets:
        content = secret.encode() if isinstance(secret, str) else secret
        parts = {content[at : at + WINDOW] for at in range(len(content) - WINDOW + 1)}
        found += [part for part in parts if len(set(part)) >= _VARIED]
    return Traces(np.unique(np.concatenate([numbers(part) for part in found])), ids)


def seen(folder: Path, wanted: Traces) -> list[str]:
    """Return the files below a folder that have one of the traces anywhere."""
    return [
        str(file.relative_to(folder))
        for file in sorted(folder.rglob("*"))
        if file.is_file() and is_in(file.read_bytes(), wanted)
    ]


def is_in(content: bytes, wanted: Traces) -> bool:
    if any(whole in content for whole in wanted.ids):
        return True
    step = 1 << 20
    for start in range(0, len(content), step):
        part = content[start : start + step + WINDOW - 1]
        if part.count(0) == len(part):
            continue
        if np.isin(numbers(part), wanted.windows).any():
            return True
    return False


class Talk:
    """Texts, tags and names that nobody else uses, and what they look like in every form."""

    def __init__(self) -> None:
        self._seeds = count(1)
        self.said: list[bytes | str] = []
        self.ids: list[str] = []

    def new(self, many: int = 6) -> str:
        text = nonsense(next(self._seeds), many)
        self.said.append(text)
        return text

    def embedded(self, text: str) -> str:
        vector = HashEmbedder().embed([text])[0]
        self.said += [vector.tobytes(), vector.astype(np.float16).tobytes()]
        return text

    def keys(self, *texts: str) -> None:
        """Add everything about keys and tokens that only their bearers may have."""
        for text in texts:
            token = ApiKey.parse(text, KeyPrefix(text[:2]))
            secret = text.rpartition("_")[2]
            parts = (secret[at : at + WINDOW] for at in range(len(secret) - WINDOW + 1))
            # Eight letters and no digit are in English words, too, by chance.
            self.said += [part for part in parts if not part.isalpha()]
            self.said += [token.secret, token.kek]

    def windows(self) -> Traces:
        whole = [each.encode() for each in self.ids] + [UUID(each).bytes for each in self.ids]
        return windows(*self.said, ids=tuple(whole))


def records(place: Place) -> list[tuple[Any, ...]]:
    return place.rows(
        "SELECT kind, number, epoch, revision, blob FROM sealed_records WHERE space_id = ?",
        place.space,
    )
