"""What was compiled of documents, over HTTP: resolved, traced, read as files, decided."""

from __future__ import annotations

import json

import pytest

from api.walls import Caller, founded, served
from api.world import accepted, refused

KNOWLEDGE = "/api/knowledge"
MYTECH = """# Infrastructure

## Servers

- **cube** (100.70.237.79): home GPU server, runs AI workloads.
- **clifford** (5.161.97.53): production VPS, hosts the web apps.
"""
OLDER = "# Old\n\n## Servers\n\n- **cube** (100.70.237.80): home server.\n"
ARTIFACTS = ("catalog.md", "hot_terms.md", "tree_summaries.md", "unknowns.md")


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    """Know of two servers."""
    owner = founded(world)
    note(owner, "mytech", MYTECH)
    return owner


def note(caller: Caller, name: str, text: str, title: str = "Notes", **more) -> int:
    """Keep a text as the source of a name; return its number."""
    config = {"title": title, "text": text}
    body = {"source_type": "manual_note", "name": name, "config": config, **more}
    source = accepted(caller.post(f"{KNOWLEDGE}/sources", body))["id"]
    assert sync(caller, source)["status"] == "success"
    return source


def sync(caller: Caller, source: int):
    return accepted(caller.post(f"{KNOWLEDGE}/sources/{source}/sync"))


def look(caller: Caller, what: str, **asked):
    return accepted(caller.get(f"{KNOWLEDGE}/{what}", params=asked))


def conflict(caller: Caller):
    [found] = look(caller, "conflicts")["conflicts"]
    return found


def decide(caller: Caller, number: int, resolution: str, **more):
    where = f"{KNOWLEDGE}/conflicts/{number}/decision"
    return caller.post(where, {"resolution": resolution, **more})


def all_evidence(part) -> list:
    """Return every piece of evidence in an answer, at any depth."""
    if isinstance(part, list):
        return [one for each in part for one in all_evidence(each)]
    if not isinstance(part, dict):
        return []
    own = [part] if {"document_id", "citation", "text"} <= part.keys() else []
    return own + [one for each in part.values() for one in all_evidence(each)]


# ------------------------------------------------------------------------------- resolved


def test_a_term_is_resolved_with_its_values_and_where_they_stand(owner):
    found = look(owner, "resolve", term="cube")
    assert found["outcome"] == "resolved"
    assert found["canonical"] == "mytech/notes.md#servers"
    assert found["question"] is None
    [address] = [one for one in found["values"] if one["fact_type"] == "ip"]
    assert address["value"] == "100.70.237.79"
    assert address["evidence"]["citation"] == "mytech/notes.md#servers"


@pytest.mark.parametrize("what", ["resolve", "provenance", "conflicts"])
def test_every_quote_and_value_can_be_read_back_in_its_document(owner, what):
    note(owner, "older", OLDER)
    found = look(owner, what, **({} if what == "conflicts" else {"term": "cube"}))
    quotes = all_evidence(found)
    assert quotes
    for one in quotes:
        text = look(owner, f"documents/{one['document_id']}")["text"]
        assert text[one["start"] : one["end"]] == one["text"]
    for value in found.get("values", []):
        text = look(owner, f"documents/{value['evidence']['document_id']}")["text"]
        if value["fact_type"] == "ip":
            assert text[value["start"] : value["end"]] == value["value"]


def test_asking_in_the_address_and_in_the_body_is_the_same(owner):
    asked = {"term": "clifford", "context": "ssh", "agent_id": "ada"}
    assert look(owner, "resolve", **asked) == accepted(owner.post(f"{KNOWLEDGE}/resolve", asked))


def test_what_no_document_says_is_asked_and_not_guessed(owner):
    found = look(owner, "resolve", term="zebra")
    assert (found["outcome"], found["found_by"]) == ("unknown", "nothing")
    assert (found["values"], found["evidence"], found["canonical"]) == ([], [], None)
    assert "zebra" in found["question"]
    assert "zebra" in [one["term"] for one in look(owner, "unknowns")["unknowns"]]


TITLE = "Kube Pod Crash Looping"
PAGE = """## Meaning

The pod ends and is begun again.

## Impact

The service is slow or gone.
"""


def test_a_document_is_found_by_its_own_name_and_by_its_first_sentence(owner):
    note(owner, "alerts", PAGE, TITLE)
    for _ in range(2):
        answer = look(owner, "resolve", term=TITLE)
        assert answer["outcome"] == "resolved"
        assert answer["summary"] == "The pod ends and is begun again."
        assert "#" not in answer["evidence"][0]["text"]


def test_documents_of_one_name_are_asked_about(owner):
    note(owner, "alerts", PAGE, TITLE)
    note(owner, "old-alerts", PAGE, TITLE)
    answer = look(owner, "resolve", term=TITLE)
    assert answer["outcome"] == "ambiguous"
    assert {one["citation"].partition("/")[0] for one in answer["candidates"]} == {
        "alerts",
        "old-alerts",
    }


def test_what_is_said_somewhere_and_explained_nowhere_is_quoted(owner):
    note(owner, "tls", "# Certificates\n\nThey come from the green authority every month.\n")
    answer = look(owner, "resolve", term="green authority")
    assert (answer["outcome"], answer["values"]) == ("not_stated", [])
    assert [one["text"] for one in answer["evidence"]] == [
        "They come from the green authority every month."
    ]


def test_what_a_context_decided_is_not_learned(owner):
    look(owner, "resolve", term="cube", context="which address?")
    assert "cube" not in look(owner, "artifacts/aliases.learned.json")
    look(owner, "resolve", term="cube")
    assert "cube" in look(owner, "artifacts/aliases.learned.json")


def test_a_question_teaches_no_alias(owner):
    for question in ("cube ip address", "what is cube?"):
        assert look(owner, "resolve", term=question)["outcome"] == "resolved"
    assert look(owner, "artifacts/aliases.learned.json") == {}


def test_a_taught_word_is_known_from_then_on(owner):
    assert look(owner, "resolve", term="gpu box")["found_by"] != "learned_aliases"
    taught = {"term": "gpu box", "citation": "mytech/notes.md#servers"}
    accepted(owner.post(f"{KNOWLEDGE}/aliases", taught))
    found = look(owner, "resolve", term="gpu box")
    assert (found["outcome"], found["found_by"]) == ("resolved", "learned_aliases")
    assert found["canonical"] == "mytech/notes.md#servers"
    aliases = json.loads(owner.get(f"{KNOWLEDGE}/artifacts/aliases.learned.json").text)
    assert aliases["gpu box"]["canonical"] == "mytech/notes.md#servers"


def test_a_file_with_the_sign_of_an_anchor_in_its_name_is_cited_as_any_other(owner):
    made = {"source_type": "upload", "name": "post", "config": {}}
    source = accepted(owner.post(f"{KNOWLEDGE}/sources", made))["id"]
    where = f"{KNOWLEDGE}/sources/{source}/files/Receipt%20%232832.md"
    accepted(
        owner.send("PUT", where, content=b"# Bills\n\n## Pump\n\nThe new pump was paid in May.\n")
    )
    assert sync(owner, source)["status"] == "success"
    cited = "post/Receipt #2832.md#pump"
    accepted(owner.post(f"{KNOWLEDGE}/aliases", {"term": "the quittance", "citation": cited}))
    assert look(owner, "resolve", term="the quittance")["canonical"] == cited


def test_a_citation_of_nothing_teaches_nothing(owner):
    taught = {"term": "gpu box", "citation": "mytech/nowhere.md#servers"}
    reply = owner.post(f"{KNOWLEDGE}/aliases", taught)
    assert reply.status_code in {400, 404}
    assert look(owner, "resolve", term="gpu box")["found_by"] != "learned_aliases"


def test_provenance_has_every_value_and_can_be_narrowed(owner):
    note(owner, "older", OLDER)
    everything = look(owner, "provenance", term="cube")
    addresses = look(owner, "provenance", term="cube", fact_type="ip")["values"]
    assert {one["value"] for one in addresses} == {"100.70.237.79", "100.70.237.80"}
    assert {one["evidence"]["source"] for one in addresses} == {"mytech", "older"}
    assert [one for one in everything["values"] if one["fact_type"] == "ip"] == addresses
    assert look(owner, "provenance", term="zebra") == {"term": "zebra", "values": []}


# -------------------------------------------------------------------------- read as files


def test_artifacts_are_listed_and_read_as_files(owner):
    listed = [one["name"] for one in look(owner, "artifacts")["artifacts"]]
    assert listed == [*ARTIFACTS, "aliases.learned.json"]
    for name in ARTIFACTS:
        reply = owner.get(f"{KNOWLEDGE}/artifacts/{name}")
        assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
        assert reply.text.startswith("# ")
    assert "| cube " in owner.get(f"{KNOWLEDGE}/artifacts/hot_terms.md").text
    reply = owner.get(f"{KNOWLEDGE}/artifacts/aliases.learned.json")
    assert reply.headers["content-type"] == "application/json"


def test_another_name_is_no_artifact(owner):
    refused(owner.get(f"{KNOWLEDGE}/artifacts/passwords.md"), 400, "VALIDATION_ERROR")


def test_the_preamble_leaves_the_catalog_out_when_it_does_not_fit(owner):
    def preamble(tokens: int) -> str:
        reply = owner.get(f"{KNOWLEDGE}/preamble", params={"budget_tokens": tokens})
        assert reply.status_code == 200
        assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
        return reply.text

    assert "notes.md" in preamble(20_000)
    assert "notes.md" not in preamble(100)
    assert "knowledge_search" in preamble(100)


def test_compiling_tells_what_it_cost_and_does_only_what_is_new(owner):
    accepted(owner.post(f"{KNOWLEDGE}/compile"))
    idle = accepted(owner.post(f"{KNOWLEDGE}/compile"))
    assert (idle["documents"], idle["recompiled"], idle["tokens"]) == (1, 0, 0)
    anew = accepted(owner.post(f"{KNOWLEDGE}/compile", {"all_anew": True}))
    assert anew["recompiled"] == 1
    assert anew["facts"] == idle["facts"] > 0


# --------------------------------------------------------------------------------- decided


def test_documents_that_disagree_are_told_with_both_quotes(owner):
    assert look(owner, "conflicts")["conflicts"] == []
    note(owner, "older", OLDER)
    found = conflict(owner)
    assert (found["term"], found["fact_type"], found["state"]) == ("cube", "ip", "open")
    quotes = {one["value"]: one["evidence"]["source"] for one in found["claims"]}
    assert quotes == {"100.70.237.79": "mytech", "100.70.237.80": "older"}


def test_a_decision_holds_after_a_later_sync(owner):
    older = note(owner, "older", OLDER)
    number = conflict(owner)["id"]
    decided = accepted(decide(owner, number, "100.70.237.80", reason="it moved"))
    assert (decided["state"], decided["reason"]) == ("resolved", "it moved")
    assert decided["resolved_by"] == owner.member_id
    changed = {"config": {"title": "Notes", "text": OLDER + "\nAnother line.\n"}}
    accepted(owner.send("PUT", f"{KNOWLEDGE}/sources/{older}", changed))
    assert sync(owner, older)["message"] == "1 changed"
    [found] = look(owner, "conflicts", closed=True)["conflicts"]
    assert (found["state"], found["resolution"]) == ("resolved", "100.70.237.80")
    values = look(owner, "resolve", term="cube")["values"]
    assert [one["value"] for one in values if one["fact_type"] == "ip"] == ["100.70.237.80"]
    assert accepted(decide(owner, number, "reopen"))["state"] == "open"


def test_a_decision_for_what_nobody_says_is_refused(owner):
    note(owner, "older", OLDER)
    reply = decide(owner, conflict(owner)["id"], "100.70.237.81")
    refused(reply, 400, "VALIDATION_ERROR")
    assert conflict(owner)["state"] == "open"


def test_a_conflict_that_is_not_there_is_told_so(owner):
    assert decide(owner, 999_999, "both").status_code == 404


def test_a_corrected_document_closes_its_conflict(owner):
    older = note(owner, "older", OLDER)
    corrected = {"config": {"title": "Notes", "text": OLDER.replace(".80", ".79")}}
    accepted(owner.send("PUT", f"{KNOWLEDGE}/sources/{older}", corrected))
    sync(owner, older)
    assert look(owner, "conflicts")["conflicts"] == []
    [found] = look(owner, "conflicts", closed=True)["conflicts"]
    assert found["state"] == "closed"


@pytest.mark.parametrize("term", ["cube", "X-Analytics-Token", "api/reports", "a b", "größe?"])
def test_a_term_is_pinned_and_unpinned_by_its_own_name(owner, term):
    where = f"{KNOWLEDGE}/pins/" + "".join(f"%{byte:02X}" for byte in term.encode())
    pinned = accepted(owner.send("PUT", where))["pins"]
    assert len(pinned) == 1
    assert pinned[0].casefold() == term.casefold()
    assert look(owner, "pins") == {"pins": pinned}
    assert accepted(owner.send("DELETE", where)) == {"pins": []}


def test_quality_counts_what_was_asked_and_answered(owner):
    before = look(owner, "quality")
    assert (before["asked"], before["success_rate"], before["documents"]) == (0, None, 1)
    for term in ("cube", "clifford", "zebra"):
        look(owner, "resolve", term=term)
    after = look(owner, "quality")
    assert (after["asked"], after["resolved"], after["unknown"]) == (3, 2, 1)
    assert after["success_rate"] == pytest.approx(2 / 3)
    look(owner, "resolve", term="cube", context="What is the serial number of cube?")
    lines = ("resolved", "ambiguous", "not_stated", "unknown")
    counts = [look(owner, "quality")[line] for line in lines]
    assert counts == [2, 0, 1, 1]
    assert sum(counts) == look(owner, "quality")["asked"]
    assert after["by_step"]["hot_terms"] == 2
    assert [one["term"] for one in after["top_unknown"]] == ["zebra"]


def test_quality_counts_no_document_that_the_caller_may_not_see(owner):
    friend, other = owner.guest(), owner.guest()
    before = look(other, "quality")
    text = "# Vault\n\n- Port: 8200\n\npassword: hunter2\n"
    note(owner, "hidden", text, agents=[friend.member_id])
    seen, unseen = look(friend, "quality"), look(other, "quality")
    assert unseen == before
    assert all(seen[name] > before[name] for name in ("documents", "facts", "secrets_taken_out"))


def test_a_question_that_is_to_teach_nothing_is_answered_and_leaves_no_trace(owner):
    for term in ("cube", "zebra"):
        look(owner, "resolve", term=term)
    before = left(owner)
    for term in ("cube", "clifford", "zebra", "unheard of") * 5:
        answer = accepted(owner.post(f"{KNOWLEDGE}/resolve", {"term": term, "learn": False}))
        assert (answer["outcome"] == "resolved") == (term in MYTECH)
    assert left(owner) == before
    accepted(owner.post(f"{KNOWLEDGE}/resolve", {"term": "clifford"}))
    assert left(owner) != before


def left(caller: Caller):
    """Return all that questions leave behind them, but for the audit trail."""
    files = (*ARTIFACTS, "aliases.learned.json")
    read = [caller.get(f"{KNOWLEDGE}/artifacts/{one}").text for one in files]
    return look(caller, "quality"), look(caller, "unknowns"), read


def test_a_sealed_space_is_asked_like_an_open_one(world):
    owner = founded(world, sealed=True)
    note(owner, "mytech", MYTECH)
    assert look(owner, "resolve", term="cube")["outcome"] == "resolved"
    assert look(owner, "quality")["asked"] == 1


@pytest.mark.parametrize(
    ("method", "what", "body"),
    [
        ("GET", "resolve?term=", None),
        ("GET", "resolve?term=" + "a" * 201, None),
        ("GET", "resolve", None),
        ("POST", "resolve", {"term": "a", "context": "b" * 2_001}),
        ("GET", "preamble?budget_tokens=99", None),
        ("POST", "compile", {"all": True}),
        ("POST", "conflicts/1/decision", {"resolution": ""}),
        ("POST", "conflicts/a/decision", {"resolution": "both"}),
        ("PUT", "pins/" + "a" * 201, None),
        ("GET", "search?q=a&limit=51", None),
        ("GET", "search?q=a" + "&source_id=1" * 21, None),
        ("GET", "documents?limit=1001", None),
        ("GET", "documents/1?offset=-1", None),
    ],
)
def test_what_is_out_of_bounds_is_refused(owner, method, what, body):
    refused(owner.send(method, f"{KNOWLEDGE}/{what}", body), 400, "VALIDATION_ERROR")
