"""Ids of thoughts over MCP: shown by as much as tells them apart, taken by any unique beginning."""

from __future__ import annotations

import pytest

from api.visitors import BILLING, SHOP, Visitor
from api.walls import founded
from api.world import accepted

TWINS = (
    "aaaaaaaa-1111-4111-8111-111111111111",
    "aaaaaaaa-2222-4222-8222-222222222222",
)
FIRST, SECOND = "The staging port of the shop is 4100", "The staging host of the shop is oak"


@pytest.fixture
def default(world):
    return Visitor(world, "", "ks-default")


@pytest.fixture
def shop(world):
    return Visitor(world, "", SHOP)


@pytest.fixture
def billing(world):
    return Visitor(world, "", BILLING)


def use(caller, tool, **arguments):
    """Call a tool; return its text and its structured result."""
    result = caller.tool(tool, **arguments).json()["result"]
    assert not result.get("isError"), result
    return result["content"][0]["text"], result["structuredContent"]


def read_error(caller, tool, **arguments):
    result = caller.tool(tool, **arguments).json()["result"]
    assert result["isError"]
    return result["structuredContent"]["error"]


def test_over_http_a_beginning_of_several_is_refused_and_one_of_none_is_not_found(default):
    hold(default, *TWINS)
    several = default.get(f"thoughts/{TWINS[0][:8]}")
    assert several.status_code == 400
    assert all(whole in several.text for whole in TWINS)
    assert default.get("thoughts/bbbbbbbb").status_code == 404
    assert default.get("thoughts/bbbb").status_code == 400


def hold(caller, *ids, content="The lamp number {} is green"):
    records = [
        {
            "record": "thought",
            "id": thought_id,
            "content": content.format(number),
            "contributor_id": "zoe",
            "contributor_name": "Zoe",
            "thought_type": "original",
            "created_at": "2026-02-01T10:00:00Z",
        }
        for number, thought_id in enumerate(ids)
    ]
    accepted(caller.import_records(*records))


def test_every_tool_takes_what_a_recall_shows(default):
    text, stored = use(default, "remember", content=FIRST)
    first = stored["thought_id"]
    assert f"Stored as thought {first[:8]}." in text
    text, recalled = use(default, "recall", query="staging port of the shop")
    assert f"thought {first[:8]} by" in text
    assert first not in text
    assert recalled["thoughts"][0]["thought_id"] == first

    session = recalled["session_id"]
    text, weighed = use(
        default, "feedback", session_id=session, thought_id=first[:8], signal="useful"
    )
    assert f"Thought {first[:8]} now weighs" in text
    assert weighed["thought_id"] == first
    assert use(default, "fetch", id=first[:6])[1]["id"] == first
    assert use(default, "fetch", id=first[:8].upper())[1]["id"] == first
    for node in (first[:8], f"thought:{first[:8]}"):
        assert use(default, "read", node=node)[1]["parts"][0]["source"] == first
        assert use(default, "outline", of=node)[1]["node"]["id"] == f"thought:{first}"

    newer = use(default, "remember", content=f"{FIRST} no longer: 4200", replaces=[first[:8]])[1]
    finer = use(default, "remember", content=f"{SECOND}, in the hall", source_ids=[first[:8]])[1]
    record = accepted(default.get(f"thoughts/{newer['thought_id']}"))
    assert [link["thought_id"] for link in record["replaces"]] == [first]
    assert accepted(default.get(f"thoughts/{finer['thought_id']}"))["source_ids"] == [first]
    text, recalled = use(default, "recall", query="staging port of the shop", history=True)
    assert f"replaces thought {first[:8]} by" in text

    assert f"[thought:{first[:8]}]" in use(default, "outline", of=first[:8])[0]
    assert f"of {first[:8]} by" in use(default, "read", node=first[:8])[0]
    assert accepted(default.get(f"thoughts/{first[:8]}"))["thought_id"] == first
    assert accepted(default.get(f"outline?of=thought:{first[:8]}"))["node"]["id"].endswith(first)

    text, erased = use(default, "forget", thought_id=first[:8])
    assert f"Thought {first[:8]} was erased" in text
    assert erased["thought_id"] == first
    assert use(default, "fetch", id=first[:8])[1]["metadata"]["erased_at"]


def test_a_beginning_of_several_is_refused_with_all_that_begin_so(default):
    hold(default, *TWINS)
    for tool, arguments in (
        ("fetch", {"id": TWINS[0][:8]}),
        ("forget", {"thought_id": TWINS[0][:7]}),
        ("remember", {"content": "The lamp is blue", "replaces": [TWINS[0][:9]]}),
        ("read", {"node": f"thought:{TWINS[0][:8]}"}),
    ):
        error = read_error(default, tool, **arguments)
        assert error["code"] == "VALIDATION_ERROR"
        assert error["message"].endswith(f"give one whole: {TWINS[0]}, {TWINS[1]}")
    for twin in TWINS:
        assert use(default, "fetch", id=twin[:10])[1]["id"] == twin


def test_what_others_begin_like_is_shown_whole(default):
    hold(default, *TWINS)
    text, _ = use(default, "recall", query="the lamp number 0")
    assert all(f"thought {twin} by" in text for twin in TWINS)


def test_the_beginning_of_nothing_is_as_unknown_as_a_whole_id(default):
    use(default, "remember", content=FIRST)
    assert read_error(default, "fetch", id="abcdef") == read_error(default, "fetch", id=TWINS[0])
    assert (
        "names no thought"
        in read_error(default, "remember", content=SECOND, replaces=["abcdef"])["message"]
    )
    assert "at least the first 6" in read_error(default, "fetch", id="abcde")["message"]


def test_the_name_of_a_tag_that_begins_no_id_stays_a_name(default):
    use(default, "remember", content=FIRST, tags=["facade"])
    assert use(default, "outline", of="facade")[1]["node"]["id"] == "tag:facade"


def test_a_beginning_reaches_into_no_space_that_the_caller_does_not_read(world, shop, billing):
    hold(shop, TWINS[0])
    hold(billing, TWINS[1])
    owner = founded(world, "lab")
    for foreign in (billing, owner):
        known = TWINS[1] if foreign is billing else None
        error = read_error(foreign, "fetch", id=TWINS[0][:10])
        assert error == read_error(foreign, "fetch", id="abcdef")
        if known:
            assert use(foreign, "fetch", id=TWINS[0][:8])[1]["id"] == known
    text, _ = use(shop, "recall", query="the lamp number 0")
    assert f"thought {TWINS[0][:8]} by" in text


def test_a_project_reads_beginnings_of_the_shared_space_as_well(shop, default):
    shared = default.know("The release train leaves on Thursday")
    text, _ = use(shop, "recall", query="when does the release train leave")
    assert f"thought {shared[:8]} of the shared space by" in text
    assert use(shop, "fetch", id=shared[:8])[1]["id"] == shared
    hold(shop, TWINS[0])
    hold(default, TWINS[1])
    assert ", ".join(TWINS) in read_error(shop, "fetch", id=TWINS[0][:8])["message"]
    assert use(default, "fetch", id=TWINS[0][:8])[1]["id"] == TWINS[1]


def test_sealed_spaces_have_short_ids_too_and_no_more_in_their_trail(world):
    owner = founded(world, "vault", sealed=True)
    thought = owner.know(FIRST)
    before = len(owner.trail())
    text, _ = use(owner, "recall", query="staging port of the shop")
    assert f"thought {thought[:8]} by" in text
    assert use(owner, "fetch", id=thought[:8])[1]["id"] == thought
    entries = owner.trail()[before:]
    assert [entry["action"] for entry in entries if entry["action"] != "audit.read"] == [
        "memory.recalled",
        "thought.read",
    ]
    assert entries[-1]["targets"] == [thought]


def test_a_source_of_an_own_turn_that_is_named_in_short_goes_with_its_thought(default):
    thought = default.know("The key of the shed lies below the third stone")
    source = {"text": "lies below the third stone", "source": f"thought:{thought[:8]}"}
    turn = use(
        default,
        "ask",
        query="Where is the key?",
        entries=[{"result": "Looked it up.", "sources": [source]}],
        answer="Below a stone [1].",
    )[1]
    assert turn["sources"][0]["source"] == f"thought:{thought}"
    use(default, "forget", thought_id=thought[:8])
    everything = "".join(
        default.get(f"turns/{turn['turn_id']}/files/{name}").text
        for name in ("context.md", "toolresults.md")
    )
    assert "third stone" not in everything
