"""Documents made to take long: the server answers meanwhile, and ends when it is told to."""

from __future__ import annotations

import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from journeys.test_sync_kills import QUICK, SOURCES, call, until
from patience import LONG_S

pytestmark = pytest.mark.slow

ANSWERED = 10
KNOWN = "# Servers\n\n- **cube** (10.0.0.7): runs Kopia.\n"
BOMBS = {
    "dashes.md": "# Timeout\n" + "---\n" * 500,
    "brackets.md": "([" * 20_000,
    "form.md": "| Name | Value |\n|---|---|\n" + "|  |  |\n" * 10_000,
    "blank.md": " " * 200_000 + "x",
}
ENDLESS = "".join(f"- **key{number}**: value {number}\n" for number in range(60_000))


def add_source(server, folder, documents):
    folder.mkdir()
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    source = {"source_type": "folder", "name": "docs", "config": {"path": str(folder)}}
    return f"{SOURCES}/{call(server, 'POST', SOURCES, source)['id']}"


def resolve(server):
    return call(server, "POST", "/api/knowledge/resolve", {"term": "cube"})


def list_flags(server):
    found = call(server, "GET", "/api/knowledge/documents")["documents"]
    return {document["path"]: document["metadata"].get("flags") for document in found}


def test_a_server_answers_while_documents_made_to_take_long_are_synced(home, serve, tmp_path):
    server = serve(home, WELLWORN_SOURCES__COMPILE_S="1", **QUICK)
    source = add_source(server, tmp_path / "docs", {**BOMBS, "a.md": ENDLESS, "b.md": KNOWN})
    runs = []
    syncing = threading.Thread(target=lambda: runs.append(call(server, "POST", f"{source}/sync")))
    syncing.start()
    answered = 0
    while syncing.is_alive():
        assert call(server, "GET", "/health/live")
        answered += 1
    syncing.join()
    assert runs[0]["status"] == "success"
    assert answered >= ANSWERED
    assert resolve(server)["outcome"] == "resolved"
    flags = list_flags(server)
    assert "took too long" in flags.pop("a.md")[0]
    assert set(flags.values()) == {None}


def test_a_server_ends_while_a_document_takes_long_and_the_next_one_goes_on(home, serve, tmp_path):
    server = serve(home, WELLWORN_SOURCES__COMPILE_S="10000", **QUICK)
    source = add_source(server, tmp_path / "docs", {"a.md": ENDLESS, "b.md": KNOWN})
    threading.Thread(target=call, args=(server, "POST", f"{source}/sync"), daemon=True).start()
    # Its words are published, and what is said in it is being found.
    until(lambda: call(server, "GET", source)["last_synced_at"])
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(LONG_S) == 0
    with closing(sqlite3.connect(home / "wellworn.db")) as database:
        assert not database.execute("SELECT count(*) FROM document_digests").fetchone()[0]
    server = serve(home, WELLWORN_SOURCES__COMPILE_S="0.1", **QUICK)
    assert resolve(server)["outcome"] == "resolved"
    assert "took too long" in list_flags(server)["a.md"][0]
