"""A sync whose end could not be written is shown as it ended, and not as one that goes on."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from integration.sources_world import LOCAL, Docs, opened
from wellworn.domain.sources.store import runs as stored
from wellworn.errors import StorageUnavailable
from wellworn.testing.embedder import HashEmbedder

GUIDE = "# Guide\n\nKopia runs nightly.\n"
FULL = "the disk is full; free some space, then try again"


class Filling(HashEmbedder):
    """Fills the disk while documents are cut, once it is told to."""

    def __init__(self):
        self.database = None
        self.look = None

    def lengths(self, texts):
        if self.database is not None:
            self.database.write = full
        if self.look is not None:
            self.seen = self.look()
        return super().lengths(texts)


def full():
    raise StorageUnavailable(FULL)


@pytest.fixture
def embedder():
    return Filling()


@pytest.fixture
def world(empty, tmp_path, embedder):
    with opened(empty, tmp_path / "memory.db", embedder=embedder) as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    return Docs(world, tmp_path / "docs")


@contextmanager
def filling_disk(world):
    """Let the disk be full from the next document on until the block ends."""
    world.embedder.database = world.database
    try:
        yield
    finally:
        world.embedder.database = None
        del world.database.write


def runs(docs):
    return docs.world.sources.list_runs(LOCAL, docs.source.id)


def statuses(docs):
    [listed] = docs.world.sources.list_sources(LOCAL)
    return {docs.status().sync_status, listed.sync_status}


def test_a_sync_that_a_full_disk_ended_is_shown_with_what_happened(world, docs):
    docs.write("guide.md", GUIDE)
    with filling_disk(world):
        with pytest.raises(StorageUnavailable):
            docs.sync()
        assert statuses(docs) == {"failed"}
    assert statuses(docs) == {"failed"}
    assert (docs.status().sync_error, docs.status().failures) == (FULL, 1)
    [run] = runs(docs)
    assert (run.status, run.message) == ("failed", FULL)
    assert run.finished_at == world.clock.now()


def test_the_next_sync_writes_how_the_one_before_it_ended(world, docs):
    docs.write("guide.md", GUIDE)
    with filling_disk(world), pytest.raises(StorageUnavailable):
        docs.sync()
    world.clock.advance(60)
    assert docs.sync().message == "1 new"
    assert statuses(docs) == {"success"}
    assert [run.message for run in runs(docs)] == ["1 new", FULL]
    assert runs(docs)[1].finished_at == world.clock.now() - 60


def test_the_next_sync_is_shown_as_going_on_while_it_does(world, docs):
    docs.write("guide.md", GUIDE)
    with filling_disk(world), pytest.raises(StorageUnavailable):
        docs.sync()
    world.embedder.look = lambda: (statuses(docs), [run.status for run in runs(docs)])
    docs.sync()
    assert world.embedder.seen == ({"syncing"}, ["syncing", "failed"])


def test_a_sync_is_shown_as_going_on_until_its_end_is_written(docs, monkeypatch):
    docs.write("guide.md", GUIDE)
    seen = []

    def look(*given):
        # Within the transaction that writes the end.
        seen.append((statuses(docs), [run.status for run in runs(docs)]))
        return prune(*given)

    prune = stored.prune
    monkeypatch.setattr(stored, "prune", look)
    docs.sync()
    assert seen == [({"syncing"}, ["syncing"])]
    assert statuses(docs) == {"success"}


def test_runs_before_the_one_whose_end_is_missing_are_shown_as_they_ended(world, docs):
    docs.write("guide.md", GUIDE)
    docs.sync()
    docs.write("guide.md", GUIDE.replace("Kopia", "Restic"))
    with filling_disk(world), pytest.raises(StorageUnavailable):
        docs.sync()
    assert [run.message for run in runs(docs)] == [FULL, "1 new"]


def test_of_two_sources_only_the_one_whose_end_is_missing_is_shown_so(world, docs, tmp_path):
    other = Docs(world, tmp_path / "other")
    other.write("other.md", GUIDE)
    other.sync()
    docs.write("guide.md", GUIDE)
    with filling_disk(world), pytest.raises(StorageUnavailable):
        docs.sync()
    assert other.status().sync_status == "success"
    assert [run.status for run in runs(other)] == ["success"]


def test_a_start_says_of_a_sync_whose_end_nobody_knows_that_it_was_interrupted(
    world, docs, empty, tmp_path
):
    docs.write("guide.md", GUIDE)
    with filling_disk(world), pytest.raises(StorageUnavailable):
        docs.sync()
    with opened(empty, tmp_path / "memory.db") as later:
        later.sources.mark_interrupted()
        source = later.sources.get_source(LOCAL, docs.source.id)
        assert source.sync_status == "failed"
        assert "interrupted" in source.sync_error
