"""Time and machines that misbehave: odd schedules, clocks that jump, full disks, two at once."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from integration.hostile_world import BETTER, GOOD, Kept, said_well
from integration.sources_world import LOCAL, CountingEmbedder, Docs, opened
from patience import LONG_S
from wellworn.domain.sources import NewSource, SourceChanges
from wellworn.domain.sources.store import documents as document_store
from wellworn.domain.sources.store import served
from wellworn.engines.jobs import compute_next_run
from wellworn.errors import InvalidInput, SourceNotFound, StorageUnavailable, SyncRunning
from wellworn.testing.vectors import ListVectorIndex

DAY_H = 24


@pytest.fixture
def world(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as world:
        yield world


@pytest.fixture
def docs(world, tmp_path):
    docs = Docs(world, tmp_path / "docs")
    docs.write("guide.md", f"# Guide\n\n{GOOD}\n")
    docs.write("other.md", "# Other\n\nNothing.\n")
    return docs


def scheduled(world, tmp_path, schedule, zone="UTC"):
    docs = Docs(world, tmp_path / "docs")
    docs.write("guide.md", f"# Guide\n\n{GOOD}\n")
    changes = SourceChanges(sync_schedule=schedule, time_zone=zone)
    world.sources.change(LOCAL, docs.source.id, changes)
    docs.sync()
    return docs


class Ticks:
    """What ticks of the clockwork set off: a slot makes one job, ever."""

    def __init__(self, world):
        self.world, self.used, self.fired = world, set(), []
        self.started_at = world.clock.now()
        self.is_lossy = False

    def run(self, hours, step_s=600):
        """Let time pass; return the moments at which syncs began."""
        first = len(self.fired)
        for _ in range(int(hours * 3600 / step_s)):
            self.world.clock.advance(step_s)
            now = self.world.clock.now()
            for due in self.world.sources.triggers.list_due(now, started_at=self.started_at):
                if due.slot not in self.used:
                    self.used.add(due.slot)
                    self.fired.append(now)
                    if not self.is_lossy:
                        self.world.sources.sync(LOCAL, int(due.key.split(":")[1]), trigger="job")
        return self.fired[first:]


@pytest.fixture
def ticks(world):
    return Ticks(world)


def moved_to(world, *moment):
    world.clock.advance(datetime(*moment, tzinfo=UTC).timestamp() - world.clock.now())


# ------------------------------------------------------------ 30: schedules


# 30
@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ("* * * * *", "300|5 min|often"),
        ("*/4 * * * *", "300|5 min|often"),
        ("0,1 * * * *", "300|5 min|often"),
        ("0 0 30 2 *", "ever fires; write for example"),
        ("0 0 31 2,4,6 *", "ever fires; write for example"),
        ("0 * * * * *", "five fields"),
        ("0 0 * *", "five fields"),
        ("61 * * * *", ""),
        ("@every 1s", ""),
        ("*/0 * * * *", ""),
        ("0 3 * * *\n* * * * *", ""),
        ("\x00", ""),
    ],
)
def test_a_schedule_that_cannot_be_is_refused_with_what_to_write(world, schedule, said):
    with pytest.raises(InvalidInput) as refused:
        world.sources.create(
            LOCAL,
            NewSource("manual_note", "x", {"title": "t", "text": "words"}, sync_schedule=schedule),
        )
    said_well(refused.value.message, f"^sync_schedule: .*(?:{said})")


# 30
def test_a_thousand_sources_that_want_every_minute_are_refused_and_cost_nothing(world):
    for number in range(1_000):
        new = NewSource(
            "manual_note",
            f"n{number}",
            {"title": "t", "text": "words"},
            sync_schedule="* * * * *",
        )
        with pytest.raises(InvalidInput, match="sync_schedule"):
            world.sources.create(LOCAL, new)
    assert world.sources.list_sources(LOCAL) == []
    assert world.sources.triggers.list_due(world.clock.now() + 1e6, started_at=0.0) == []


# 30
def test_no_more_sources_than_the_limit_can_be_scheduled_and_each_is_due_once(world):
    config = {"title": "t", "text": "words"}
    for number in range(200):
        new = NewSource("manual_note", f"n{number}", config, sync_schedule="*/5 * * * *")
        world.sources.create(LOCAL, new)
    with pytest.raises(InvalidInput, match="maximum number of sources; remove one first"):
        world.sources.create(LOCAL, NewSource("manual_note", "more", config))
    now = world.clock.now() + 301
    due = world.sources.triggers.list_due(now, started_at=world.clock.now())
    assert len(due) == len({one.key for one in due}) == 200
    assert world.sources.triggers.list_due(now + 1, started_at=world.clock.now()) == due


# 30
def test_an_hour_that_is_skipped_fires_once_when_the_clocks_have_jumped(world, tmp_path, ticks):
    moved_to(world, 2026, 3, 28, 12)
    scheduled(world, tmp_path, "30 2 * * *", "Europe/Berlin")
    fired = [datetime.fromtimestamp(one, UTC) for one in ticks.run(3 * DAY_H)]
    assert [(one.day, one.hour, one.minute) for one in fired] == [
        (29, 1, 0),
        (30, 0, 30),
        (31, 0, 30),
    ]


# 30
def test_an_hour_that_comes_twice_fires_once(world, tmp_path, ticks):
    moved_to(world, 2026, 10, 24, 12)
    scheduled(world, tmp_path, "30 2 * * *", "Europe/Berlin")
    fired = [datetime.fromtimestamp(one, UTC) for one in ticks.run(3 * DAY_H)]
    assert [one.day for one in fired] == [25, 26, 27]


# 30
def test_a_clock_that_jumps_ahead_makes_one_sync_of_all_that_were_missed(world, tmp_path, ticks):
    scheduled(world, tmp_path, "0 * * * *")
    assert len(ticks.run(3)) == 3
    world.clock.advance(hours=1_000)
    assert len(ticks.run(3)) in {3, 4}


# 30
@pytest.mark.parametrize("hours", [1.5, 26, 9_000])
def test_a_clock_that_was_ahead_and_is_put_back_does_not_stop_the_schedule(
    world, tmp_path, ticks, hours
):
    scheduled(world, tmp_path, "0 * * * *")
    ticks.run(3)
    world.clock.advance(hours=hours)
    ticks.run(2)
    world.clock.advance(hours=-hours - 2)
    assert len(ticks.run(6)) >= 5


# 30
def test_a_source_that_was_made_while_the_clock_was_ahead_is_synced(world, tmp_path, ticks):
    world.clock.advance(hours=9_000)
    docs = Docs(world, tmp_path / "docs")
    docs.write("guide.md", f"# Guide\n\n{GOOD}\n")
    world.sources.change(LOCAL, docs.source.id, SourceChanges(sync_schedule="0 * * * *"))
    world.clock.advance(hours=-9_000)
    assert len(ticks.run(3)) >= 2


# 30
def test_a_job_that_came_to_nothing_does_not_end_the_schedule(world, tmp_path, ticks):
    scheduled(world, tmp_path, "0 * * * *")
    ticks.is_lossy = True
    assert ticks.run(2)
    ticks.is_lossy = False
    assert ticks.run(3)


# 30
def test_a_retry_that_came_to_nothing_does_not_end_the_retries(world, tmp_path, ticks):
    docs = scheduled(world, tmp_path, "0 3 * * *")
    docs.folder.rename(docs.folder.with_name("away"))
    docs.sync()
    ticks.is_lossy = True
    assert ticks.run(1)
    ticks.is_lossy = False
    docs.folder.with_name("away").rename(docs.folder)
    assert ticks.run(3)
    assert docs.status().sync_status == "success"


def test_a_failing_source_is_tried_again_ever_more_seldom(world, tmp_path, ticks):
    docs = scheduled(world, tmp_path, "0 3 * * *")
    docs.folder.rename(docs.folder.with_name("away"))
    docs.sync()
    fired = ticks.run(DAY_H, step_s=60)
    assert 4 <= len(fired) <= 12
    assert compute_next_run("0 3 * * *", datetime.fromtimestamp(0, UTC)) is not None


# ------------------------------------------------------------ 30: two at once


class WaitingEmbedder(CountingEmbedder):
    """Counts word pieces, which documents are cut by, when it is told to."""

    def __init__(self):
        super().__init__()
        self.begun, self.go = threading.Event(), threading.Event()

    def lengths(self, texts):
        self.begun.set()
        assert self.go.wait(LONG_S)
        return super().lengths(texts)


@contextmanager
def in_the_midst(world, docs):
    """Hold a sync in another thread where nothing of it is visible yet; let it go at the end."""
    embedder, ended = world.embedder, []
    embedder.go.clear()
    embedder.begun.clear()

    def sync():
        try:
            ended.append(docs.sync())
        except SourceNotFound as gone:
            ended.append(gone)

    thread = threading.Thread(target=sync)
    thread.start()
    try:
        assert embedder.begun.wait(LONG_S)
        yield ended
    finally:
        embedder.go.set()
        thread.join(LONG_S)
    assert not thread.is_alive()


@pytest.fixture
def slow(empty, tmp_path):
    """A world whose encoder waits, and a folder in it that was synced once."""
    embedder = WaitingEmbedder()
    embedder.go.set()
    with opened(empty, tmp_path / "memory.db", embedder=embedder) as world:
        docs = Docs(world, tmp_path / "docs")
        docs.write("guide.md", f"# Guide\n\n{GOOD}\n")
        docs.write("other.md", "# Other\n\nNothing.\n")
        docs.sync()
        docs.write("guide.md", f"# Guide\n\n{BETTER}\n")
        docs.write("new.md", "# New\n\nRing the bell.\n")
        yield world, docs


# 30
def test_of_two_syncs_at_once_one_runs_and_the_other_is_told(slow):
    world, docs = slow
    with in_the_midst(world, docs) as ended:
        for _ in range(3):
            with pytest.raises(SyncRunning) as refused:
                docs.sync()
            said_well(refused.value.message, "is being synced now; wait for it")
        runs = world.sources.list_runs(LOCAL, docs.source.id)
        assert [one.status for one in runs] == ["syncing", "success"]
    assert [one.message for one in ended] == ["1 new, 1 changed, 1 unchanged"]
    assert docs.sync().message == "3 unchanged"


# 30
def test_while_a_sync_runs_what_was_there_is_served_whole(slow):
    world, docs = slow
    with in_the_midst(world, docs):
        assert docs.paths() == {"guide.md", "other.md"}
        number = docs.documents()["guide.md"].id
        assert GOOD in world.sources.get_document(LOCAL, number).text
        assert world.sources.get_source(LOCAL, docs.source.id).sync_status == "syncing"
    assert docs.paths() == {"guide.md", "new.md", "other.md"}
    assert BETTER in world.sources.get_document(LOCAL, number).text


# 30
def test_a_source_that_is_removed_in_the_midst_of_its_sync_leaves_nothing(slow):
    world, docs = slow
    with in_the_midst(world, docs):
        try:
            world.sources.remove(LOCAL, docs.source.id)
        except SyncRunning as refused:
            said_well(refused.message, "is being synced now")
    if world.sources.list_sources(LOCAL):
        world.sources.remove(LOCAL, docs.source.id)
    assert world.index.ids().size == 0
    with world.database.read() as transaction:
        for table in ("knowledge_documents", "knowledge_chunks", "knowledge_staged", "sync_runs"):
            assert transaction.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


# 30
def test_two_sources_are_synced_side_by_side(slow, tmp_path):
    world, docs = slow
    note = Kept(world, "manual_note", {"title": "t", "text": "Nothing."}, name="note")
    note.world.sources.sync(LOCAL, note.source.id)
    with in_the_midst(world, docs):
        assert note.sync().message == "1 unchanged"


# ------------------------------------------------------------ 30: a full disk


def a_disk_that_fills_up(database, writes):
    """`database.write`, failing after so many writes as on a full disk."""
    write, left = database.write, iter(range(writes))

    def writing():
        if next(left, None) is None:
            raise StorageUnavailable("the disk is full; free some space, then try again")
        return write()

    return writing


# 30
@pytest.mark.parametrize("writes", range(6))
def test_a_disk_that_fills_up_at_any_write_leaves_what_was_there(world, docs, monkeypatch, writes):
    docs.sync()
    docs.write("guide.md", f"# Guide\n\n{BETTER}\n")
    docs.write("new.md", "# New\n\nRing the bell.\n")
    (docs.folder / "other.md").unlink()
    before = documents_of(world)
    with monkeypatch.context() as patch:
        patch.setattr(world.database, "write", a_disk_that_fills_up(world.database, writes))
        try:
            run = docs.sync()
        except StorageUnavailable as failed:
            said_well(failed.message, "free some space")
        else:
            assert run.status in {"failed", "success"}
            if run.status == "failed":
                said_well(run.message, "the disk is full; free some space")
    whole = {"guide.md", "new.md"}
    assert documents_of(world) == before or docs.paths() == whole
    run = docs.sync()
    assert run.status == "success"
    assert docs.paths() == whole
    assert any(BETTER in one.text for one in docs.search(BETTER))
    assert not any(GOOD in one.text for one in docs.search(GOOD))
    runs = world.sources.list_runs(LOCAL, docs.source.id)
    assert not [one for one in runs if one.finished_at is None]
    points = set(world.index.ids().tolist())
    with world.database.read() as transaction:
        rows = transaction.exec_driver_sql("SELECT count(*) FROM knowledge_chunks").scalar()
    assert len(points) == rows


def documents_of(world):
    with world.database.read() as transaction:
        ids = [document.id for document in served.list_served(transaction, LOCAL)]
        texts = document_store.load_texts(transaction, LOCAL, ids)
        return {one.document.path: one.text for one in texts}


# 30
def test_a_disk_that_fills_up_in_a_first_sync_leaves_what_came_before_found_by_words(
    world, docs, monkeypatch
):
    for number in range(300):
        docs.write(f"{number:03}.md", f"# Part {number}\n\nLantern number{number}.\n")
    with monkeypatch.context() as patch:
        patch.setattr(world.database, "write", a_disk_that_fills_up(world.database, 3))
        with pytest.raises(StorageUnavailable) as failed:
            docs.sync()
    said_well(failed.value.message, "free some space")
    here = docs.paths()
    assert 0 < len(here) < 302
    assert {number for number in range(300) if f"{number:03}.md" in here} == {
        number
        for number in range(300)
        if any(hit.path == f"{number:03}.md" for hit in docs.search(f"number{number}"))
    }
    world.sources.mark_interrupted()
    assert docs.sync().message == f"{302 - len(here)} new, {len(here)} unchanged"
    assert any(hit.path == "299.md" for hit in docs.search("number299"))


# 30
def test_a_database_that_is_really_full_says_so_and_works_again_when_there_is_room(world, docs):
    docs.sync()
    before = documents_of(world)
    docs.write("guide.md", f"# Guide\n\n{BETTER}\n")
    docs.write("large.md", "# Large\n\n" + "Words about the lantern. " * 20_000)
    most = set_most_pages(world, None)
    set_most_pages(world, most)
    run = docs.sync()
    assert run.status == "failed"
    said_well(run.message, "the disk is full|the database did not answer")
    assert documents_of(world) == before
    assert {one.path for one in docs.search(GOOD)} >= {"guide.md"}
    set_most_pages(world, 1_000_000)
    run = docs.sync()
    assert (run.status, run.message) == ("success", "1 new, 1 changed, 1 unchanged")


def set_most_pages(world, pages):
    """Limit the database file to so many pages; with None, return how many it has."""
    with world.database.write() as transaction:
        if pages is None:
            return transaction.exec_driver_sql("PRAGMA page_count").scalar() + 8
        return transaction.exec_driver_sql(f"PRAGMA max_page_count = {pages}").scalar()


# 30
def test_a_temporary_folder_without_room_fails_the_sync_and_nothing_else(world, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    docs = Kept(world, "git_repo", {"repo_url": "http://127.0.0.1:9/docs.git"}, name="repo")
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.mkdtemp", full)
        try:
            run = docs.sync()
        except OSError:
            run = world.sources.list_runs(LOCAL, docs.source.id)[0]
    assert run.status == "failed"
    said_well(run.message, "broke off; the server's log says why")
    assert docs.status().sync_status == "failed"
    run = docs.sync()
    assert run.status == "failed"
    said_well(run.message, "did not answer")


# ------------------------------------------------------------ 30: a process that dies


# 30
def test_what_an_upload_that_failed_left_is_no_sync_that_runs(world, monkeypatch):
    files = Kept(world, "upload", {}, name="files")
    with monkeypatch.context() as patch:
        patch.setattr(world.embedder, "lengths", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            world.sources.upload(
                LOCAL, files.source.id, "a.md", f"# A\n\n{GOOD}\n".encode(), media_type=None
            )
    [run] = world.sources.list_runs(LOCAL, files.source.id)
    assert run.status == "failed"
    assert run.finished_at is not None
    assert files.status().sync_status != "syncing"
    run, _ = world.sources.upload(
        LOCAL, files.source.id, "a.md", f"# A\n\n{GOOD}\n".encode(), media_type=None
    )
    assert run.message == "1 new"


# 30
def test_what_a_killed_sync_left_waiting_for_a_document_that_went_is_dropped(
    empty, tmp_path, monkeypatch
):
    index, embedder = ListVectorIndex(), CountingEmbedder()
    path = tmp_path / "memory.db"
    with opened(empty, path, index=index, embedder=embedder) as world:
        docs = Docs(world, tmp_path / "docs")
        docs.write("guide.md", f"# Guide\n\n{GOOD}\n")
        docs.write("other.md", "# Other\n\nNothing.\n")
        docs.sync()
        (docs.folder / "guide.md").unlink()
        docs.sync()
        docs.write("guide.md", f"# Guide\n\n{BETTER}\n")
        monkeypatch.setattr(world.sources._syncer, "_publish", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            docs.sync()
        monkeypatch.undo()
        world.clock.advance(hours=DAY_H * 30)
        world.sources.drop_expired()
        run = docs.sync()
        assert run.status == "success", run.message
        assert docs.paths() == {"guide.md", "other.md"}
        assert any(BETTER in one.text for one in docs.search(BETTER))
