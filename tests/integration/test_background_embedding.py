"""Embedding in the background: what is found by words gets its vector, and calls come first."""

from __future__ import annotations

import logging
import threading
from contextlib import closing, contextmanager

import pytest

from knowledge_calls import call, sync_source
from patience import wait_until
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import BackgroundEmbedding
from wellworn.application.calls.background_embedding import Patience
from wellworn.domain.audit import Action
from wellworn.domain.sources import NewSource
from wellworn.domain.spaces import local_access
from wellworn.errors import EmbeddingFailed, StorageUnavailable
from wellworn.testing.embedder import HashEmbedder

LOCAL = local_access()
LONG_S = 600.0
"""Longer than any test runs."""


class Gated(HashEmbedder):
    """An encoder whose queries and passages wait for a gate of their own."""

    def __init__(self):
        self.passages, self.queries = threading.Event(), threading.Event()
        self.passages.set()
        self.queries.set()
        self.encoding, self.asking = threading.Event(), threading.Event()
        self.texts = []

    def encode(self, texts):
        self.encoding.set()
        assert self.passages.wait(LONG_S)
        self.texts += texts
        return super().encode(texts)

    def encode_query(self, text):
        self.asking.set()
        assert self.queries.wait(LONG_S)
        [encoded] = HashEmbedder.encode(self, [text])
        return encoded


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(40):
        (made / f"{number:02}.md").write_text(f"# Part {number}\n\nLantern number{number}.\n")
    return made


@pytest.fixture
def embedder():
    return Gated()


@pytest.fixture
def app(tmp_path, embedder):
    with closing(open_app(tmp_path / "home", embedder=embedder)) as app:
        yield app


@pytest.fixture
def source(app, folder):
    made = call(app, "create_source")(LOCAL, NewSource("folder", "docs", {"path": str(folder)}))
    sync_source(app, LOCAL, made.id)
    return made.id


@contextmanager
def embedding(app, **patience):
    """Run the background embedding of a server until the block ends."""
    patience = Patience(**{"pause_s": 0.0, "longest_s": LONG_S, **patience})
    worker = BackgroundEmbedding(app.guard.pool, app.guard.activity, patience)
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        # Whatever failed, nobody waits for a gate that stays shut.
        app.embedder.passages.set()
        worker.stop()
        thread.join()


def waiting(app, source):
    return app.guard.pool.shared.sources.progress.count_findable(LOCAL, [source]).waiting


def paths(app, text, limit=5):
    return [one.path for one in app.search_documents(LOCAL, text, limit=limit, sources=None)]


def test_what_a_sync_brought_is_embedded_newest_first(app, source, embedder):
    assert waiting(app, source) == 40
    assert embedder.texts == []
    with embedding(app):
        wait_until(lambda: not waiting(app, source))
    assert {text.splitlines()[0] for text in embedder.texts[:16]} == {
        f"Part {number}" for number in range(24, 40)
    }
    assert len(embedder.texts) == 40


def test_documents_that_were_shown_are_embedded_first(app, source, embedder):
    assert paths(app, "number7")[0] == "07.md"
    assert paths(app, "number3")[0] == "03.md"
    embedder.texts.clear()
    with embedding(app):
        wait_until(lambda: not waiting(app, source))
    first = [text.splitlines()[0] for text in embedder.texts]
    assert {"Part 7", "Part 3"} <= set(first[:10])
    assert sorted(first) == sorted(f"Part {number}" for number in range(40))


def test_what_comes_later_is_embedded_too(app, source, folder):
    with embedding(app):
        wait_until(lambda: not waiting(app, source))
        (folder / "new.md").write_text("# New\n\nA violin.\n")
        sync_source(app, LOCAL, source)
        wait_until(lambda: not waiting(app, source))
    assert paths(app, "violin", limit=1) == ["new.md"]


def test_a_call_is_answered_while_the_encoder_is_busy(app, source, embedder):
    embedder.passages.clear()
    with embedding(app):
        assert embedder.encoding.wait(LONG_S)
        assert paths(app, "number7")[0] == "07.md"
        assert embedder.texts == []
        embedder.passages.set()
        wait_until(lambda: not waiting(app, source))
    assert paths(app, "number7")[0] == "07.md"


def test_no_passage_is_embedded_while_somebody_calls(app, source, embedder, monkeypatch):
    waits = threading.Event()
    wait_for_quiet = app.guard.activity.wait_for_quiet

    def noted(*args, **named):
        waits.set()
        wait_for_quiet(*args, **named)

    monkeypatch.setattr(app.guard.activity, "wait_for_quiet", noted)
    embedder.queries.clear()
    caller = threading.Thread(target=paths, args=(app, "number7"))
    caller.start()
    assert embedder.asking.wait(LONG_S)
    with embedding(app):
        assert waits.wait(LONG_S)
        assert not app.guard.activity.is_quiet(0.0)
        assert embedder.texts == []
        embedder.queries.set()
        caller.join()
        wait_until(lambda: not waiting(app, source))
    assert len(embedder.texts) == 40


def test_who_calls_without_end_keeps_nothing_from_being_embedded(app, source, embedder):
    embedder.queries.clear()
    caller = threading.Thread(target=paths, args=(app, "number7"))
    caller.start()
    assert embedder.asking.wait(LONG_S)
    with embedding(app, longest_s=0.0):
        wait_until(lambda: not waiting(app, source))
    embedder.queries.set()
    caller.join()


@pytest.mark.parametrize("action", [Action.SOURCE_READ, Action.SPACE_READ])
def test_who_waits_for_the_embedding_does_not_hold_it_up(app, source, action):
    with app.call(LOCAL, action), embedding(app):
        wait_until(lambda: not waiting(app, source))


def test_a_server_that_ends_stops_at_once_and_the_next_goes_on(tmp_path, app, source, embedder):
    embedder.passages.clear()
    with embedding(app) as worker:
        assert embedder.encoding.wait(LONG_S)
        worker.stop()
        embedder.passages.set()
    left = waiting(app, source)
    assert left == 40
    app.close()
    with closing(open_app(tmp_path / "home", embedder=embedder)) as again:
        assert again.unindexed == 0
        assert paths(again, "number7")[0] == "07.md"
        with embedding(again):
            wait_until(lambda: not waiting(again, source))


@pytest.mark.parametrize("error", [EmbeddingFailed("broken"), StorageUnavailable("full")])
def test_a_failure_is_logged_and_what_waits_is_found_by_words(
    app, source, embedder, monkeypatch, caplog, error
):
    failed = threading.Event()

    def fail(_points):
        failed.set()
        raise error

    index = app.guard.pool.shared.chunk_index
    with caplog.at_level(logging.WARNING), embedding(app):
        with monkeypatch.context() as patch:
            patch.setattr(index, "upsert", fail)
            app.guard.activity.has_brought.set()
            assert failed.wait(LONG_S)
            wait_until(lambda: f"tried again: {error.message}" in caplog.text)
            assert waiting(app, source) == 40
            assert paths(app, "number7")[0] == "07.md"
        app.guard.activity.has_brought.set()
        wait_until(lambda: not waiting(app, source))


def test_of_a_changed_document_what_was_not_embedded_yet_stays_and_waits(app, source, folder):
    (folder / "07.md").write_text("# Part 7\n\nLantern number7.\n\n## More\n\nA violin.\n")
    sync_source(app, LOCAL, source)
    assert waiting(app, source) == 41
    assert paths(app, "violin") == ["07.md"]
    app.embedding.finish()
    assert waiting(app, source) == 0


def test_what_a_removed_source_left_waiting_is_not_embedded(app, source, embedder):
    app.syncs.remove_source(LOCAL, source)
    app.embedding.finish()
    assert embedder.texts == []
