"""Every route, asked by those it is not for: strangers, and nobody.

The routes come from the OpenAPI document; one that is not in the table of `routes` fails a test.
"""

from __future__ import annotations

import itertools
from typing import Any, cast

import pytest

from api.routes import (
    ANYONE,
    BY_HEADER,
    BY_ID,
    IN_A_SPACE,
    PROBES,
    READER,
    TABLE,
    Known,
    Nobody,
    call,
    furnished,
    ids_of,
    mixed,
    retrieval,
    unknown,
)
from api.walls import MCP, Caller, all_of, closed, founded, kept, served, thought, told
from api.world import NOBODY, accepted, refused, talk
from wellworn.application.calls import App
from wellworn.interfaces.http import create_api
from wellworn.interfaces.mcp import AuthorizationEndpoint
from wellworn.kit.ids import new_id
from wellworn.testing.embedder import HashEmbedder

CANARY = "xylophage"
"""In every word that the other space keeps."""

CREDENTIAL_NEEDED = [route for route, ask in TABLE.items() if ask.least != ANYONE]


def test_every_route_of_the_document_is_in_the_table():
    schema = create_api(cast("App", None), documents_inner=True).openapi()
    documented = {
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, operations in schema["paths"].items()
        for method in operations
    }
    assert documented - PROBES == set(TABLE)


def test_every_route_of_the_server_is_in_the_document(opened):
    served_paths = {
        getattr(route, "path_format", route.path)
        for route in opened(HashEmbedder()).client.app.routes
    }
    mcp = {"/mcp", "/mcp/", "/mcp/{space}", "/mcp/{space}/"}
    pages = {"/", "/ui", "/ui/{path}"}
    own = {"/api/v1/openapi.json", *mcp, *pages, *AuthorizationEndpoint.PATHS}
    paths = (route.partition(" ")[2] for route in TABLE)
    documented = {path if path.startswith("/") else f"/api/v1/{path}" for path in paths}
    documented |= {probe.partition(" ")[2] for probe in PROBES}
    assert served_paths - own == documented


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture(scope="module")
def ours(world):
    return furnished(founded(world, "ours"))


@pytest.fixture(scope="module", params=["open", "sealed"])
def theirs(world, request):
    """What somebody else keeps; every word of it has the canary."""
    owner = founded(world, f"{CANARY} space", sealed=request.param == "sealed")
    return furnished(owner, CANARY)


# ------------------------------------------------------------------------------- strangers


def ids_in(route: str) -> list[tuple[str, ...]]:
    """Return every choice of ids in a path that can be somebody else's."""
    names = ids_of(route)
    return [
        chosen
        for count in range(1, len(names) + 1)
        for chosen in itertools.combinations(names, count)
    ]


@pytest.mark.parametrize(
    ("route", "names"), [(route, names) for route in BY_ID for names in ids_in(route)]
)
def test_an_id_of_somebody_else_is_answered_like_one_of_nobody(ours, theirs, route, names):
    if mixed(ours, theirs, names) == ours:
        pytest.skip(reason="rows of a sealed space are counted in it alone: the number is ours")
    before = kept(theirs.caller.world)
    foreign = call(ours.caller, route, mixed(ours, theirs, names))
    missing = call(ours.caller, route, mixed(ours, unknown(ours.caller), names))
    assert told(foreign) == told(missing)
    assert foreign.status_code == 404
    assert CANARY.encode() not in all_of(foreign)
    assert kept(theirs.caller.world) == before


@pytest.mark.parametrize("route", BY_HEADER)
def test_a_space_of_somebody_else_is_answered_like_none(ours, theirs, route):
    before = kept(theirs.caller.world)
    into = {"headers": {"wellworn-space": theirs.space}}
    nowhere = {"headers": {"wellworn-space": unknown(ours.caller).space}}
    foreign = call(ours.caller, route, theirs, **into)
    assert told(foreign) == told(call(ours.caller, route, theirs, **nowhere))
    refused(foreign, 404, "SPACE_NOT_FOUND")
    assert kept(theirs.caller.world) == before


@pytest.mark.parametrize("route", [route for route in TABLE if route not in BY_ID])
def test_what_a_stranger_gets_without_ids_has_nothing_of_others(world, theirs, route):
    stranger = founded(world, "stranger")
    reply = call(stranger, route, unknown(stranger))
    assert CANARY.encode() not in all_of(reply)
    for own in (theirs.space, theirs.member, theirs.kid, theirs.thought_id, theirs.session_id):
        assert own.encode() not in all_of(reply)


TOOLS = {
    "remember": lambda about: {"content": "Mine.", "session_id": about.session_id},
    "recall": lambda about: {"query": "lamp", "session_id": about.session_id},
    "feedback": lambda about: {
        "session_id": about.session_id, "thought_id": about.thought_id, "signal": "useful"
    },
    "forget": lambda about: {"thought_id": about.thought_id},
    "fetch": lambda about: {"id": about.thought_id},
    "search": lambda _: {"query": "lamp"},
}  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_over_mcp_tells_a_stranger_nothing(ours, theirs, tool):
    before = kept(theirs.caller.world)
    nothing = unknown(ours.caller)

    def asked(about: Known, **where: Any) -> tuple[Any, ...]:
        reply = ours.caller.tool(tool, **where, **TOOLS[tool](about))
        assert CANARY.encode() not in all_of(reply)
        return told(reply)

    if tool != "search":
        assert asked(theirs) == asked(nothing)
    assert asked(theirs, path=f"/mcp/{theirs.space}") == asked(
        nothing, path=f"/mcp/{nothing.space}"
    )
    header = "wellworn-space"
    foreign = asked(theirs, headers={header: theirs.space})
    assert foreign == asked(nothing, headers={header: nothing.space})
    assert b"SPACE_NOT_FOUND" in foreign[2]
    # The address is what counts: a header cannot lead elsewhere.
    assert foreign == asked(theirs, path=f"/mcp/{theirs.space}", headers={header: ours.space})
    assert kept(theirs.caller.world) == before


def in_bodies(about: Known) -> dict[str, tuple[str, Any]]:
    """Return calls that name ids in bodies, by what they name."""
    source = {"thought_type": "refinement", "source_ids": [about.thought_id]}
    judged = {"session_id": about.session_id, "signal": "useful"}
    return {
        "the session of a conversation": (
            "memory", talk("And then?", session_id=about.session_id),
        ),
        "the session of a search": ("retrieve", retrieval(about)),
        "the session and thought of a judgement": (
            "memory/feedback", {**judged, "thought_id": about.thought_id},
        ),
        "a source": ("think", thought(f"So it follows {new_id()}.", **source)),
    }  # fmt: skip


@pytest.mark.parametrize("what", in_bodies(unknown(cast("Caller", None))))
def test_a_foreign_id_in_a_body_is_answered_like_one_of_nobody(world, theirs, what):
    caller = founded(world, "bodies")
    before = kept(world), theirs.caller.everything()
    replies = [told(caller.post(*in_bodies(about)[what])) for about in (theirs, unknown(caller))]
    assert replies[0] == replies[1]
    if what == "the session of a search":
        # Any id opens a session, whoever has one of that id elsewhere.
        assert replies[0][0] == 200
    else:
        assert replies[0][0] == 404
        assert (kept(world), theirs.caller.everything()) == before


def test_a_judgement_of_a_foreign_thought_in_an_own_session_is_refused(ours, theirs):
    body = {"session_id": ours.session_id, "thought_id": theirs.thought_id, "signal": "useful"}
    foreign = ours.caller.post("memory/feedback", body)
    missing = ours.caller.post("memory/feedback", {**body, "thought_id": NOBODY})
    assert told(foreign) == told(missing)
    refused(foreign, 404, "THOUGHT_NOT_FOUND")


MOMENT = 1_771_858_800.0


def records(about: Known) -> dict[str, dict[str, Any]]:
    """Return records that name ids, for an import."""
    words = {"contributor_id": "eve", "contributor_name": "Eve"}
    query = {
        "record": "query", "agent_id": "eve", "session_id": about.session_id, "query_text": "?",
        "context_text": None, "query_vector": None, "returned_ids": [], "offered_tags": None,
        "timestamp": "2026-02-23T15:00:00Z", "retrieval_method": "hybrid", "policy_version": 1,
        "contributed_id": None,
    }  # fmt: skip
    return {
        "a thought": {"record": "thought", "id": about.thought_id, "content": "Mine.", **words},
        "a source": {
            "record": "thought", "content": "So it follows.", **words,
            "thought_type": "refinement", "source_ids": [about.thought_id],
        },
        "a session": {"record": "session", "id": about.session_id, "agent_id": "eve",
                      "created_at": MOMENT},
        "a query": {**query, "id": about.query_id},
        "what a query returned": {**query, "id": new_id(), "returned_ids": [about.thought_id]},
        "what is affirmed": {"record": "affirmation", "thought_id": about.thought_id,
                             "affirmed_at": MOMENT, **words},
        "what is erased": {"record": "erasure", "thought_id": about.thought_id,
                           "erased_by": "eve", "reason": None, "erased_at": MOMENT},
    }  # fmt: skip


@pytest.mark.parametrize("what", records(unknown(cast("Caller", None))))
def test_a_foreign_id_in_an_import_is_taken_like_one_of_nobody(world, theirs, what):
    """Each into an empty space of its own, so that nothing is known there."""
    before = theirs.caller.everything()
    replies = [
        told(founded(world, "import").import_records(records(about)[what]))
        for about in (
            theirs,
            mixed(theirs, fresh_ids(theirs), ("thought_id", "session_id", "query_id")),
        )
    ]
    assert replies[0] == replies[1]
    assert replies[0][0] in {200, 404}
    assert theirs.caller.everything() == before


def fresh_ids(about: Known) -> Known:
    ids = {name: new_id() for name in ("thought_id", "session_id", "query_id")}
    return Known(**{**vars(about), **ids})


def test_no_import_holds_up_the_deletion_of_another_space(world):
    theirs = furnished(founded(world, "victim"))
    ours = founded(world, "thief")
    mine = ours.know("A thing of my own.")
    use = {
        "record": "use", "thought_id": mine, "agent_id": "eve", "kind": "useful",
        "session_id": theirs.session_id, "query_id": theirs.query_id, "used_at": MOMENT,
    }  # fmt: skip
    accepted(ours.import_records(use))
    [taken] = [one for one in ours.everything() if one["record"] == "use"]
    assert taken["query_id"] is None
    accepted(theirs.caller.send("DELETE", f"spaces/{theirs.space}"))


def test_an_answer_kept_for_a_retry_is_its_callers_alone(ours):
    guest = ours.caller.guest("contributor")
    body = talk("What does the lamp burn?")
    key = {"headers": {"idempotency-key": "once"}}
    first = accepted(ours.caller.post("memory", body, **key))
    assert accepted(ours.caller.post("memory", body, **key)) == first
    other = accepted(guest.post("memory", body, **key))
    assert other["trace"]["session_id"] != first["trace"]["session_id"]
    # Nor does the key tell that somebody used it for something else.
    accepted(guest.post("memory", talk("And who trims it?"), headers={"idempotency-key": "2"}))


@pytest.mark.parametrize("role", ["reader", "contributor", "admin"])
def test_a_session_is_its_members_alone_whatever_the_label(ours, role):
    guest = ours.caller.guest(role)
    answer = ours.caller.ask("What does the lamp burn?", "ada")
    session, shown = answer["trace"]["session_id"], answer["result"]["sources"][0]["thought_id"]
    judged = {"session_id": session, "thought_id": shown, "signal": "irrelevant"}
    refused(
        guest.post("memory", talk("Next?", "ada", session_id=session)), 404, "SESSION_NOT_FOUND"
    )
    taken = {"query": "lamp", "agent_id": "ada", "session_id": session}
    refused(guest.post("retrieve", taken), 404, "SESSION_NOT_FOUND")
    if role != READER:
        for agent in ({}, {"agent_id": "ada"}):
            reply = guest.post("memory/feedback", judged | agent)
            refused(reply, 404, "SESSION_NOT_FOUND")


def test_a_label_gives_no_right_to_erase(world):
    owner = founded(world)
    one, other = owner.guest("contributor"), owner.guest("contributor")
    said = one.know("The lamp burns whale oil.", "ada")
    forged = one.know("Said under a borrowed name.", other.member_id)
    for agent in ("ada", one.member_id, owner.member_id):
        reply = other.send("DELETE", f"thoughts/{said}", {"agent_id": agent})
        refused(reply, 403, "FORBIDDEN")
    reply = other.send("DELETE", f"thoughts/{forged}", {"agent_id": "ada"})
    refused(reply, 403, "FORBIDDEN")
    accepted(one.send("DELETE", f"thoughts/{said}", {"agent_id": "anything"}))
    accepted(owner.send("DELETE", f"thoughts/{forged}", {"agent_id": "anything"}))


def test_ten_labels_and_two_keys_of_one_member_are_one_user(world):
    owner = founded(world)
    said = owner.guest("contributor").know("The lamp burns whale oil.")
    keys = (owner, owner.child())
    for number in range(10):
        keys[number % 2].ask("What does the lamp burn?", f"agent-{number}")
    [road] = accepted(owner.get("highways", params={"min_access": 10, "min_users": 1}))
    assert (road["thought_id"], road["access_count"], road["unique_users"]) == (said, 10, 1)


# ---------------------------------------------------------------------------------- nobody


@pytest.fixture(scope="module")
def shut():
    """A server whose door is closed, and an admin of its default space."""
    with closed() as found:
        yield found


@pytest.mark.parametrize("route", CREDENTIAL_NEEDED)
def test_behind_a_closed_door_every_route_needs_a_credential(shut, route):
    admin = shut
    before = kept(admin.world)

    about = unknown(admin)
    bare = call(Nobody(admin.world), route, about)
    refused(bare, 401, "UNAUTHENTICATED")
    for space in ("ks-default", "ks-nowhere"):
        named = call(Nobody(admin.world), route, about, headers={"wellworn-space": space})
        assert told(named) == told(bare)
    assert kept(admin.world) == before


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/ks-default", "/mcp/ks-nowhere"])
def test_behind_a_closed_door_every_tool_needs_a_credential(shut, tool, path):
    message = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": TOOLS[tool](unknown(shut))},
    }  # fmt: skip
    reply = shut.world.client.post(path, json=message, headers=MCP)
    assert b"UNAUTHENTICATED" in reply.content


def test_behind_a_closed_door_probes_and_the_api_s_own_description_are_answered(shut):
    for path in ("/health/live", "/health/ready", "/api/v1/", "/api/v1/openapi.json"):
        assert shut.world.client.get(path).status_code == 200


def test_the_open_door_leads_into_the_default_space_alone(world, ours):
    for route in IN_A_SPACE:
        if "{space}" in route:
            reply = call(Nobody(world), route, ours)
        else:
            headers = {"wellworn-space": ours.space}
            reply = call(Nobody(world), route, ours, headers=headers)
        refused(reply, 401, "UNAUTHENTICATED")
