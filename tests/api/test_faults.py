"""When a part fails: the right error, nothing half-written, and the server stays up."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

import wellworn.engines.embedding
from api.world import accepted, ids, refused, talk
from empty_memory import of_files
from wellworn.application.settings import Settings
from wellworn.engines.embedding import EmbeddingSettings
from wellworn.engines.embedding.engine import MODEL_FILE
from wellworn.errors import EmbeddingFailed, IndexUnavailable, StorageUnavailable
from wellworn.interfaces.http.v1 import health
from wellworn.testing.embedder import HashEmbedder

INSIGHT = "Role boundaries prevent coordination collapse in multi-agent systems."
MODEL = Path(wellworn.engines.embedding.__file__).with_name("model")
WRITES = {
    "memory": talk(INSIGHT, tags=["roles"]),
    "think": {
        "content": INSIGHT,
        "contributor_id": "a",
        "contributor_name": "A",
        "thought_type": "original",
        "source_ids": [],
        "tags": [],
    },
    "retrieve": {
        "query": "role boundaries",
        "agent_id": "a",
        "session_id": "7b9f0a52-5a8e-4c65-9d59-0b8f6c0a1f11",
    },
    "ingest": {"content": INSIGHT},
}


def state(world):
    """Return everything that was ever written."""
    return {table: world.rows(f"SELECT * FROM {table}") for table in world.tables()}


# ---------------------------------------------------------------- the model


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(MODEL, folder)
    return folder


def damage_no_model(folder):
    (folder / MODEL_FILE).unlink()


def damage_no_tokenizer(folder):
    (folder / "tokenizer.json").unlink()


def damage_cut_short(folder):
    file = folder / MODEL_FILE
    os.truncate(file, file.stat().st_size // 2)


def damage_garbage(folder):
    (folder / "tokenizer.json").write_bytes(b"\x00" * 1000)


DAMAGES = [
    damage_no_model,
    damage_no_tokenizer,
    damage_cut_short,
    damage_garbage,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_without_its_model_the_server_stays_up_and_says_so(opened, model, damage):
    damage(model)
    settings = Settings(embedding=EmbeddingSettings(model_folder=model))
    world = opened(settings=settings)
    before = state(world)
    message = refused(world.post("ingest", WRITES["ingest"]), 500, "EMBEDDING_FAILED")
    assert str(model) not in message
    assert state(world) == before
    assert world.ask(INSIGHT)["trace"]["thoughts_contributed"] == 1
    assert ids(world.ask("coordination collapse", "dev"))
    health = world.read("health")
    assert (health["status"], health["embedding"]["status"]) == ("degraded", "error")
    assert health["database"]["status"] == health["qdrant"]["status"] == "ok"
    assert accepted(world.client.get("/health/live"))["status"] == "ok"


def test_a_new_memory_is_not_made_for_a_model_that_is_not_there(opened, model):
    shutil.rmtree(model)
    with pytest.raises(EmbeddingFailed, match="not there"):
        opened(settings=Settings(embedding=EmbeddingSettings(model_folder=model)))


class BrokenEmbedder(HashEmbedder):
    """Embeds nothing once it is broken."""

    is_broken = False

    def encode(self, texts):
        self._fail_if_broken()
        return super().encode(texts)

    def encode_query(self, text):
        self._fail_if_broken()
        return super().encode_query(text)

    def _fail_if_broken(self):
        if self.is_broken:
            raise EmbeddingFailed("the embedding model could not be run")


def test_without_its_encoder_a_server_still_finds_by_words(opened):
    embedder = BrokenEmbedder()
    world = opened(embedder)
    roles = world.know(INSIGHT)
    for word in ("lichen", "granite", "harbour", "violin"):
        world.know(f"Notes about the {word}, and nothing else.")
    embedder.is_broken = True
    word = INSIGHT.rsplit(maxsplit=1)[-1].strip(".")
    [best, *_] = world.ask(word)["result"]["sources"]
    assert best["thought_id"] == roles
    [hit, *_] = accepted(world.client.get("/api/v1/search?q=granite"))["results"]
    assert "granite" in str(hit)
    assert world.ask("nobody wrote of xylophones")["result"]["sources"] == []


def test_what_is_stated_without_an_encoder_is_stored_and_embedded_later(opened):
    embedder = BrokenEmbedder()
    world = opened(embedder)
    world.know("The Marlin exporter listens on port 9100.")
    world.clock.advance(60)
    embedder.is_broken = True
    world.ask("The Marlin exporter listens on port 9200.", "zoe")
    note = world.know("Notes about the granite, and nothing else.")
    assert world.know("Notes about the granite, and nothing else.") == note
    assert ids(world.ask("granite?"))[0] == note
    assert world.read("health")["findable"] == {"thoughts": 3, "by_words": 3, "by_meaning": 1}
    embedder.is_broken = False
    world.app.embedding.finish()
    assert world.read("health")["findable"] == {"thoughts": 3, "by_words": 3, "by_meaning": 3}


def test_a_server_is_ready_while_its_database_and_indexes_answer(world, monkeypatch):
    def fail():
        raise StorageUnavailable("no")

    accepted(world.client.get("/health/ready"))
    for part in (world.app.database, *world.app.indexes):
        with monkeypatch.context() as patch:
            patch.setattr(part, "ping" if part is world.app.database else "check", fail)
            answer = world.client.get("/health/ready")
            refused(answer, 503, "NOT_READY")
            assert int(answer.headers["retry-after"]) > 0
            accepted(world.client.get("/health/live"))
    accepted(world.client.get("/health/ready"))


def test_a_server_whose_database_never_answers_is_not_ready(world, monkeypatch):
    answered = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(health, "READY_WITHIN_S", 0.05)
        patch.setattr(world.app.database, "ping", answered.wait)
        refused(world.client.get("/health/ready"), 503, "NOT_READY")
    answered.set()
    accepted(world.client.get("/health/ready"))


def test_the_model_is_used_as_soon_as_it_is_whole_again(opened, model):
    tokenizer = (model / "tokenizer.json").read_bytes()
    (model / "tokenizer.json").write_bytes(tokenizer[:-1])
    world = opened(settings=Settings(embedding=EmbeddingSettings(model_folder=model)))
    assert world.read("health")["status"] == "degraded"
    (model / "tokenizer.json").write_bytes(tokenizer)
    assert world.ask(INSIGHT)["trace"]["thoughts_contributed"] == 1
    assert world.read("health")["findable"]["by_meaning"] == 1
    assert world.read("health")["status"] == "ok"


class MoodyEmbedder(HashEmbedder):
    """Answers until it is told to fail."""

    failing = False

    def embed(self, texts):
        if self.failing:
            raise EmbeddingFailed("the embedding model could not be run")
        return super().embed(texts)


def test_what_needs_no_embedding_works_without(opened):
    embedder = MoodyEmbedder()
    world = opened(embedder)
    thought = world.know(INSIGHT)
    session = world.ask("role boundaries?", "dev")["trace"]["session_id"]
    embedder.failing = True
    assert world.record(thought)["access_count"] == 1
    assert world.feedback(session, thought, "useful")["pheromone_weight"] == 1.15
    assert world.read("highways", min_access=1, min_users=1)
    assert world.forget(thought)
    vector = [1.0] * 384
    body = {"query_embedding": vector, "agent_id": "a", "session_id": session}
    refused(world.post("retrieve", body), 404, "SESSION_NOT_FOUND")


# ---------------------------------------------------------------- the vector index


@pytest.fixture
def filled(world):
    """A memory that holds something, as it was before the fault."""
    world.know("Gates are never skipped.", tags=["gates"])
    world.ask("gates skipped?", "dev")
    return world


def test_a_closed_index_is_an_error_of_the_index_and_nothing_is_written(filled):
    before = state(filled)
    filled.app.indexes[0].close()
    for path in ("memory", "think", "retrieve"):
        refused(filled.post(path, WRITES[path]), 500, "QDRANT_ERROR")
    refused(filled.client.get("/api/v1/search?q=roles"), 500, "QDRANT_ERROR")
    assert state(filled) == before
    health = filled.read("health")
    assert (health["status"], health["qdrant"]["status"]) == ("degraded", "error")
    assert health["database"]["status"] == "ok"
    assert "wellworn rebuild" in health["advice"]


def test_an_index_that_refuses_to_write_leaves_nothing_in_the_database(filled, monkeypatch):
    before = state(filled)

    def refuse(_points):
        raise IndexUnavailable("The points cannot be stored.")

    monkeypatch.setattr(filled.app.indexes[0], "upsert", refuse)
    monkeypatch.setattr(filled.app.indexes[1], "upsert", refuse)
    for path in ("memory", "think", "ingest"):
        refused(filled.post(path, WRITES[path]), 500, "QDRANT_ERROR")
    assert state(filled) == before
    monkeypatch.undo()
    assert filled.ask(INSIGHT)["trace"]["thoughts_contributed"] == 1


def test_a_closed_practice_index_leaves_memory_alone(filled):
    filled.app.indexes[1].close()
    refused(filled.post("query", {"query": "roles"}), 500, "QDRANT_ERROR")
    refused(filled.post("ingest", {"content": "x"}), 500, "QDRANT_ERROR")
    assert filled.ask(INSIGHT)["trace"]["thoughts_contributed"] == 1


def test_forgetting_without_an_index_is_refused_whole(filled):
    thought = filled.know(INSIGHT)
    filled.app.indexes[0].close()
    url = f"/api/v1/thoughts/{thought}"
    response = filled.client.request("DELETE", url, json={"agent_id": "a"})
    refused(response, 500, "QDRANT_ERROR")
    assert filled.record(thought)["content"] == INSIGHT


@pytest.mark.parametrize("folder", ["index", "index/thoughts"])
def test_an_index_that_is_gone_is_made_anew_from_the_database(opened, folder):
    world = opened(HashEmbedder())
    thought = world.know(INSIGHT)
    world.app.close()
    shutil.rmtree(world.home / folder)
    again = opened(HashEmbedder())
    assert ids(again.ask("role boundaries?")) == [thought]
    assert again.read("health")["status"] == "ok"


# ---------------------------------------------------------------- the database


@contextmanager
def full_disk(world):
    """Let the database grow no further, as on a full disk."""
    engine = world.app.database._dialect.reader
    with engine.connect() as connection:
        # Revisions leave pages free, and those are room.
        connection.connection.driver_connection.execute("VACUUM")

    def limit(connection, _record, _proxy):
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    def lift(connection, _record, _proxy):
        connection.execute("PRAGMA max_page_count = 4294967294")

    event.listen(engine, "checkout", limit)
    try:
        yield
    finally:
        event.remove(engine, "checkout", limit)
        event.listen(engine, "checkout", lift)


def long(path):
    """Return a body that no page of the database has room for."""
    words = " ".join(f"boundary{n}" for n in range(700))
    field = {"memory": "prompt", "retrieve": "query"}.get(path, "content")
    return WRITES[path] | {field: words}


@of_files
@pytest.mark.parametrize("path", sorted(WRITES.keys() - {"retrieve"}))
def test_on_a_full_database_nothing_is_half_written(filled, path):
    before = state(filled)
    with full_disk(filled):
        refused(filled.post(path, long(path)), 500, "INTERNAL_ERROR")
        assert filled.read("health")["database"]["status"] == "ok"
    assert state(filled) == before
    accepted(filled.post(path, long(path)))


@of_files
def test_on_a_full_database_what_is_retrieved_leaves_no_trail(filled):
    before = state(filled)
    with full_disk(filled):
        assert accepted(filled.post("retrieve", long("retrieve")))
    assert state(filled) == before


@of_files
def test_what_could_not_be_stored_is_never_found(filled):
    gone = "Nautilus " * 400 + "turquoise submarine"
    with full_disk(filled):
        refused(filled.post("memory", talk(gone, contribute="always")), 500, "INTERNAL_ERROR")
        assert filled.read("search", q="nautilus turquoise submarine")["results"] != [gone]
    later = filled.know("Penguins waddle.")
    found = filled.read("search", q="nautilus turquoise submarine")["results"]
    assert [one["score"] > 0.3 for one in found] == [False] * len(found)
    assert later in {one["thought_id"] for one in filled.read("search", q="penguins")["results"]}
    points = filled.read("health")["collections"]["thought_space"]["points"]
    assert points == 2


@of_files
def test_a_database_nobody_may_write_is_an_internal_error(filled):
    before = state(filled)
    engine = filled.app.database._dialect.reader

    def read_only(connection, _record, _proxy):
        connection.execute("PRAGMA query_only = ON")

    event.listen(engine, "checkout", read_only)
    for path, body in WRITES.items():
        message = refused(filled.post(path, body), 500, "INTERNAL_ERROR")
        assert "sqlite" not in message.lower()
    assert state(filled) == before
    assert filled.read("search", q="gates")["results"]
    assert len(filled.read("highways", min_access=1, min_users=1)) == 1


@of_files
def test_a_database_that_is_gone_is_an_internal_error_and_the_server_stays_up(opened):
    world = opened(HashEmbedder(), raise_server_exceptions=False)
    world.know(INSIGHT)
    world.app.database._dialect.reader.dispose()
    for file in world.home.glob("wellworn.db*"):
        file.unlink()
    world.home.joinpath("wellworn.db").mkdir()
    for path, body in WRITES.items():
        message = refused(world.post(path, body), 500, "INTERNAL_ERROR")
        assert str(world.home) not in message
    health = world.read("health")
    assert (health["status"], health["database"]["status"]) == ("degraded", "error")


@of_files
def test_a_damaged_database_is_an_internal_error(opened):
    world = opened(HashEmbedder(), raise_server_exceptions=False)
    for number in range(50):
        world.know(f"Roles stay apart, case {number}.")
    world.app.database.scrub()
    world.app.database._dialect.reader.dispose()
    file = world.home / "wellworn.db"
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)
    response = world.post("memory", WRITES["memory"])
    refused(response, 500, "INTERNAL_ERROR")
    assert str(world.home) not in response.text


@of_files
def test_health_is_not_ok_once_a_call_has_met_a_damaged_page(opened):
    world = opened(HashEmbedder(), raise_server_exceptions=False)
    thought = world.know(INSIGHT)
    for number in range(50):
        world.know(f"Roles stay apart, case {number}. " + "And so on. " * 80)
    world.app.database.scrub()
    world.app.database._dialect.reader.dispose()
    file = world.home / "wellworn.db"
    content = bytearray(file.read_bytes())
    page = content.index(INSIGHT.encode()) // 4096 * 4096
    content[page : page + 4096] = b"\xa5" * 4096
    assert world.read("health")["status"] == "ok"
    # Or what it has read of the page is read again from memory.
    world.app.database._dialect.reader.dispose()
    file.write_bytes(content)
    refused(world.client.get(f"/api/v1/thoughts/{thought}"), 500, "INTERNAL_ERROR")
    health = world.read("health")
    assert (health["status"], health["database"]["status"]) == ("degraded", "error")
    assert "wellworn doctor" in health["advice"]
    accepted(world.client.get("/health/live"))


@of_files
def test_health_is_not_ok_once_a_call_has_met_words_that_are_none(opened):
    world = opened(HashEmbedder(), raise_server_exceptions=False)
    thought = world.know(INSIGHT)
    with closing(sqlite3.connect(world.home / "wellworn.db")) as database:
        database.execute("UPDATE thoughts SET content = CAST(X'C328' AS TEXT)")
        database.commit()
    refused(world.client.get(f"/api/v1/thoughts/{thought}"), 500, "INTERNAL_ERROR")
    assert world.read("health")["status"] == "degraded"


def test_an_unexpected_failure_is_an_internal_error_without_its_details(opened, monkeypatch):
    world = opened(HashEmbedder(), raise_server_exceptions=False)

    def fail(*_arguments, **_more):
        raise RuntimeError(f"secret of {world.home}")

    monkeypatch.setattr(world.app.memory, "converse", fail)
    message = refused(world.post("memory", WRITES["memory"]), 500, "INTERNAL_ERROR")
    assert "secret" not in message
