"""Syncs whose server is killed: nothing half done is seen, and the next start goes on by itself."""

from __future__ import annotations

import http.client
import json
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from integration.fetch_servers import LOOPBACK
from integration.git_servers import GitServer, Repository
from patience import LONG_S

SOURCES = "/api/knowledge/sources"
FILES = 120
TOKEN = "ghp_" + "x7Kq2" * 8
QUICK = {"WELLWORN_JOBS__TICK_S": "0.2", "WELLWORN_JOBS__POLL_S": "0.05"}
NEAR = {
    "WELLWORN_FETCH__PRIVATE_NETWORKS": json.dumps(LOOPBACK),
    "WELLWORN_FETCH__DEADLINE_S": str(LONG_S),
}

pytestmark = pytest.mark.slow


def call(server, method, path, body=None):
    """Send one request; None when the server died over it."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=LONG_S)
    content = None if body is None else json.dumps(body)
    headers = {"content-type": "application/json"} if content else {}
    try:
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    assert answer.status < 500, told
    return told


def until(question):
    """Return the first answer that is something; the test's time limit is the limit."""
    while not (answer := question()):
        threading.Event().wait(0.02)
    return answer


def words(version, number):
    sentences = (f"Part {number} says {version} {step} about lantern{number}." for step in range(9))
    return f"# Part {number}\n\n" + " ".join(sentences) + "\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(3):
        (made / f"{number:03}.md").write_text(words("early", number))
    return made


def written(folder):
    for number in range(FILES):
        (folder / f"{number:03}.md").write_text(words("late", number))


def added(server, kind, config):
    made = call(server, "POST", SOURCES, {"source_type": kind, "name": "docs", "config": config})
    return made["id"]


def syncing(server, number, told=None):
    """Sync in another thread, which may live to hear of it or not."""
    told = [] if told is None else told
    thread = threading.Thread(
        target=lambda: told.append(call(server, "POST", f"{SOURCES}/{number}/sync"))
    )
    thread.start()
    return thread


def progress(server, number):
    found = call(server, "GET", f"{SOURCES}/{number}")
    return found["progress"] and found["progress"]["done"]


def has_done(server, number, files):
    """Wait until a sync has read so many files."""
    until(lambda: (progress(server, number) or 0) >= files)


def finished(server, number):
    """Return the last run if all have an end and it was well."""
    runs = call(server, "GET", f"{SOURCES}/{number}/runs")["runs"]
    is_over = all(run["finished_at"] for run in runs)
    return runs[0] if is_over and runs[0]["status"] == "success" else None


def visible(home):
    """Return the words of the documents that are served, as the database file has them."""
    with closing(sqlite3.connect(home / "wellworn.db")) as connection:
        rows = connection.execute(
            "SELECT path, content_text FROM knowledge_documents WHERE state IN ('current','stale')"
        )
        return dict(rows.fetchall())


def everything_agrees(server, number, home):
    """See that all is served in its new version, found, indexed once, and nothing waits."""
    served = visible(home)
    assert len(served) == FILES
    assert all("late" in text and "early" not in text for text in served.values())
    with closing(sqlite3.connect(home / "wellworn.db")) as connection:
        counted = dict(
            connection.execute(
                "SELECT 'staged', count(*) FROM knowledge_staged UNION"
                " SELECT 'waiting', count(*) FROM knowledge_chunks WHERE document_id IS NULL UNION"
                " SELECT 'endless', count(*) FROM sync_runs WHERE finished_at IS NULL UNION"
                " SELECT 'twice', count(*) FROM (SELECT 1 FROM knowledge_chunks"
                " GROUP BY document_id, number HAVING count(*) > 1)"
            )
        )
        runs = connection.execute("SELECT * FROM sync_runs").fetchall()
    assert set(counted.values()) == {0}, (counted, runs)
    for part in (0, FILES // 2, FILES - 1):
        found = call(server, "GET", f"/api/knowledge/search?q=lantern{part}")["results"]
        assert found[0]["path"] == f"{part:03}.md"
        assert "early" not in json.dumps(found)
    assert call(server, "GET", "/api/v1/health")["status"] in {"healthy", "ok", "well"}
    again = call(server, "POST", f"{SOURCES}/{number}/sync")
    assert again["message"] == f"{FILES} unchanged"


@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_a_killed_sync_shows_nothing_and_is_gone_on_with_by_the_next_start(
    serve, home, folder, share
):
    server = serve(home, **QUICK)
    number = added(server, "folder", {"path": str(folder)})
    assert call(server, "POST", f"{SOURCES}/{number}/sync")["message"] == "3 new"
    before = visible(home)
    written(folder)
    thread = syncing(server, number)
    has_done(server, number, max(1, share * FILES))
    server.kill()
    thread.join()
    assert visible(home) == before
    server = serve(home, **QUICK)
    # Nobody asks for it.
    until(lambda: finished(server, number))
    everything_agrees(server, number, home)


def test_a_sync_that_is_killed_again_and_again_comes_to_its_end(serve, home, folder):
    server = serve(home, **QUICK)
    number = added(server, "folder", {"path": str(folder)})
    call(server, "POST", f"{SOURCES}/{number}/sync")
    before = visible(home)
    written(folder)
    thread = syncing(server, number)
    for done in (10, 5):
        has_done(server, number, done)
        server.kill()
        thread.join()
        assert visible(home) == before
        server = serve(home, **QUICK)
    until(lambda: finished(server, number))
    everything_agrees(server, number, home)


def test_a_server_that_is_told_to_end_in_the_midst_of_a_sync_ends_and_goes_on_later(
    serve, home, folder
):
    server = serve(home, **QUICK, WELLWORN_JOBS__STOP_S="1")
    number = added(server, "folder", {"path": str(folder)})
    call(server, "POST", f"{SOURCES}/{number}/sync")
    before = visible(home)
    written(folder)
    told = []
    thread = syncing(server, number, told)
    has_done(server, number, 5)
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(timeout=LONG_S)
    thread.join()
    # Who waits is not kept until the end, which may be far away.
    assert told[0]["status"] in {"syncing", "success"}
    now = visible(home)
    assert now == before or len(now) == FILES
    server = serve(home, **QUICK)
    until(lambda: finished(server, number))
    everything_agrees(server, number, home)


def test_syncs_of_one_source_at_once_are_one_run(serve, home, folder):
    server = serve(home, **QUICK)
    number = added(server, "folder", {"path": str(folder)})
    written(folder)
    told = []
    threads = [
        threading.Thread(
            target=lambda: told.append(call(server, "POST", f"{SOURCES}/{number}/sync"))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    until(lambda: progress(server, number) is not None)
    confirmed = call(server, "POST", f"{SOURCES}/{number}/sync", {"confirm": True})
    for thread in threads:
        thread.join()
    runs = call(server, "GET", f"{SOURCES}/{number}/runs")["runs"]
    assert {one["id"] for one in told} <= {one["id"] for one in runs}
    assert {one["message"] for one in runs} <= {f"{FILES} new", f"{FILES} unchanged"}
    assert sum(one["message"] == f"{FILES} new" for one in runs) == 1
    # Who confirms while a sync runs gets that one, is told of it, or waits for a run of their own.
    if "error" in confirmed:
        assert confirmed["error"]["code"] == "SYNC_RUNNING"
    else:
        assert confirmed["id"] in {one["id"] for one in runs}
    everything_agrees(server, number, home)


def test_what_git_had_fetched_when_the_server_was_killed_is_swept_up(
    serve, home, tmp_path, monkeypatch
):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    repository = Repository(tmp_path / "served" / "docs.git")
    files = {f"{number:03}.md": words("late", number).encode() for number in range(FILES)}
    repository.commit(files | {"000.md": f"{words('late', 0)}\nThe token is {TOKEN}.\n".encode()})
    with closing(GitServer(repository.folder.parent)) as site:
        server = serve(home, **QUICK, **NEAR)
        number = added(server, "git_repo", {"repo_url": site.url()})
        thread = syncing(server, number)
        has_done(server, number, 5)
        assert list(temporary.glob("wellworn-git-*"))
        server.kill()
        thread.join()
        assert visible(home) == {}
        server = serve(home, **QUICK, **NEAR)
        until(lambda: finished(server, number))
        everything_agrees(server, number, home)
    assert list(temporary.rglob("*")) == []
    for path in home.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path.name


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells of processes")
def test_the_process_that_reads_files_ends_with_a_server_that_is_killed(serve, home, folder):
    (folder / "page.html").write_text("<html><body><h1>Top</h1><p>Words.</p></body></html>")
    server = serve(home, **QUICK)
    number = added(server, "folder", {"path": str(folder)})
    call(server, "POST", f"{SOURCES}/{number}/sync")
    children = children_of(server.pid)
    assert children
    server.kill()
    until(lambda: not [one for one in children if is_there(one)])


def children_of(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def is_there(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z"
