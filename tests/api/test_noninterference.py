"""What one tenant does is nothing to another: not a byte of theirs comes back, nor any sign of it.

Both spaces are in one server, one database and one index. First a replay: what A is told must not
depend on B's calls. Then an assault: A asks everything of every route with B's ids in hand.
"""

from __future__ import annotations

import itertools
import json
import random
import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest

from api.walls import Caller, all_of, founded, lines, send, served, thought, unlimited
from api.world import accepted, talk
from wellworn.engines.crypto import CryptoSettings
from wellworn.engines.crypto.settings import KeySettings
from wellworn.kit import ids
from wellworn.kit.ids import new_id

# ---------------------------------------------------------------------------------- replay


@dataclass
class Fate:
    """Chance that each tenant has its own of, so that calls of one do not shift the other's."""

    who: str = "nobody"
    drawn: dict[str, itertools.count[int]] = field(default_factory=dict)

    def uuid4(self) -> uuid.UUID:
        number = next(self.drawn.setdefault(self.who, itertools.count()))
        return uuid.UUID(int=uuid.uuid5(uuid.NAMESPACE_OID, f"{self.who} {number}").int)

    def hex(self, nbytes: int) -> str:
        return self.uuid4().hex[: 2 * nbytes]

    def bytes(self, nbytes: int) -> bytes:
        return random.Random(self.uuid4().int).randbytes(nbytes)

    def choice(self, letters: str) -> str:
        return letters[self.uuid4().int % len(letters)]


@pytest.fixture
def fate(monkeypatch):
    fate = Fate()
    monkeypatch.setattr(ids, "uuid4", fate.uuid4)
    monkeypatch.setattr(uuid, "uuid4", fate.uuid4)
    monkeypatch.setattr(secrets, "token_hex", fate.hex)
    monkeypatch.setattr(secrets, "token_bytes", fate.bytes)
    monkeypatch.setattr(secrets, "choice", fate.choice)
    monkeypatch.setenv("WELLWORN_SERVER_KEY", "5a" * 32)
    return fate


WORDS = ["lamp", "oil", "wick", "tower", "keeper", "salt", "glass", "storm", "harbour", "bell"]


def said(number: int) -> str:
    chosen = random.Random(number).sample(WORDS, 4)
    return f"I have found that {chosen[0]} and {chosen[1]} spoil the {chosen[2]} near {chosen[3]}."


def story(caller: Caller) -> Any:
    """Yield, one by one, the answers to everything that can be asked of a space."""
    shown: list[str] = []
    for number in range(12):
        shown = yield from talked(caller, number)
    yield from built(caller, shown)
    for number in range(4):
        yield from looked(caller, number)
    for road in ("traffic", "pheromone", "recent", "use"):
        query = {"sort_by": road, "min_access": 1, "min_users": 0}
        yield caller.get("highways", params=query)
    for one in shown:
        yield caller.get(f"thoughts/{one}")
        yield caller.get(f"thoughts/{one}/provenance")
    yield caller.get("contributors/agent-1")
    yield caller.send("DELETE", f"thoughts/{shown[0]}", {"agent_id": "agent-1"})
    yield caller.post("memory", talk("what of the lamp and the oil?", explain=True))
    yield caller.post("maintenance/decay")
    for path in ("health", "export", "audit", "audit/verify", "audit/export"):
        yield caller.get(path)
    for path in ("spaces", "credentials", f"spaces/{caller.space}"):
        yield caller.get(path)


def talked(caller: Caller, number: int) -> Any:
    """Say, ask, judge, go on and try again; return what was shown."""
    body = talk(said(number), f"agent-{number % 3}", tags=[WORDS[number % 10]], explain=True)
    key = {"idempotency-key": f"key-{number}"}
    yield caller.post("memory", body, headers=key)
    reply = caller.post("memory", talk(f"what of the {WORDS[number % 10]}?", explain=True))
    yield reply
    answer = accepted(reply)
    shown = [one["thought_id"] for one in answer["result"]["sources"]]
    session = answer["trace"]["session_id"]
    judged = {"session_id": session, "signal": ("useful", "irrelevant")[number % 2]}
    for one in shown[:1]:
        yield caller.post("memory/feedback", {**judged, "thought_id": one})
    yield caller.post("memory", talk("tell me more", session_id=session))
    yield caller.post("memory", body, headers=key)
    return shown


def built(caller: Caller, shown: list[str]) -> Any:
    yield caller.post("think", thought(said(3), "again"))
    for one in shown[:2]:
        follows = thought(f"Built upon: {said(30)} {one[:4]}", source_ids=[one])
        yield caller.post("think", {**follows, "thought_type": "refinement"})


def looked(caller: Caller, number: int) -> Any:
    yield caller.post("ingest", {"content": said(number), "metadata": {"domain": "sea"}})
    yield caller.post("query", {"query": said(number + 1)})
    yield caller.get("search", params={"q": f"{WORDS[number]} {WORDS[-number]}"})
    yield caller.post("retrieve", retrieval(WORDS[number]))
    yield caller.tool("recall", query=f"the {WORDS[number]}", explain=True)


def retrieval(query: str) -> dict[str, Any]:
    return {"query": query, "agent_id": "ada", "session_id": new_id(), "explain": True}


def noise(caller: Caller) -> Any:
    """Yield after each of many calls that say what A says, and a lot besides."""
    chance = random.Random(7)
    for answer in itertools.chain.from_iterable(story(caller) for _ in range(3)):
        yield answer
        if chance.random() < 0.3:
            words = " ".join(chance.choices(WORDS, k=12))
            caller.know(words, "agent-1", tags=chance.sample(WORDS, 3))


def replayed(fate: Fate, *, sealed: bool, beside: bool) -> list[tuple[Any, ...]]:
    """Return all that A is told, with or without calls of B between A's own."""
    fate.who = "nobody"
    fate.drawn.clear()
    told: list[tuple[Any, ...]] = []
    # The trail's hashes hang on the server's key, which must be the same both times.
    key = CryptoSettings(key=KeySettings(source="environment"))
    settings = unlimited().model_copy(update={"crypto": key})
    with served(settings) as world:
        fate.who = "b"
        other = founded(world, "b")
        bustle = noise(other)
        fate.who = "a"
        story_of_a = story(founded(world, "a", sealed=sealed))
        while True:
            fate.who = "b"
            for _ in range(2 if beside else 0):
                next(bustle, None)
            fate.who = "a"
            answer = next(story_of_a, None)
            if answer is None:
                return told
            headers = {**answer.headers, "ratelimit-reset": ""}
            told.append((answer.request.url.path, answer.status_code, headers, answer.content))
            world.clock.advance(61)


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_what_a_tenant_is_told_does_not_depend_on_another_s_calls(fate, sealed):
    alone = replayed(fate, sealed=sealed, beside=False)
    beside = replayed(fate, sealed=sealed, beside=True)
    assert len(alone) > 100
    assert {status for _, status, _, _ in alone} == {200}
    for one, other in zip(alone, beside, strict=True):
        assert one == other


# --------------------------------------------------------------------------------- assault

CANARIES = ["xylophage", "quagswamp", "zyzzyva", "brouhahaha", "flibbert"]
"""Words of B that A never sends, in texts, tags, names, contexts and reasons."""

NAME = "ξυλοφάγος"
"""Of B's spaces, in letters that do not become part of an id, which A may send."""

BATCHES = 4
CALLS = 1_000


@dataclass(frozen=True)
class Victim:
    caller: Caller
    given: list[str]
    """Ids that have come into A's hands."""
    hidden: list[str]
    """Ids that have not: none of them may come back."""
    held: list[Any]


def victim(world: Any, *, sealed: bool) -> Victim:
    owner = founded(world, NAME, sealed=sealed)
    guest = owner.guest("contributor", f"{CANARIES[1]} guest")
    made: list[str] = []
    for number in range(12):
        word = CANARIES[number % 5]
        text = f"The {word} of {CANARIES[(number + 1) % 5]} keeps {WORDS[number % 10]} {number}."
        made.append(guest.know(text, f"{word}-agent", tags=[word, WORDS[number % 10]]))
        answer = guest.ask(f"{word}, {WORDS[number % 10]}?", f"{word}-agent", context=f"on {word}")
        made.append(answer["trace"]["session_id"])
        accepted(guest.post("ingest", {"content": text, "metadata": {"domain": word}}))
    accepted(owner.send("DELETE", f"thoughts/{made[0]}", {"agent_id": "x", "reason": CANARIES[2]}))
    records = owner.everything()
    queries = [one["id"] for one in records if one["record"] == "query"]
    token = accepted(owner.post(f"spaces/{owner.space}/invitations", {}))
    made += [*queries, token["invitation"]["id"], guest.child().kid, owner.child().kid]
    given = [*made[::2], owner.space, owner.member_id, guest.kid]
    return Victim(owner, given, [one for one in made[1::2] if one not in given], held(owner))


def held(owner: Caller) -> list[Any]:
    """Return all that a space holds, and who belongs to it; asked for, it leaves a line alone."""
    members = accepted(owner.get(f"spaces/{owner.space}/members"))
    return [*owner.everything(), members]


class Thief:
    """Makes requests out of words of its own, ids of its own, and ids that are not."""

    def __init__(self, caller: Caller, victims: list[Victim], seed: int) -> None:
        self.caller = caller
        self.chance = random.Random(seed)
        self.spaces = [one.caller.space for one in victims]
        self.ids = [one_id for one in victims for one_id in one.given]
        self.own = [caller.know(f"Mine, number {seed} {number}.") for number in range(3)]

    def some_id(self) -> str:
        if self.chance.random() < 0.1:
            return self.chance.choice(self.own)
        return self.chance.choice(self.ids) if self.chance.random() < 0.9 else new_id()

    def words(self) -> str:
        return " ".join(self.chance.choices([*WORDS, "?", "#lamp", "*", "%", "'", '"', "(("], k=5))

    def where(self) -> dict[str, str]:
        kinds = [{}, {}, {"wellworn-space": self.chance.choice(self.spaces)}]
        kinds += [{"idempotency-key": self.some_id()}, {"x-agent-id": self.some_id()}]
        return self.chance.choice(kinds)

    def call(self) -> Any:
        ways = [
            self.converse,
            self.look,
            self.rule,
            self.import_records,
            self.use_tool,
            self.nobody,
        ]
        return self.chance.choice(ways)()

    def converse(self) -> Any:
        label = self.chance.choice([self.some_id(), "ada", "local"])
        session = self.chance.choice([None, self.some_id()])
        bodies = {
            "memory": {
                **talk(self.words(), label, contribute="never"), "session_id": session,
                "explain": True, "limit": 50, "filter_tags": self.chance.choice([[], ["lamp"]]),
            },
            "memory/feedback": {
                "session_id": self.some_id(), "thought_id": self.some_id(), "signal": "useful"
            },
            "retrieve": {
                "query": self.words(), "agent_id": label, "session_id": self.some_id(),
                "limit": 50, "explain": True, "min_score": -1,
            },
            "think": thought(
                "Said once.", label, source_ids=self.chance.choice([[], [self.some_id()]])
            ),
            "query": {"query": self.words()},
        }  # fmt: skip
        path = self.chance.choice([*bodies])
        return self.caller.post(path, bodies[path], headers=self.where())

    def look(self) -> Any:
        one = self.some_id()
        query = {"limit": 50, "q": self.words(), "min_access": 0, "min_users": 0, "after": 0}
        path = self.chance.choice([
            *(f"thoughts/{one}", f"thoughts/{one}/provenance", f"contributors/{one}", "search"),
            *("highways", "health", "audit", "audit/verify", "export", "spaces", "credentials", ""),
            *(f"spaces/{one}", f"spaces/{one}/members"),
        ])  # fmt: skip
        return self.caller.get(path, params=query, headers=self.where())

    def rule(self) -> Any:
        space = self.chance.choice(self.spaces)
        one = self.some_id()
        ask = self.chance.choice([
            ("DELETE", f"spaces/{space}", None),
            ("PUT", f"spaces/{space}", {"unconfirmed_hours": 1}),
            ("DELETE", f"spaces/{space}/members/{one}", None),
            ("DELETE", f"spaces/{self.caller.space}/invitations/{one}", None),
            ("DELETE", f"spaces/{space}/invitations/{one}", None),
            ("POST", f"spaces/{space}/invitations", {}),
            ("POST", f"spaces/{space}/leave", None),
            ("POST", f"spaces/{space}/seal", None),
            ("POST", f"spaces/{space}/unseal", None),
            ("POST", f"spaces/{space}/rotate", None),
            ("POST", f"spaces/{space}/reseal", None),
            ("POST", f"spaces/{space}/rollback", {"owner": one, "since": "2020-01-01"}),
            ("DELETE", f"credentials/{one}", None),
            ("POST", f"credentials/{one}/rotate", None),
            ("POST", "invitations/accept", {"token": f"wi_{one[:12]:a<12}_{'a' * 52}"}),
            ("DELETE", f"thoughts/{one}", {"agent_id": one}),
        ])  # fmt: skip
        return self.caller.send(*ask, headers=self.where())

    def import_records(self) -> Any:
        one, words = self.some_id(), {"contributor_id": "eve", "contributor_name": "Eve"}
        session = {"record": "session", "id": one, "agent_id": "eve", "created_at": 1.0}
        record = self.chance.choice([
            {"record": "thought", "id": one, "content": self.words() + one, **words},
            {"record": "affirmation", "thought_id": one, "affirmed_at": 1.0, **words},
            {"record": "erasure", "thought_id": one, "erased_by": "eve", "reason": None,
             "erased_at": 1.0},
            {"record": "co_use", "thought_id": one, "other_id": self.own[0], "together": 3},
            {"record": "use", "thought_id": self.own[0], "agent_id": "eve", "kind": "useful",
             "session_id": one, "query_id": self.some_id(), "used_at": 1.0},
            session,
        ])  # fmt: skip
        return self.caller.send("POST", "import", lines=lines([record]), headers=self.where())

    def use_tool(self) -> Any:
        one = self.some_id()
        name, given = self.chance.choice([
            ("recall", {"query": self.words(), "limit": 50, "explain": True}),
            ("recall", {"query": self.words(), "session_id": one}),
            ("search", {"query": self.words()}),
            ("fetch", {"id": one}),
            ("forget", {"thought_id": one}),
            ("feedback", {"session_id": one, "thought_id": self.some_id(), "signal": "useful"}),
        ])  # fmt: skip
        path = self.chance.choice(["/mcp", f"/mcp/{self.chance.choice(self.spaces)}"])
        return self.caller.tool(name, path, headers=self.where(), **given)

    def nobody(self) -> Any:
        path = self.chance.choice(["health", "export", f"thoughts/{self.some_id()}", "spaces"])
        return send(self.caller.world, "GET", path, headers=self.where())


@pytest.fixture(scope="module")
def besieged():
    """A server with an open and a sealed space of B."""
    with served(raise_server_exceptions=False) as world:
        yield world, [victim(world, sealed=False), victim(world, sealed=True)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(BATCHES))
def test_of_thousands_of_requests_none_brings_anything_of_another_tenant(besieged, seed):
    world, victims = besieged
    thief = Thief(founded(world, f"thief {seed}"), victims, seed)
    forbidden = [word.encode() for word in (*CANARIES, NAME)]
    forbidden += [one.encode() for victim in victims for one in victim.hidden]
    statuses: dict[int, int] = {}
    for _ in range(CALLS):
        reply = thief.call()
        statuses[reply.status_code] = statuses.get(reply.status_code, 0) + 1
        answered = all_of(reply)
        assert not [word for word in forbidden if word in answered], json.dumps(statuses)
        assert reply.status_code < 500, reply.request
    assert statuses[200] > CALLS / 10
    assert statuses[404] > CALLS / 10
    for victim in victims:
        assert held(victim.caller) == victim.held
