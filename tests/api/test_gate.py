"""The gate before every route: other sites, other hosts, sizes, rates, and what errors repeat."""

from __future__ import annotations

import json
import re
import string
import time
from contextlib import suppress

import pytest

from api.routes import TABLE, Nobody, call, unknown
from api.walls import MCP, Caller, founded, kept, send, served, thought, unlimited
from api.world import NOBODY, accepted, refused, talk
from wellworn.application.calls import RateLimits
from wellworn.application.settings import Settings
from wellworn.domain.memory import contribution, disambiguation
from wellworn.domain.spaces import SpaceSettings, parse_credential
from wellworn.domain.thoughts import tags
from wellworn.engines.crypto import ApiKey, TokenVerifier
from wellworn.engines.formats import parse_record
from wellworn.errors import WellwornError
from wellworn.interfaces.http import gate
from wellworn.interfaces.http.wire import MemoryRequest
from wellworn.interfaces.mcp import headers as mcp_headers
from wellworn.kit import ids
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.keys import FakeIssuer

CANARY = "xylophage"
LARGEST_REFUSAL = 2_000
"""Bytes of body and headers."""


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(scope="module")
def owner(world):
    return founded(world)


# --------------------------------------------------------------------------- sites and hosts


@pytest.mark.parametrize("route", TABLE)
def test_pages_of_other_sites_are_refused_everywhere(world, owner, route):
    before = kept(world)
    for caller in (owner, Nobody(world)):
        reply = call(caller, route, unknown(owner), headers={"sec-fetch-site": "cross-site"})
        refused(reply, 403, "CROSS_SITE")
    assert kept(world) == before


@pytest.mark.parametrize(
    "sent",
    [
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:3000"},
    ],
)
def test_a_page_of_another_port_or_of_an_old_browser_changes_nothing(world, sent):
    """A bodiless POST needs no leave of the server; on loopback every port is the same site."""
    reply = send(world, "POST", "maintenance/decay", headers=sent)
    refused(reply, 403, "CROSS_SITE")


@pytest.mark.parametrize("path", ["/mcp", "/mcp/ks-default"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nor_do_they_reach_mcp(world, owner, path, method):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    sent = {**MCP, "sec-fetch-site": "cross-site"}
    refused(send(world, method, path, message, headers=sent), 403, "CROSS_SITE")


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_and_typed_addresses_are_answered(owner, site):
    accepted(owner.get("health", headers={"sec-fetch-site": site}))


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:3200"),
        *("", "127.0.0.1@evil.example", "localhost/", "[::1", "::1", "[::1]evil", "127.0.0.2"),
        *("localhost:3200:3200", "localhost:", "localhost\t", "0.0.0.0", "127.1", "a" * 60_000),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/health", "/mcp", "/health/live"])
def test_names_that_are_not_of_this_machine_are_refused(world, host, path):
    method = "POST" if path == "/mcp" else "GET"
    reply = send(world, method, path, headers={"host": host})
    refused(reply, 403, "FORBIDDEN_HOST")
    assert len(reply.content) < 200


@pytest.mark.parametrize("second", ["evil.example", "127.0.0.1", ""])
def test_a_second_host_is_refused(world, second):
    hosts = [("host", "127.0.0.1"), ("host", second)]
    reply = world.client.request("GET", "/api/v1/health", headers=hosts)
    refused(reply, 403, "FORBIDDEN_HOST")


# ------------------------------------------------------------------------------------- paths


def test_a_slash_at_the_end_of_a_path_changes_nothing(world):
    said = {"agent_id": "ana", "agent_name": "Ana", "prompt": "The tide is low at noon."}
    plain, slashed = (send(world, "POST", f"/api/v1/memory{end}", said) for end in ("", "/"))
    assert (plain.status_code, slashed.status_code) == (200, 200)
    assert send(world, "GET", "/api/v1/health/").json()["status"] == "ok"
    assert send(world, "GET", "/api/v1/").json()["name"] == "wellworn"
    refused(send(world, "GET", "/api/v1/nothing/"), 404, "NOT_FOUND")


# ------------------------------------------------------------------------------------- sizes

LONG = 10_001
MEBIBYTE = 1024 * 1024


def nested(depth: int) -> bytes:
    return b'{"prompt":' + b"[" * depth + b"]" * depth + b"}"


OVERSIZE = {
    "a prompt": ("POST", "memory", talk(CANARY * LONG)),
    "a context": ("POST", "memory", talk("a", context=CANARY * 2_001)),
    "an agent": ("POST", "memory", talk("a", CANARY * 101)),
    "tags": ("POST", "memory", talk("a", tags=[CANARY] * 21)),
    "a tag": ("POST", "memory", talk("a", tags=[CANARY * 101])),
    "filters": ("POST", "memory", talk("a", filter_tags=[CANARY] * 21)),
    "a limit": ("POST", "memory", talk("a", limit=51)),
    "a session": ("POST", "memory", talk("a", session_id=CANARY * 100)),
    "a field that is none": ("POST", "memory", talk("a") | {"colour": CANARY * 1_000}),
    "sources": ("POST", "think", thought("a", source_ids=[NOBODY] * 101)),
    "a query": ("POST", "query", {"query": CANARY * LONG}),
    "a practice": ("POST", "ingest", {"content": CANARY * LONG}),
    "a domain": ("POST", "ingest", {"content": "a", "metadata": {"domain": CANARY * 201}}),
    "a space's name": ("POST", "spaces", {"name": CANARY * 101}),
    "a credential's name": ("POST", "credentials", {"name": CANARY * 101}),
    "spaces": ("POST", "credentials", {"name": "a", "spaces": [CANARY] * 101}),
    "a lifetime": ("POST", "credentials", {"name": "a", "lifetime_s": 10**12}),
    "a token": ("POST", "invitations/accept", {"token": CANARY * 201}),
    "a moment": ("POST", "spaces/{space}/rollback", {"owner": "a", "since": CANARY * 41}),
    "a body": ("POST", "memory", talk(CANARY * MEBIBYTE)),
    "depth": ("POST", "memory", nested(100_000)),
    "a look-up": ("GET", f"search?q={CANARY * 1_200}", None),
    "a look-up's limit": ("GET", "search?q=a&limit=51", None),
    "a contributor": ("GET", f"contributors/{CANARY * 101}", None),
    "a thought's id": ("GET", f"thoughts/{CANARY * 101}", None),
    "a space's id": ("GET", f"spaces/{CANARY * 101}", None),
    "a credential's id": ("DELETE", f"credentials/{CANARY * 101}", None),
    "the trail's page": ("GET", "audit?limit=1001", None),
}


@pytest.mark.parametrize("what", OVERSIZE)
def test_what_is_too_large_is_refused_in_few_words_that_do_not_repeat_it(world, owner, what):
    method, path, body = OVERSIZE[what]
    before = kept(world)
    content = {"content": body, "headers": {"content-type": "application/json"}}
    more = content if isinstance(body, bytes) else {"body": body}
    reply = owner.send(method, path.format(space=owner.space), **more)
    assert 400 <= reply.status_code < 430, reply.text
    assert_says_little(reply)
    assert kept(world) == before


def assert_says_little(reply):
    assert CANARY not in reply.text
    assert len(reply.content) + sum(map(len, reply.headers.raw)) < LARGEST_REFUSAL


def test_a_body_in_chunks_is_counted_as_it_comes(owner):
    taken = 0

    def chunks():
        nonlocal taken
        for _ in range(64):
            taken += 65_536
            yield CANARY.encode() * (65_536 // 9)

    headers = {"content-type": "application/json"}
    reply = owner.send("POST", "memory", content=chunks(), headers=headers)
    refused(reply, 413, "PAYLOAD_TOO_LARGE")
    assert_says_little(reply)


@pytest.mark.parametrize("length", ["9" * 17, "9" * 5_000, str(16 * MEBIBYTE + 1)])
def test_a_length_that_is_only_announced_is_refused(owner, length):
    headers = {"content-type": "application/x-ndjson", "content-length": length}
    reply = owner.send("POST", "import", headers=headers)
    refused(reply, 413, "PAYLOAD_TOO_LARGE")


def test_an_import_has_at_most_a_thousand_lines(owner):
    reply = owner.send("POST", "import", lines=b"{}\n" * 1_001)
    refused(reply, 400, "VALIDATION_ERROR")
    reply = owner.send("POST", "import", lines=b'{"record": "' + CANARY.encode() * 5_000 + b'"}')
    refused(reply, 400, "VALIDATION_ERROR")
    assert_says_little(reply)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("remember", {"content": CANARY * LONG}),
        ("recall", {"query": "a", "limit": 51}),
        ("recall", {"query": "a", CANARY: 1}),
        ("search", {"query": CANARY * LONG}),
        ("fetch", {"id": CANARY}),
        ("forget", {"thought_id": NOBODY, "reason": CANARY * 2_001}),
        (CANARY, {}),
    ],
)
def test_a_tool_refuses_the_same(owner, tool, given):
    reply = owner.tool(tool, **given)
    assert '"isError":true' in reply.text.replace(" ", "") or '"error"' in reply.text
    assert_says_little(reply)


def test_a_message_over_mcp_is_as_limited_as_any_body(owner):
    reply = owner.tool("remember", content=CANARY * MEBIBYTE)
    refused(reply, 413, "PAYLOAD_TOO_LARGE")
    assert_says_little(reply)


# ------------------------------------------------------------------------------------- rates

FEW = 4
CLASSES = {
    "reads_a_minute": ("GET", "search?q=a", None),
    "writes_a_minute": ("POST", "ingest", {"content": "a"}),
    "transfers_a_minute": ("GET", "export", None),
    "administration_a_minute": ("GET", "spaces/{space}", None),
}


@pytest.fixture(params=CLASSES)
def limited(opened, request):
    """A server where one class of calls is scarce; two members, made while it was not."""
    before = opened(HashEmbedder(), unlimited())
    one, other = founded(before, "one"), founded(before, "other")
    before.app.admission.limits = RateLimits(_few(request.param))
    return request.param, one, other


def _few(name: str) -> SpaceSettings:
    return unlimited(**{name: FEW}).spaces


def knock(caller: Caller, name: str):
    method, path, body = CLASSES[name]
    return caller.send(method, path.format(space=caller.space), body)


def test_a_burst_is_cut_off_and_another_member_is_not(limited):
    name, one, other = limited
    replies = [knock(one, name) for _ in range(2 * FEW)]
    assert [reply.status_code for reply in replies] == [200] * FEW + [429] * FEW
    left = [int(reply.headers["ratelimit-remaining"]) for reply in replies]
    assert left == [*range(FEW - 1, -1, -1), *[0] * FEW]
    for reply in replies:
        assert int(reply.headers["ratelimit-limit"]) == FEW
        assert 1 <= int(reply.headers["ratelimit-reset"]) <= 60
    refused(replies[-1], 429, "RATE_LIMITED")
    assert replies[-1].headers["retry-after"] == replies[-1].headers["ratelimit-reset"]
    assert knock(other, name).status_code == 200


def test_all_keys_of_a_member_share_one_window(limited):
    name, one, _ = limited
    keys = [one, *(Caller(one.world, _child(one), one.space) for _ in range(2))]
    statuses = [knock(keys[number % 3], name).status_code for number in range(2 * FEW)]
    assert statuses.count(200) <= FEW
    assert statuses[-1] == 429


def _child(one: Caller) -> str:
    access = one.world.app.authenticator.recognise(one.key)
    return one.world.app.credentials.create_child(access, "child").key


@pytest.mark.parametrize("way", ["by header", "by path", "no such key"])
def test_spaces_and_keys_cannot_be_tried_without_end(opened, way):
    world = opened(HashEmbedder(), unlimited())
    one, other = founded(world, "one"), founded(world, "other")
    world.app.admission.limits = RateLimits(_few("reads_a_minute"))
    lost = Caller(world, f"ww_{'a' * 12}_{'a' * 52}", one.space)
    tries = {
        "by header": lambda: one.get("health", headers={"wellworn-space": other.space}),
        "by path": lambda: one.get(f"spaces/{other.space}"),
        "no such key": lambda: lost.get("health"),
    }
    statuses = [tries[way]().status_code for _ in range(2 * FEW)]
    assert set(statuses[:FEW]) <= {401, 404}
    assert statuses[FEW:] == [429] * FEW
    accepted(other.get("health"))


def test_tools_are_counted_like_routes(opened):
    world = opened(HashEmbedder(), Settings(spaces=SpaceSettings(reads_a_minute=FEW)))
    one, other = founded(world, "one"), founded(world, "other")
    replies = [one.tool("search", query="a").text for _ in range(2 * FEW)]
    assert ["RATE_LIMITED" in reply for reply in replies] == [False] * FEW + [True] * FEW
    assert "RATE_LIMITED" not in other.tool("search", query="a").text


def test_tokens_of_invitations_cannot_be_tried_without_end(opened):
    world = opened(HashEmbedder(), Settings(spaces=SpaceSettings(administration_a_minute=FEW)))
    guess = {"token": f"wi_{'a' * 12}_{'a' * 52}"}
    statuses = [world.post("invitations/accept", guess).status_code for _ in range(2 * FEW)]
    assert statuses == [404] * FEW + [429] * FEW


# ----------------------------------------------------------------------- patterns and parsers

SHORT, LONGER = 5_000, 40_000
TIMES = LONGER // SHORT
FEWEST_S = 0.004
"""What takes less is not measured well, and hurts nobody."""


def _verifier() -> TokenVerifier:
    settings = FakeIssuer().settings()
    return TokenVerifier(settings, settings.public_keys or "")


VERIFIER = _verifier()
PARSERS = {
    "host": gate.host_name,
    "credential headers": lambda text: parse_credential(f"Bearer {text}", api_key=text),
    "key": ApiKey.parse,
    "token": lambda text: VERIFIER.verify(text, now=0),
    "token's parts": lambda text: VERIFIER.verify(f"{text}.{text}.{text}"[:8_000], now=0),
    "agent header": mcp_headers.decode,
    "encoded header": lambda text: mcp_headers.decode(f"=?base64?{text}?="),
    "session header": lambda text: mcp_headers.client_of(f".{text}"),
    "id": ids.canonical_id,
    "prompt": lambda text: MemoryRequest.model_validate(talk(text[:10_000])),
    "contribution": contribution.is_contribution,
    "follow-up": contribution.is_follow_up,
    "telling words": disambiguation.find_telling_words,
    "tags": lambda text: tags.collect_tags(text, [], []),
    "hashtags": lambda text: tags.collect_tags(f"#{text}", [text], []),
    "record": lambda text: parse_record({"record": text}, 1),
    "json": json.loads,
    "json string": lambda text: json.loads(f'"{text}"'),
}
REFUSALS = (WellwornError, ValueError, RecursionError)


def spent_s(parser, text: str) -> float:
    """Return the least of three tries, in the time of this thread alone."""
    best = float("inf")
    for _ in range(3):
        began = time.thread_time()
        with suppress(*REFUSALS):
            parser(text)
        best = min(best, time.thread_time() - began)
    return best


@pytest.mark.parametrize("name", PARSERS)
def test_no_parser_takes_more_than_its_share_for_more_text(name):
    """Twice what is linear is allowed: what is quadratic takes eight times that."""
    parser = PARSERS[name]
    for mark in [*string.punctuation, " ", "a", "a ", "#a ", "a.", "\t", "é"]:
        text = (mark * LONGER)[:LONGER]
        long = spent_s(parser, text)
        if long > FEWEST_S:
            assert long < spent_s(parser, text[:SHORT]) * TIMES * 2 + FEWEST_S, mark


def test_a_quadratic_pattern_would_be_seen():
    slow = re.compile(r"\[\[([^\]|]+)\]\]")
    text = "[" * LONGER
    assert spent_s(slow.findall, text[:8_000]) > spent_s(slow.findall, text[:2_000]) * 4 * 1.5
