"""What a member decided and taught of knowledge goes with a rollback, and nothing of others'."""

from __future__ import annotations

import pytest

from api.walls import founded, served
from api.world import accepted

BASE = "/api/knowledge"
SERVERS = "# Servers\n\n## cube\n\n- IP: 10.0.0.{}\n\n## clifford\n\n- Port: 84{}3\n"


def resolve(caller, term):
    return accepted(caller.post(f"{BASE}/resolve", {"term": term, "learn": False}))


@pytest.fixture
def team():
    with served() as world:
        admin = founded(world)
        mallory, honest = admin.guest("admin", "mallory"), admin.guest("admin", "honest")
        source = {"source_type": "upload", "name": "uploads", "config": {}}
        number = accepted(admin.post(f"{BASE}/sources", source))["id"]
        for name, end in (("one", 7), ("two", 8)):
            raw = SERVERS.format(end, end).encode()
            accepted(admin.send("PUT", f"{BASE}/sources/{number}/files/{name}.md", content=raw))
        yield admin, mallory, honest


def speak(caller, word):
    """Teach, pin, decide and rule as a member may."""
    taught = {"term": f"the {word} box", "citation": "uploads/one.md#clifford"}
    accepted(caller.post(f"{BASE}/aliases", taught))
    accepted(caller.send("PUT", f"{BASE}/pins/{word}"))
    ruling = {"term": f"{word} brick", "other": "clifford", "verdict": "one"}
    accepted(caller.post(f"{BASE}/names", ruling))


def list_said(caller):
    pins = accepted(caller.get(f"{BASE}/pins"))["pins"]
    rulings = [one["term"] for one in accepted(caller.get(f"{BASE}/names"))["rulings"]]
    taught = [one["term"] for one in caller.everything() if one["record"] == "alias"]
    return pins, rulings, taught


def test_what_was_taught_pinned_ruled_and_decided_goes_and_others_words_stay(team):
    admin, mallory, honest = team
    speak(honest, "plimsoll")
    before, told = list_said(admin), resolve(admin, "the mallow box")
    speak(mallory, "mallow")
    [conflict] = [
        one
        for one in accepted(admin.get(f"{BASE}/conflicts"))["conflicts"]
        if one["term"] == "cube"
    ]
    decision = {"resolution": "10.0.0.8", "reason": "mallory says so"}
    accepted(mallory.post(f"{BASE}/conflicts/{conflict['id']}/decision", decision))
    assert resolve(admin, "the mallow box")["outcome"] == "resolved"
    body = {"owner": mallory.member_id, "since": "2020-01-01T00:00:00Z"}
    accepted(admin.post(f"spaces/{admin.space}/rollback", body))
    assert list_said(admin) == before
    assert resolve(admin, "the mallow box") == told
    [after] = [
        one
        for one in accepted(admin.get(f"{BASE}/conflicts"))["conflicts"]
        if one["term"] == "cube"
    ]
    assert after == conflict
    assert "mallory says so" not in str(admin.everything())


def test_what_was_said_before_the_moment_stays(team):
    admin, mallory, _ = team
    speak(mallory, "mallow")
    before = list_said(admin)
    body = {"owner": mallory.member_id, "since": "2099-01-01T00:00:00Z"}
    accepted(admin.post(f"spaces/{admin.space}/rollback", body))
    assert list_said(admin) == before


def test_use_by_others_makes_a_taught_name_nobody_elses(team):
    admin, mallory, honest = team
    taught = {"term": "the mallow box", "citation": "uploads/one.md#clifford"}
    accepted(mallory.post(f"{BASE}/aliases", taught))
    for caller in (honest, admin):
        accepted(caller.get(f"{BASE}/resolve", params={"term": "the mallow box"}))
    body = {"owner": mallory.member_id, "since": "2020-01-01T00:00:00Z"}
    accepted(admin.post(f"spaces/{admin.space}/rollback", body))
    assert list_said(admin)[2] == []


def list_paths(caller):
    documents = accepted(caller.get(f"{BASE}/documents"))["documents"]
    return {(one["path"], one["id"]) for one in documents}


def search(caller, text):
    return caller.get(f"{BASE}/search", params={"q": text}).text


def test_what_was_uploaded_and_imported_goes_and_is_asked_for_in_vain(team):
    admin, mallory, honest = team
    [source] = {one["source_id"] for one in accepted(admin.get(f"{BASE}/documents"))["documents"]}
    files = f"{BASE}/sources/{source}/files"
    before = list_paths(admin)
    lie = b"# Kiln\n\nThe kiln answers at the port of Ys.\n"
    accepted(mallory.send("PUT", f"{files}/kiln.md", content=lie))
    accepted(honest.send("PUT", f"{files}/lamp.md", content=b"# Lamp\n\nIt burns oil.\n"))
    # Whoever sends again what is there has not said it.
    accepted(mallory.send("PUT", f"{files}/lamp.md", content=b"# Lamp\n\nIt burns oil.\n"))
    [record] = [one for one in admin.everything() if one.get("path") == "kiln.md"]
    assert mallory.import_records(record | {"path": "old.md", "fetched_at": 1.0}).status_code == 200
    assert {path for path, _ in list_paths(admin)} > {"kiln.md", "lamp.md", "old.md"}
    assert "the port of Ys" in search(admin, "kiln port")
    body = {"owner": mallory.member_id, "since": "2020-01-01T00:00:00Z"}
    accepted(admin.post(f"spaces/{admin.space}/rollback", body | {"dry_run": True}))
    assert {path for path, _ in list_paths(admin)} > {"kiln.md", "old.md"}
    accepted(admin.post(f"spaces/{admin.space}/rollback", body))
    left = list_paths(admin) - before
    assert {path for path, _ in left} == {"lamp.md"}
    assert "the port of Ys" not in search(admin, "kiln port")
    assert "the port of Ys" not in str(admin.everything())


def test_names_that_were_asked_for_go_and_those_of_others_stay(team):
    admin, mallory, honest = team

    def ask(caller, term):
        return accepted(caller.post(f"{BASE}/resolve", {"term": term}))["outcome"]

    def list_learned():
        unknowns = accepted(admin.get(f"{BASE}/unknowns"))["unknowns"]
        records = [one for one in admin.everything() if one["record"] == "alias"]
        return {one["term"] for one in records}, {one["term"] for one in unknowns}

    def roll_back():
        body = {"owner": mallory.member_id, "since": "2020-01-01T00:00:00Z"}
        accepted(admin.post(f"spaces/{admin.space}/rollback", body))

    assert ask(honest, "plimsoll") == "unknown"
    assert ask(mallory, "clifford") == "resolved"
    assert ask(mallory, "mallow") == "unknown"
    assert list_learned() == ({"clifford"}, {"plimsoll", "mallow"})
    roll_back()
    assert list_learned() == (set(), {"plimsoll"})
    assert ask(honest, "clifford") == ask(mallory, "clifford") == "resolved"
    roll_back()
    assert list_learned() == ({"clifford"}, {"plimsoll"})
