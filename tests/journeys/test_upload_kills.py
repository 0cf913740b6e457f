"""Uploads whose server is killed: a file is taken up, or it is told which one to send again."""

from __future__ import annotations

import http.client
import json
import sqlite3
import threading
from contextlib import closing
from urllib.parse import quote

import pytest

from journeys.test_sync_kills import QUICK, SOURCES, call, until
from patience import LONG_S

pytestmark = pytest.mark.slow
NAMES = ("a.md", "b.md", "c.md")
PARTS = 120
SEND_AGAIN = "its upload was interrupted; send the file again"


def send(server, number, name, text):
    """Send a file; return the run, or None when the server died over it."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=LONG_S)
    with closing(connection):
        try:
            connection.request("PUT", f"{SOURCES}/{number}/files/{quote(name)}", text.encode())
            return json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException):
            return None


def words(name, parts):
    lines = (
        f"## Part {part} of {name}\n\nIt says {name}{part} {'and so on ' * 40}\n"
        for part in range(parts)
    )
    return f"# {name}\n\n" + "\n".join(lines)


def documents(server):
    listed = call(server, "GET", "/api/knowledge/documents?limit=1000")["documents"]
    return {one["path"]: one for one in listed}


def found(server, text):
    results = call(server, "GET", f"/api/knowledge/search?q={text}")["results"]
    return results[0]["path"] if results else None


@pytest.fixture
def uploads(serve, home):
    server = serve(home, **QUICK)
    made = call(server, "POST", SOURCES, {"source_type": "upload", "name": "files", "config": {}})
    return server, made["id"]


def is_begun(home, _before):
    return count(home, "SELECT count(*) FROM sync_runs WHERE finished_at IS NULL")


def is_staged(home, before):
    staged = count(home, "SELECT count(*) FROM knowledge_staged WHERE path = 'b.md'")
    return staged or read_hash(home) not in {"", before}


def read_hash(home):
    """Return the hash of the second file as it is served; empty where it is not."""
    stored = "SELECT max(raw_hash) FROM knowledge_documents WHERE path = 'b.md'"
    return count(home, stored) or ""


def count(home, statement):
    with closing(sqlite3.connect(home / "wellworn.db")) as connection:
        return connection.execute(statement).fetchone()[0]


def send_all(server, number):
    """Send three files, one after the other, in another thread; return what it is told."""
    told = {}

    def send_them():
        for name in NAMES:
            told[name] = send(server, number, name, words(name[0], PARTS))

    thread = threading.Thread(target=send_them)
    thread.start()
    until(lambda: "a.md" in told)
    return thread, told


def killed(serve, home, server, number, reached):
    """Kill the server when the second file has come so far; return the next, and what was told."""
    before = read_hash(home)
    thread, told = send_all(server, number)
    until(lambda: reached(home, before) or len(told) == len(NAMES))
    server.kill()
    thread.join()
    return serve(home, **QUICK), told


def sees_to_all(server, number, told):
    """See that what was said to be there is, and of what is not it is told."""
    there = documents(server)
    assert told["a.md"]["status"] == "success"
    for name in (name for name, run in told.items() if run is not None):
        assert there[name]["state"] == "current"
    whole = [name for name in NAMES if there.get(name, {}).get("state") == "current"]
    assert all(found(server, f"{name[0]}{PARTS - 1}") == name for name in whole)
    shown = call(server, "GET", f"{SOURCES}/{number}")
    interrupted = [name for name, one in there.items() if one["reason"] == SEND_AGAIN]
    assert (shown["sync_error"] or "") == "".join(f"{name}: {SEND_AGAIN}" for name in interrupted)
    assert all(
        run["finished_at"] for run in call(server, "GET", f"{SOURCES}/{number}/runs")["runs"]
    )
    # Of the file that the server was killed over, it is told one or the other.
    assert "b.md" in [*whole, *interrupted]


def can_be_sent_again(server, number):
    for name in NAMES:
        assert send(server, number, name, words(name[0], PARTS))["status"] == "success"
    assert {one["state"] for one in documents(server).values()} == {"current"}
    assert call(server, "GET", f"{SOURCES}/{number}")["sync_error"] is None


@pytest.mark.parametrize("reached", [is_begun, is_staged])
def test_no_file_is_said_to_be_there_and_is_gone(serve, home, uploads, reached):
    server, number = uploads
    server, told = killed(serve, home, server, number, reached)
    sees_to_all(server, number, told)
    can_be_sent_again(server, number)


@pytest.mark.parametrize("reached", [is_begun, is_staged])
def test_the_version_before_is_served_until_the_new_one_is(serve, home, uploads, reached):
    server, number = uploads
    for name in ("old.md", "b.md"):
        assert send(server, number, name, words("old", 2))["status"] == "success"
    server, told = killed(serve, home, server, number, reached)
    sees_to_all(server, number, told)
    there = documents(server)
    assert there["old.md"]["state"] == "current"
    assert there["b.md"]["characters"] > 0
    can_be_sent_again(server, number)


def test_the_command_names_the_files_that_were_not_stored(serve, home, uploads, wellworn, tmp_path):
    server, _ = uploads
    files = [tmp_path / name for name in NAMES]
    for file in files:
        file.write_text(words(file.stem, 1))
    files[1].write_bytes(bytes(80_000_000))
    told = wellworn("source", "upload", "files", *map(str, files), "--url", server.url)
    assert told.returncode != 0
    assert f"not stored, send again: {files[1]} {files[2]}" in told.stdout
