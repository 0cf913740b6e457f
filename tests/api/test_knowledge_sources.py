"""Sources and documents over HTTP: kept, synced, given files, listed, read, searched."""

from __future__ import annotations

import threading

import pytest

from api.walls import Caller, founded, served, unlimited
from api.world import accepted, refused
from patience import LONG_S
from wellworn.application.settings import Settings
from wellworn.domain.sources import SourceSettings
from wellworn.domain.spaces import SpaceSettings
from wellworn.interfaces.http.gate import LONGEST_BODY, LONGEST_UPLOAD

KNOWLEDGE = "/api/knowledge"
SERVERS = "# Servers\n\n## cube\n\ncube is the home GPU server, 100.70.237.79.\n"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]


@pytest.fixture(scope="module")
def world():
    with served() as world:
        yield world


@pytest.fixture
def owner(world):
    return founded(world)


def kept(caller: Caller, source_type: str = "manual_note", name: str = "notes", **more):
    config = more.pop("config", {"text": SERVERS} if source_type == "manual_note" else {})
    body = {"source_type": source_type, "name": name, "config": config, **more}
    return accepted(caller.post(f"{KNOWLEDGE}/sources", body))


def sync(caller: Caller, source, **body):
    return accepted(caller.post(f"{KNOWLEDGE}/sources/{source['id']}/sync", body or None))


def send_file(caller: Caller, source, path: str, raw, **headers: str):
    where = f"{KNOWLEDGE}/sources/{source['id']}/files/{path}"
    return caller.send("PUT", where, content=raw, headers=headers)


def shown(caller: Caller, source):
    return accepted(caller.get(f"{KNOWLEDGE}/sources/{source['id']}"))


def documents(caller: Caller, **asked):
    return accepted(caller.get(f"{KNOWLEDGE}/documents", params=asked))


def search(caller: Caller, query: str, **asked):
    reply = accepted(caller.get(f"{KNOWLEDGE}/search", params={"q": query, **asked}))
    assert reply["query"] == query
    return reply["results"]


# ------------------------------------------------------------------------------------ kept


def test_a_new_source_waits_for_its_first_sync(owner):
    source = kept(owner, sync_schedule="0 3 * * *", time_zone="Europe/Berlin")
    assert (source["sync_status"], source["last_synced_at"]) == ("pending", None)
    assert source["schedule_in_words"] == "At 03:00 every day"
    assert documents(owner) == {"documents": [], "next_offset": None}
    listed = accepted(owner.get(f"{KNOWLEDGE}/sources"))["sources"]
    assert listed == [source]
    nothing = dict.fromkeys(("readable", "by_words", "by_meaning", "passages", "waiting"), 0)
    assert shown(owner, source) == {**source, "progress": None, "findable": nothing}


@pytest.mark.parametrize("field", ["auth_header", "auth_token"])
def test_a_secret_is_never_told(owner, field):
    config = {"url": "https://example.org/a.md", field: "a-secret-of-mine"}
    body = {"source_type": "url", "name": "page", "config": config}
    replies = [owner.post(f"{KNOWLEDGE}/sources", body)]
    source = accepted(replies[0])
    where = f"{KNOWLEDGE}/sources/{source['id']}"
    replies += [owner.get(where), owner.get(f"{KNOWLEDGE}/sources")]
    replies += [owner.send("PUT", where, {"secret": "a-secret-of-mine"})]
    assert all("a-secret-of-mine" not in reply.text for reply in replies)
    assert source["has_secret"]
    assert not accepted(owner.send("PUT", where, {"secret": ""}))["has_secret"]


@pytest.mark.parametrize(
    ("source_type", "config", "elsewhere", "here"),
    [
        (
            "url",
            {"url": "https://example.org/a.md"},
            {"url": "https://example.net/a.md"},
            {"url": "https://example.org/a.md"},
        ),
        (
            "git_repo",
            {"repo_url": "https://example.org/a.git"},
            {"repo_url": "https://example.org:8443/a.git"},
            {"repo_url": "https://example.org/a.git", "branch": "main"},
        ),
    ],
)
def test_a_secret_does_not_move_to_another_address(owner, source_type, config, elsewhere, here):
    source = kept(owner, source_type, config={**config, "auth_token": "a-secret-of-mine"})
    where = f"{KNOWLEDGE}/sources/{source['id']}"
    assert accepted(owner.send("PUT", where, {"config": here}))["has_secret"]
    moved = accepted(owner.send("PUT", where, {"config": elsewhere}))
    assert (moved["has_secret"], moved["sync_status"]) == (False, "needs_login")
    assert "its secret was given for the address before" in moved["sync_error"]
    back = accepted(owner.send("PUT", where, {"config": config}))
    assert not back["has_secret"]
    again = {**elsewhere, "auth_token": "another-secret"}
    assert accepted(owner.send("PUT", where, {"config": again}))["has_secret"]


def test_what_is_left_out_of_a_change_stays(owner):
    source = kept(owner, sync_schedule="0 3 * * *")
    where = f"{KNOWLEDGE}/sources/{source['id']}"
    changed = accepted(owner.send("PUT", where, {"is_paused": True, "name": "paused"}))
    own = {"is_paused": True, "name": "paused", "updated_at": changed["updated_at"]}
    assert changed == source | own
    rested = accepted(owner.send("PUT", where, {"sync_schedule": ""}))
    assert (rested["sync_schedule"], rested["schedule_in_words"]) == (None, None)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"source_type": "ftp"}, "source_type must be one of"),
        ({"source_type": "url", "config": {}}, "config.url is required"),
        ({"source_type": "url", "config": {"url": "ftp://x"}}, "config.url: "),
        ({"sync_schedule": "* * * * *"}, "sync_schedule: "),
        ({"sync_schedule": "daily"}, "sync_schedule: "),
        ({"time_zone": "Mars/Olympus"}, "time_zone must be"),
        ({"name": " "}, "name "),
        ({"config": []}, "config must be an object"),
        ({"agents": "ana"}, "agents must be an array"),
        ({"token": "x"}, "unknown field"),
    ],
)
def test_what_cannot_be_a_source_is_refused_with_what_to_change(owner, body, said):
    whole = {"source_type": "manual_note", "name": "n", "config": {"text": "a"}} | body
    reply = owner.post(f"{KNOWLEDGE}/sources", whole)
    assert refused(reply, 400, "VALIDATION_ERROR").startswith(said)


def test_two_sources_of_a_space_have_two_names(owner, world):
    kept(owner)
    body = {"source_type": "upload", "name": "notes", "config": {}}
    refused(owner.post(f"{KNOWLEDGE}/sources", body), 400, "VALIDATION_ERROR")
    kept(founded(world), "upload")


@pytest.mark.parametrize("what", ["", "/sync", "/runs", "/secrets"])
def test_a_source_that_is_not_there_is_told_so(owner, what):
    method = "POST" if what == "/sync" else "GET"
    reply = owner.send(method, f"{KNOWLEDGE}/sources/999999{what}")
    refused(reply, 404, "SOURCE_NOT_FOUND")


@pytest.mark.parametrize("number", ["0", "-1", "a", str(2**64), "1.5"])
def test_what_is_no_number_is_refused(owner, number):
    refused(owner.get(f"{KNOWLEDGE}/sources/{number}"), 400, "VALIDATION_ERROR")
    refused(owner.get(f"{KNOWLEDGE}/documents/{number}"), 400, "VALIDATION_ERROR")


# ---------------------------------------------------------------------------------- synced


def test_documents_are_found_by_their_words_before_they_are_embedded(owner):
    source = kept(owner)
    sync(owner, source)
    findable = shown(owner, source)["findable"]
    waiting = findable["waiting"]
    assert waiting == findable["passages"] > 0
    assert (findable["readable"], findable["by_words"], findable["by_meaning"]) == (1, 1, 0)
    assert accepted(owner.get(f"{KNOWLEDGE}/quality"))["found_by_words_only"] == 1
    [by_words] = search(owner, "cube")
    assert by_words["score"] == 0
    owner.world.app.embedding.finish()
    after = shown(owner, source)["findable"]
    assert after == {**findable, "by_meaning": 1, "waiting": 0}
    assert accepted(owner.get(f"{KNOWLEDGE}/quality"))["found_by_words_only"] == 0
    [by_meaning] = search(owner, "cube")
    assert by_meaning["score"] > 0


def test_a_sync_can_be_waited_for_until_its_documents_are_embedded(owner):
    source = kept(owner)
    embedding = threading.Thread(target=owner.world.app.embedding.run, daemon=True)
    embedding.start()
    path = f"{KNOWLEDGE}/sources/{source['id']}/sync"
    run = accepted(owner.post(path, params={"wait": "embedded"}))
    assert run["status"] == "success"
    findable = shown(owner, source)["findable"]
    assert (findable["by_meaning"], findable["waiting"]) == (1, 0)
    refused(owner.post(path, params={"wait": "a while"}), 400, "VALIDATION_ERROR")
    owner.world.app.embedding.stop()
    embedding.join()


def test_a_sync_tells_what_it_did_in_a_sentence(owner):
    source = kept(owner)
    first, second = sync(owner, source), sync(owner, source)
    assert (first["status"], first["message"], first["problems"]) == ("success", "1 new", [])
    assert second["message"] == "1 unchanged"
    assert second["counts"].get("indexed", 0) == 0
    runs = accepted(owner.get(f"{KNOWLEDGE}/sources/{source['id']}/runs"))["runs"]
    assert runs == [second, first]
    after = shown(owner, source)
    assert (after["sync_status"], after["documents"]) == ("success", 1)
    assert after["last_synced_at"] is not None


def test_a_sync_that_fails_is_an_answer_that_says_what_to_do(world, tmp_path):
    """At the open door, whose caller may name folders."""
    body = {"source_type": "folder", "name": "gone", "config": {"path": str(tmp_path / "gone")}}
    source = accepted(world.client.post(f"{KNOWLEDGE}/sources", json=body))
    run = accepted(world.client.post(f"{KNOWLEDGE}/sources/{source['id']}/sync"))
    assert run["status"] == "failed"
    assert run["message"].startswith("the folder does not exist")
    after = accepted(world.client.get(f"{KNOWLEDGE}/sources/{source['id']}"))
    assert after["sync_error"] == run["message"]
    assert after["next_attempt_at"] > after["last_attempt_at"]


def test_documents_that_vanish_wait_for_a_word(world, tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n")
    body = {"source_type": "folder", "name": "brake", "config": {"path": str(tmp_path)}}
    source = accepted(world.client.post(f"{KNOWLEDGE}/sources", json=body))
    where = f"{KNOWLEDGE}/sources/{source['id']}/sync"
    accepted(world.client.post(where))
    for number in range(3):
        (tmp_path / f"{number}.md").unlink()
    assert accepted(world.client.post(where))["status"] == "needs_confirmation"
    assert accepted(world.client.post(where, json={"confirm": True}))["counts"]["gone"] == 3


def test_a_source_is_synced_by_one_call_at_a_time(owner, monkeypatch):
    source = kept(owner)
    inside, go_on = threading.Event(), threading.Event()

    def slow(*_args, **_more):
        inside.set()
        assert go_on.wait(LONG_S)
        raise RuntimeError

    def broken_off():
        with pytest.raises(RuntimeError):
            sync(owner, source)

    first = threading.Thread(target=broken_off, daemon=True)
    with monkeypatch.context() as patch:
        patch.setattr(
            "wellworn.domain.sources.connectors.manual_note.ManualNote.open_snapshot", slow
        )
        first.start()
        assert inside.wait(LONG_S)
        reply = owner.post(f"{KNOWLEDGE}/sources/{source['id']}/sync")
        assert shown(owner, source)["sync_status"] == "syncing"
        go_on.set()
        first.join()
    refused(reply, 409, "SYNC_RUNNING")
    assert sync(owner, source)["status"] == "success"


def test_removing_a_source_takes_its_documents_along(owner):
    source = kept(owner)
    sync(owner, source)
    gone = accepted(owner.send("DELETE", f"{KNOWLEDGE}/sources/{source['id']}"))
    assert gone == {"deleted": source["id"], "documents": 1}
    assert search(owner, "100.70.237.79") == []
    assert documents(owner)["documents"] == []
    refused(owner.get(f"{KNOWLEDGE}/sources/{source['id']}"), 404, "SOURCE_NOT_FOUND")


# --------------------------------------------------------------------------------- uploads


def test_a_file_is_the_body_itself(owner):
    source = kept(owner, "upload")
    run = accepted(send_file(owner, source, "infra/AGENTS.md", SERVERS.encode()))
    assert (run["message"], run["trigger"]) == ("1 new", "upload")
    [document] = documents(owner)["documents"]
    assert (document["path"], document["title"]) == ("infra/AGENTS.md", "Servers")
    changed = accepted(send_file(owner, source, "infra/AGENTS.md", b"# Others"))
    assert changed["message"] == "1 changed"


@pytest.mark.parametrize(
    ("path", "stated", "kind"),
    [
        ("data.json", "application/json", "configuration"),
        ("data", "text/markdown; charset=utf-8", "markdown"),
        ("data", "application/octet-stream", "text"),
        ("data", "application/x-www-form-urlencoded", "text"),
        ("data", "nonsense", "text"),
    ],
)
def test_a_content_type_is_only_a_hint(owner, path, stated, kind):
    source = kept(owner, "upload")
    raw = b'{"cube": "100.70.237.79"}'
    run = accepted(send_file(owner, source, path, raw, **{"content-type": stated}))
    assert run["status"] == "success"
    [document] = documents(owner)["documents"]
    assert document["metadata"]["kind"] == kind
    text = accepted(owner.get(f"{KNOWLEDGE}/documents/{document['id']}"))["text"]
    fenced = f"```json\n{raw.decode()}\n```\n"
    assert text == (fenced if kind == "configuration" else raw.decode())


def test_a_file_that_cannot_be_read_is_listed_with_the_reason(owner):
    source = kept(owner, "upload")
    run = accepted(send_file(owner, source, "a.bin", bytes(2_000)))
    assert run["status"] == "failed"
    [problem] = run["problems"]
    assert problem["path"] == "a.bin"
    [document] = documents(owner, source_id=source["id"])["documents"]
    assert (document["state"], document["reason"]) == ("refused", problem["reason"])
    refused(owner.get(f"{KNOWLEDGE}/documents/{document['id']}"), 404, "DOCUMENT_NOT_FOUND")


def test_the_same_bytes_at_several_paths_are_several_documents(owner):
    source = kept(owner, "upload")
    paths = ["a/LICENSE.md", "b/LICENSE.md", "c/LICENSE.md"]
    runs = [accepted(send_file(owner, source, path, b"# License\n\nBe kind.")) for path in paths]
    assert [run["message"] for run in runs] == ["1 new"] * 3
    assert [one["path"] for one in documents(owner)["documents"]] == paths


def test_only_uploads_take_files(owner):
    reply = send_file(owner, kept(owner), "a.md", b"# A")
    refused(reply, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", ["..%2F..%2Fetc%2Fpasswd", "a/%2E%2E/b", "%2E", "%00"])
def test_a_path_that_leads_elsewhere_is_refused(owner, path):
    source = kept(owner, "upload")
    refused(send_file(owner, source, path, b"# A"), 400, "VALIDATION_ERROR")
    assert documents(owner)["documents"] == []


def test_a_file_may_be_longer_than_other_bodies_and_no_longer_than_the_setting(owner):
    source = kept(owner, "upload")
    raw = b"word " * (LONGEST_BODY // 4)
    few = Settings(sources=SourceSettings(most_document_bytes=len(raw)), spaces=SpaceSettings())
    with served(few) as world:
        body = {"source_type": "upload", "name": "files"}
        source = accepted(world.client.post(f"{KNOWLEDGE}/sources", json=body))
        where = f"{KNOWLEDGE}/sources/{source['id']}/files/long.txt"
        assert accepted(world.client.put(where, content=raw))["status"] == "success"
        reply = world.client.put(where, content=raw + b"s")
        assert "larger than" in refused(reply, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_beyond_all_limits_is_not_taken(owner, announced):
    source = kept(owner, "upload")
    piece = bytes(2**20)
    count = LONGEST_UPLOAD // len(piece) + 1
    raw = piece * count if announced else (piece for _ in range(count))
    refused(send_file(owner, source, "a.txt", raw), 413, "PAYLOAD_TOO_LARGE")


def test_where_secrets_were_is_told_and_never_what_they_were(owner):
    source = kept(owner, "upload")
    raw = f"# Access\n\ntoken: {TOKEN}\n".encode()
    accepted(send_file(owner, source, "a.md", raw))
    reply = owner.get(f"{KNOWLEDGE}/sources/{source['id']}/secrets")
    [note] = accepted(reply)["secrets"]
    assert (note["path"], note["line"]) == ("a.md", 3)
    [document] = documents(owner)["documents"]
    text = owner.get(f"{KNOWLEDGE}/documents/{document['id']}")
    assert TOKEN not in reply.text + text.text


def test_where_the_secrets_of_a_note_were_is_told_too(owner):
    source = kept(owner, config={"title": "Access", "text": f"# Keys\n\ntoken: {TOKEN}\n"})
    sync(owner, source)
    [found] = accepted(owner.get(f"{KNOWLEDGE}/sources/{source['id']}/secrets"))["secrets"]
    assert (found["path"], found["line"]) == ("access.md", 3)


@pytest.mark.parametrize("text", ["# One\n\nx", "x", "#!/bin/sh"])
def test_a_note_keeps_its_title_whatever_its_text_begins_with(owner, text):
    sync(owner, kept(owner, config={"title": "On call", "text": text}))
    [document] = documents(owner)["documents"]
    assert document["title"] == "On call"


# ------------------------------------------------------------------------- read and searched


def test_every_span_that_is_told_can_be_read_back(owner):
    source = kept(owner, "upload")
    words = "# Odd \u200b\u202ewords\n\n<|im_start|> cube is 100.70.237.79 \U0001f9ca"
    odd = f"{words}\n\n## Next\n\nMore.\n"
    accepted(send_file(owner, source, "odd.md", odd.encode()))
    [found] = search(owner, "100.70.237.79")
    whole = accepted(owner.get(f"{KNOWLEDGE}/documents/{found['document_id']}"))["text"]
    assert whole == odd
    assert found["snippets"]
    for one in found["snippets"]:
        assert whole[one["start"] : one["end"]] == one["text"]
    assert found["snippets"][0]["exact"]


def test_a_document_is_read_page_by_page(owner):
    source = kept(owner, "upload")
    text = "".join(f"Line {number}.\n" for number in range(100))
    accepted(send_file(owner, source, "a.txt", text.encode()))
    [document] = documents(owner)["documents"]
    pages, offset = [], 0
    while offset is not None:
        where = f"{KNOWLEDGE}/documents/{document['id']}"
        page = accepted(owner.get(where, params={"offset": offset, "limit": 300}))
        assert (page["offset"], page["document"]) == (offset, document)
        pages.append(page["text"])
        offset = page["next_offset"]
    assert "".join(pages) == text
    assert len(pages) == -(-len(text) // 300)


def test_documents_are_listed_page_by_page(owner):
    source = kept(owner, "upload")
    for number in range(5):
        accepted(send_file(owner, source, f"{number}.md", f"# {number}".encode()))
    seen, offset = [], 0
    while offset is not None:
        page = documents(owner, offset=offset, limit=2)
        seen += [one["path"] for one in page["documents"]]
        offset = page["next_offset"]
    assert seen == [f"{number}.md" for number in range(5)]


def test_a_document_shows_at_most_three_passages_its_best_first(owner):
    source = kept(owner, "upload")
    sections = [f"## Part {number}\n\n{'cube lamp ' * 80}\n" for number in range(8)]
    accepted(send_file(owner, source, "long.md", "\n".join(sections).encode()))
    accepted(send_file(owner, source, "short.md", b"# Short\n\nA cube and a lamp."))
    found = search(owner, "cube lamp", limit=2)
    assert {one["path"] for one in found} == {"long.md", "short.md"}
    for one in found:
        scores = [each["score"] for each in one["snippets"]]
        assert 1 <= len(scores) <= 3
        assert one["score"] == scores[0]


def test_a_long_document_leaves_room_for_as_many_others_as_are_asked_for(owner):
    source = kept(owner, "upload")
    sections = [f"## Part {number}\n\n{'cube lamp ' * 80}\n" for number in range(90)]
    accepted(send_file(owner, source, "long.md", "\n".join(sections).encode()))
    for number in range(4):
        accepted(send_file(owner, source, f"{number}.md", f"# Ship {number}".encode()))
    owner.world.app.embedding.finish()
    found = search(owner, "cube lamp", limit=5)
    assert len(found) == 5
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert [one["weak"] for one in found] == [False, True, True, True, True]


def test_a_search_keeps_to_the_documents_and_sources_it_is_told(owner):
    one, two = kept(owner, name="one"), kept(owner, name="two")
    for source in (one, two):
        sync(owner, source)
    assert {each["source"] for each in search(owner, "100.70.237.79")} == {"one", "two"}
    assert len(search(owner, "100.70.237.79", limit=1)) == 1
    only = search(owner, "100.70.237.79", source_id=[two["id"]])
    assert {each["source"] for each in only} == {"two"}


def test_a_source_for_some_members_is_nothing_to_others(owner):
    friend, other = owner.guest(), owner.guest()
    source = kept(owner, agents=[friend.member_id])
    sync(owner, source)
    [document] = documents(friend)["documents"]
    assert search(friend, "cube") != []
    for reply in (
        other.get(f"{KNOWLEDGE}/sources/{source['id']}"),
        other.post(f"{KNOWLEDGE}/sources/{source['id']}/sync"),
    ):
        refused(reply, 404, "SOURCE_NOT_FOUND")
    refused(other.get(f"{KNOWLEDGE}/documents/{document['id']}"), 404, "DOCUMENT_NOT_FOUND")
    assert search(other, "cube 100.70.237.79") == []
    assert documents(other)["documents"] == []
    everybody = {"everybody": True}
    accepted(owner.send("PUT", f"{KNOWLEDGE}/sources/{source['id']}", everybody))
    assert search(other, "cube") != []


def test_searching_and_resolving_are_counted_as_reading_syncing_as_writing():
    with served(unlimited(reads_a_minute=50, writes_a_minute=40)) as world:
        owner = founded(world)
        source = kept(owner)

        def limit(reply) -> str:
            accepted(reply)
            return reply.headers["ratelimit-limit"]

        assert limit(owner.get(f"{KNOWLEDGE}/search", params={"q": "a"})) == "50"
        assert limit(owner.get(f"{KNOWLEDGE}/sources")) == "50"
        assert limit(owner.post(f"{KNOWLEDGE}/resolve", {"term": "cube"})) == "50"
        assert limit(owner.post(f"{KNOWLEDGE}/sources/{source['id']}/sync")) == "40"


def test_what_was_read_and_searched_is_in_the_trail(owner):
    source = kept(owner)
    sync(owner, source)
    search(owner, "cube")
    [document] = documents(owner)["documents"]
    accepted(owner.get(f"{KNOWLEDGE}/documents/{document['id']}"))
    done = {entry["action"]: entry["targets"] for entry in owner.trail()}
    assert done["document.read"] == [str(document["id"])]
    assert done["document.found"] == [str(document["id"])]
    assert {"source.created", "source.synced", "document.listed"} <= set(done)
