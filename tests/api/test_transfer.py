"""Everything out and in again over HTTP."""

from __future__ import annotations

import json
import uuid
from threading import Thread

import pytest

from api.world import accepted, ids, refused
from wellworn.errors import EmbeddingFailed
from wellworn.testing.embedder import HashEmbedder

LINES = {"content-type": "application/x-ndjson"}


def record(content, **more):
    return {
        "record": "thought",
        "content": content,
        "contributor_id": "ann",
        "contributor_name": "Ann",
        **more,
    }


def import_records(world, *records):
    body = "\n".join(json.dumps(one) for one in records)
    return world.client.post("/api/v1/import", content=body.encode(), headers=LINES)


def test_imported_thoughts_are_found_and_a_second_import_is_passed_over(world):
    records = [record(f"Roles stay apart, case {n}.", tags=["roles"]) for n in range(3)]
    at_first = {"thoughts": 3, "by_words": 3, "by_meaning": 0}
    answer = accepted(import_records(world, *records))
    assert answer == {"imported": 3, "known": 0, "clashing": [], "findable": at_first}
    assert len(ids(world.ask("roles stay apart", filter_tags=["roles"]))) == 3
    assert accepted(import_records(world, *records)) == {**answer, "imported": 0, "known": 3}
    assert world.read("health")["findable"] == at_first
    world.app.embedding.finish()
    assert world.read("health")["findable"] == {**at_first, "by_meaning": 3}
    assert len(ids(world.ask("roles stay apart", filter_tags=["roles"]))) == 3


def test_a_thought_whose_id_another_has_here_is_named_and_not_lost_in_silence(world):
    thought_id = str(uuid.uuid4())
    squatted = record("The gate code is 9999.", id=thought_id)
    real = record("The gate code is 4417.", id=thought_id)
    assert accepted(import_records(world, squatted))["clashing"] == []
    for records in ([real], [squatted, real, real], [record("Tea is served at four."), real]):
        answer = accepted(import_records(world, *records))
        assert answer["clashing"] == [thought_id]
        assert answer["known"] == records.count(squatted)
    assert world.record(thought_id)["content"] == "The gate code is 9999."
    world.forget(thought_id)
    assert accepted(import_records(world, real)) | {"findable": None} == {
        "imported": 0,
        "known": 1,
        "clashing": [],
        "findable": None,
    }


def test_a_whole_memory_moves_to_another_folder_byte_by_byte(opened):
    world = opened(HashEmbedder())
    roles = world.know("Roles stay apart.", "ann", tags=["roles"])
    world.know("Refined.", "ben", thought_type="refinement", source_ids=[roles])
    gone = world.know("Marigold keeps a key under the flowerpot.", "ann")
    session = world.ask("roles apart", "dev", context="agents")["trace"]["session_id"]
    world.feedback(session, roles, "useful")
    world.ask("Roles stay apart, and everybody who tried it once agrees with me.", "dev")
    world.ask("Roles stay apart.", "kim", contribute="always")
    world.forget(gone)
    accepted(world.post("ingest", {"content": "Separate roles.", "metadata": {"domain": "d"}}))
    lines = world.client.get("/api/v1/export")
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    other = opened(HashEmbedder(), home=world.home.with_name("other"))
    other.clock.advance(hours=100)
    accepted(other.client.post("/api/v1/import", content=lines.content, headers=LINES))
    assert other.client.get("/api/v1/export").content == lines.content
    there, here = other.record(roles), world.record(roles)
    # Trails fade, and what was shown to whom leaves with no export.
    for changing in ("pheromone_weight", "rediscovered"):
        there.pop(changing), here.pop(changing)
    assert there == here
    again = other.client.post("/api/v1/import", content=lines.content, headers=LINES)
    assert accepted(again)["imported"] == 0
    assert other.client.get("/api/v1/export").content == lines.content


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"5",
        b"null",
        b"\xff",
        b'{"record": "nothing"}',
        b"{}",
        b"[" * 100000,
        b'{"record": "thought"}',
        json.dumps(record("x", unknown=1)).encode(),
        json.dumps(record("")).encode(),
        json.dumps(record("x" * 10001)).encode(),
        json.dumps(record("nul \x00")).encode(),
        json.dumps(record("x", created_at="soon")).encode(),
        json.dumps(record("@")).replace("@", r"\ud800").encode(),
        json.dumps(record("x", id="x")).encode(),
        json.dumps(record("x", position=-1)).encode(),
        json.dumps(record("x", position=2**70)).encode(),
        json.dumps(record("x", tags=["a" * 101])).encode(),
    ],
)
def test_one_bad_line_refuses_the_whole_import_and_is_named(world, line):
    good = json.dumps(record("Roles stay apart.")).encode()
    body = good + b"\n" + line
    response = world.client.post("/api/v1/import", content=body, headers=LINES)
    assert "line 2" in refused(response, 400, "VALIDATION_ERROR")
    assert world.rows("SELECT count(*) FROM thoughts") == [(0,)]


def test_an_import_takes_a_thousand_lines_and_no_more(world):
    records = [record(f"Case {n}.") for n in range(1001)]
    refused(import_records(world, *records), 400, "VALIDATION_ERROR")
    assert accepted(import_records(world, *records[:1000]))["imported"] == 1000


def test_an_empty_import_brings_nothing(world):
    response = world.client.post("/api/v1/import", content=b"\n\n", headers=LINES)
    nothing = {"thoughts": 0, "by_words": 0, "by_meaning": 0}
    assert accepted(response) == {"imported": 0, "known": 0, "clashing": [], "findable": nothing}


def test_an_import_is_lines_of_json(world):
    response = world.client.post("/api/v1/import", json=record("x"))
    assert "ndjson" in refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_an_import_of_more_than_16_mebibytes_is_refused(world):
    response = world.client.post("/api/v1/import", content=b"x" * (2**24 + 1), headers=LINES)
    refused(response, 413, "PAYLOAD_TOO_LARGE")


def test_a_source_that_is_nowhere_refuses_the_import(world):
    missing = "7b9f0a52-5a8e-4c65-9d59-0b8f6c0a1f11"
    one = record("Refined.", thought_type="refinement", source_ids=[missing])
    refused(import_records(world, one), 404, "THOUGHT_NOT_FOUND")
    refused(import_records(world, one | {"source_ids": []}), 400, "MISSING_SOURCE_IDS")
    refused(import_records(world, one | {"thought_type": "opinion"}), 400, "INVALID_THOUGHT_TYPE")


def test_exporting_an_empty_memory_gives_nothing(world):
    assert world.client.get("/api/v1/export").content == b""


def test_who_waits_for_the_embedding_is_answered_when_all_is_found_by_meaning(world):
    body = "\n".join(json.dumps(record(f"Case {n}.")) for n in range(40)).encode()
    worker = Thread(target=world.app.embedding.run)
    worker.start()
    try:
        response = world.client.post(
            "/api/v1/import", content=body, headers=LINES, params={"wait": "embedded"}
        )
    finally:
        world.app.embedding.stop()
        worker.join()
    whole = {"thoughts": 40, "by_words": 40, "by_meaning": 40}
    assert accepted(response) == {"imported": 40, "known": 0, "clashing": [], "findable": whole}


def test_who_waits_while_the_server_ends_is_told_what_is_not_embedded_yet(world):
    world.app.jobs.stop_waiting()
    response = world.client.post(
        "/api/v1/import",
        content=json.dumps(record("x")),
        headers=LINES,
        params={"wait": "embedded"},
    )
    assert response.status_code == 202
    assert response.json()["findable"] == {"thoughts": 1, "by_words": 1, "by_meaning": 0}


def test_an_import_asks_nothing_of_an_encoder_that_fails(world, monkeypatch):
    def fail(_texts):
        raise EmbeddingFailed("away")

    monkeypatch.setattr(world.app.embedder, "encode", fail)
    assert accepted(import_records(world, record("The lamp burns whale oil.")))["imported"] == 1
    monkeypatch.undo()
    assert len(ids(world.ask("whale oil"))) == 1


def test_a_thought_that_waits_to_be_embedded_is_recalled_by_its_words(world):
    texts = (
        "Rotate the signing key of the gateway every ninety days.",
        *(f"The harbour lantern number {number} burns oil." for number in range(14)),
    )
    accepted(import_records(world, *map(record, texts)))
    asked = "How often is the signing key of the gateway rotated?"
    reply = world.ask(asked, "dev")
    assert [source["content_preview"] for source in reply["result"]["sources"]] == [texts[0]]
    assert ids(world.ask(asked, "dev", min_relevance=0.99)) == []
