"""Projects: spaces that need no credential on loopback, and read what all of them share."""

from __future__ import annotations

import pytest

from api.visitors import BILLING, SHOP, Visitor
from api.walls import closed, founded, send
from api.world import accepted, ids, refused, talk
from empty_memory import over_both
from fences import quoted

PORT = "The staging port of the shop is 4100"
SHARED = "The release train leaves on Thursday"


@pytest.fixture
def shop(world):
    return Visitor(world, "", SHOP)


@pytest.fixture
def billing(world):
    return Visitor(world, "", BILLING)


@pytest.fixture
def default(world):
    return Visitor(world, "", "ks-default")


def spaces_of(world):
    return [space["id"] for space in world.read("spaces")["spaces"]]


def test_a_project_finds_its_own_and_what_all_share_and_says_which(shop, billing, default):
    own, shared = shop.know(PORT), default.know("The staging port of the proxy is 80")
    reply = shop.ask("staging port of the shop")
    assert ids(reply) == [own, shared]
    assert [source.get("space") for source in reply["result"]["sources"]] == [None, "ks-default"]
    assert "in the shared space" in reply["result"]["response"]
    assert ids(billing.ask("staging port of the shop")) == [shared]
    assert ids(default.ask("staging port of the shop")) == [shared]


def test_what_was_stored_before_there_were_projects_is_found_from_one(shop, default):
    known = default.know(SHARED)
    reply = shop.ask("when does the release train leave")
    assert ids(reply) == [known]
    assert [hit["thought_id"] for hit in accepted(shop.get("search?q=release train"))["results"]]
    assert ids(shop.ask("catch me up")) == [known]


def test_a_project_is_made_by_storing_and_not_by_reading(world, shop, billing, default):
    default.know(SHARED)
    shop.ask("release train")
    accepted(shop.get("thoughts"))
    assert spaces_of(world) == ["ks-default"]
    refused(shop.get(f"spaces/{SHOP}"), 404, "SPACE_NOT_FOUND")
    first, second = shop.remember(PORT), shop.remember("The canary is yellow")
    assert "create_project" in first["trace"]["operations"]
    assert "this project" in first["result"]["guidance"]
    assert "create_project" not in second["trace"]["operations"]
    billing.ask(PORT)
    assert "create_project" in accepted(billing.post("memory", talk(PORT)))["trace"]["operations"]
    assert set(spaces_of(world)) == {"ks-default", SHOP, BILLING}
    assert accepted(shop.get(f"spaces/{SHOP}"))["name"] == "shop"


def test_an_import_makes_a_project_too(world, shop, default):
    default.know(SHARED)
    [record, *_] = [line for line in default.everything() if "content" in line]
    accepted(shop.import_records(*default.everything()))
    assert spaces_of(world) == ["ks-default", SHOP]
    assert record["content"] in {line.get("content") for line in shop.everything()}


def test_a_shared_thought_is_read_judged_and_erased_from_a_project(shop, default):
    shared = default.know(SHARED)
    reply = shop.ask("release train")
    judged = {"session_id": reply["trace"]["session_id"], "thought_id": shared}
    for signal in ("useful", "none"):
        accepted(shop.post("memory/feedback", {**judged, "signal": signal, "agent_id": "ada"}))
    record = accepted(shop.get(f"thoughts/{shared}"))
    assert (record["access_count"], record["knowledge_space_id"]) == (1, "ks-default")
    accepted(shop.get(f"thoughts/{shared}/provenance"))
    accepted(shop.send("DELETE", f"thoughts/{shared}", {"agent_id": "ada"}))
    assert ids(shop.ask("release train")) == ids(default.ask("release train")) == []


def test_a_thought_of_another_project_is_read_from_none(shop, billing):
    own = shop.know(PORT)
    refused(billing.get(f"thoughts/{own}"), 404, "THOUGHT_NOT_FOUND")
    body = {"agent_id": "ada"}
    refused(billing.send("DELETE", f"thoughts/{own}", body), 404, "THOUGHT_NOT_FOUND")


def test_a_project_replaces_nothing_that_all_share(shop, default):
    shared = default.know(SHARED)
    body = talk("The release train leaves on Friday", replaces=[shared])
    refused(shop.post("memory", body), 404, "THOUGHT_NOT_FOUND")
    assert ids(default.ask("release train")) == [shared]


def test_no_more_is_shown_than_was_asked_for_and_nothing_else_leaves_a_trail(shop, default):
    own = [shop.know(f"{PORT} number {n}") for n in range(3)]
    shared = [default.know(f"{PORT} and number {n} of all") for n in range(3)]
    shown = ids(shop.ask(PORT, limit=4))
    assert len(shown) == 4
    counts = {
        known: accepted(shop.get(f"thoughts/{known}"))["access_count"] for known in own + shared
    }
    assert {known for known, count in counts.items() if count} == set(shown)


@over_both
def test_what_was_erased_is_not_repeated_to_a_project_that_tries_again(shop, default):
    shared = default.know(SHARED)
    again = {"headers": {"idempotency-key": "one"}}
    body = talk("release train", contribute="never")
    assert SHARED in accepted(shop.post("memory", body, **again))["result"]["response"]
    assert SHARED in accepted(shop.post("memory", body, **again))["result"]["response"]
    default.world.forget(shared)
    assert SHARED not in accepted(shop.post("memory", body, **again))["result"]["response"]


def test_a_session_of_a_project_goes_on(shop, default):
    default.know(SHARED)
    session = shop.ask("release train")["trace"]["session_id"]
    for _ in range(2):
        assert shop.ask("release train", session_id=session)["result"]["sources"]


def test_a_deleted_project_begins_anew(world, shop):
    shop.know(PORT)
    accepted(shop.send("DELETE", f"spaces/{SHOP}"))
    assert spaces_of(world) == ["ks-default"]
    assert ids(shop.ask("staging port")) == []
    own = shop.know(PORT)
    assert ids(shop.ask("staging port")) == [own]
    assert spaces_of(world) == ["ks-default", SHOP]


def test_a_project_stays_open_and_can_be_shared_with_a_member(world, shop):
    shop.know(PORT)
    guest = shop.guest("admin")
    assert ids(guest.ask("staging port")) != []
    refused(guest.post(f"spaces/{SHOP}/seal"), 403, "FORBIDDEN")
    refused(shop.post(f"spaces/{SHOP}/seal"), 403, "FORBIDDEN")


def test_a_key_opens_no_project_and_a_member_reads_no_other_space(world, shop, default):
    default.know(SHARED)
    own = shop.know(PORT)
    stranger, guest = founded(world), shop.guest()
    headers = stranger.headers | {"wellworn-space": SHOP}
    body = talk("staging port", contribute="never")
    refused(send(world, "POST", "memory", body, headers=headers), 404, "SPACE_NOT_FOUND")
    assert ids(guest.ask("release train")) == [own]


@pytest.mark.parametrize(
    "space",
    [
        f"{SHOP}0",
        SHOP.upper(),
        SHOP.replace("ksp-", "ks-"),
        SHOP.replace("ksp-", "kss-"),
        "ksp-",
        "ksp-shop",
        f"ksp-{'a' * 60}-{'0' * 24}",
        "ksp-../ks-default-" + "0" * 24,
    ],
)
def test_what_only_looks_like_a_project_needs_a_credential(world, space):
    answer = Visitor(world, "", space).post("memory", talk(PORT))
    refused(answer, 401, "UNAUTHENTICATED")


def test_no_space_but_projects_opens_without_a_credential(world):
    for sealed in (False, True):
        theirs = founded(world, "shop", sealed=sealed)
        answer = Visitor(world, "", theirs.space).post("memory", talk(PORT))
        refused(answer, 401, "UNAUTHENTICATED")


def test_where_credentials_are_needed_projects_need_one_too():
    with closed() as admin:
        for space in (SHOP, "ks-default"):
            visitor = Visitor(admin.world, "", space)
            refused(visitor.post("memory", talk(PORT)), 401, "UNAUTHENTICATED")
        refused(
            admin.post("memory", talk(PORT), headers={"wellworn-space": SHOP}),
            404,
            "SPACE_NOT_FOUND",
        )


def tool(visitor, name, **arguments):
    return accepted(visitor.tool(name, **arguments))["result"]["structuredContent"]


def test_over_mcp_a_project_marks_what_all_share_and_stores_for_all_when_told(shop, default):
    own = tool(shop, "remember", content=PORT)["thought_id"]
    session = tool(shop, "recall", query="staging port")["session_id"]
    arguments = {"content": SHARED, "shared": True, "session_id": session}
    shared = tool(shop, "remember", **arguments)["thought_id"]
    thoughts = tool(shop, "recall", query="release train")["thoughts"]
    spaces = {thought["thought_id"]: thought.get("space") for thought in thoughts}
    assert spaces == {own: None, shared: "ks-default"}
    assert ids(default.ask("release train")) == [shared]
    assert quoted(tool(shop, "fetch", id=shared)["text"]) == SHARED


def test_over_mcp_the_address_names_a_project_too(shop, world):
    own = shop.know(PORT)
    visitor = Visitor(world, "", "ks-default")
    answer = visitor.tool("recall", path=f"/mcp/{SHOP}", query="staging port")
    [thought] = accepted(answer)["result"]["structuredContent"]["thoughts"]
    assert thought["thought_id"] == own


def test_shared_means_nothing_outside_a_project(default):
    stored = tool(default, "remember", content=SHARED, shared=True)["thought_id"]
    assert ids(default.ask("release train")) == [stored]


def add_document(visitor, source_name, text):
    body = {"source_type": "upload", "name": source_name, "config": {}}
    source = accepted(visitor.post("/api/knowledge/sources", body))["id"]
    path = f"/api/knowledge/sources/{source}/files/servers.md"
    accepted(visitor.send("PUT", path, content=text.encode()))
    visitor.world.app.embedding.finish()
    return source


def sources_found(visitor, text):
    hits = accepted(visitor.get("/api/knowledge/search", params={"q": text}))["results"]
    return {hit["source"] for hit in hits}


def test_a_project_without_sources_reads_the_documents_that_all_share(shop, billing, default):
    shared = add_document(default, "servers", "# cube\n\n- IP: 10.0.0.5\n")
    assert sources_found(shop, "cube") == {"servers"}
    assert accepted(shop.get("/api/knowledge/resolve", params={"term": "cube"}))["evidence"]
    assert accepted(shop.get(f"/api/knowledge/sources/{shared}"))["name"] == "servers"
    [passage] = shop.ask("cube", include_knowledge=True)["result"]["sources"]
    assert passage["citation"].startswith("servers/")
    assert "10.0.0.5" in str(tool(shop, "read", node="servers/servers.md"))
    assert "servers" in str(tool(shop, "outline", of="servers"))
    add_document(shop, "tills", "# till\n\n- IP: 10.0.0.6\n")
    assert sources_found(shop, "till") == sources_found(shop, "cube") == {"tills"}
    assert sources_found(billing, "till") == sources_found(default, "till") == {"servers"}
