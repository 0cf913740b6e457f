"""A watched folder is synced soon after its files change, once for many changes at once."""

from __future__ import annotations

import json

import pytest

from journeys.test_sync_kills import QUICK, SOURCES, call, until

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    (made / "one.md").write_text("# One\n\nThe lamp burns oil.\n")
    return made


def added(server, folder, **more):
    config = {"path": str(folder), "watch": True, **more}
    body = {"source_type": "folder", "name": "docs", "config": config}
    return call(server, "POST", SOURCES, body)["id"]


def runs(server, number):
    return call(server, "GET", f"{SOURCES}/{number}/runs")["runs"]


def paths(server):
    documents = call(server, "GET", "/api/knowledge/documents")["documents"]
    return {one["path"] for one in documents if one["state"] == "current"}


def at_rest(server, number):
    shown = call(server, "GET", f"{SOURCES}/{number}")
    return shown["sync_status"] != "syncing" and all(
        run["finished_at"] for run in runs(server, number)
    )


def has(server, number, *names):
    until(lambda: paths(server) == set(names))
    until(lambda: at_rest(server, number))


def test_new_changed_renamed_and_deleted_files_are_followed(serve, home, folder):
    server = serve(home, **QUICK)
    number = added(server, folder)
    has(server, number, "one.md")
    (folder / "two.md").write_text("# Two\n\nNew.\n")
    (folder / "three.md").write_text("# Three\n\nNew as well.\n")
    (folder / "four.md").write_text("# Four\n\nStays.\n")
    has(server, number, "one.md", "two.md", "three.md", "four.md")
    (folder / "deep").mkdir()
    (folder / "two.md").rename(folder / "deep" / "zwei.md")
    has(server, number, "one.md", "deep/zwei.md", "three.md", "four.md")
    (folder / "three.md").unlink()
    has(server, number, "one.md", "deep/zwei.md", "four.md")
    (folder / "deep" / "zwei.md").write_text("# Zwei\n\nThe quince is ripe.\n")
    search = "/api/knowledge/search?q=quince"
    until(lambda: "ripe" in json.dumps(call(server, "GET", search)))
    assert {run["trigger"] for run in runs(server, number)} == {"watch"}
    assert call(server, "GET", f"{SOURCES}/{number}")["config"]["watch"] is True


def test_many_changes_are_few_syncs(serve, home, folder):
    server = serve(home, **QUICK)
    number = added(server, folder)
    has(server, number, "one.md")
    before = len(runs(server, number))
    for count in range(200):
        (folder / f"{count}.md").write_text(f"# Part {count}\n\nOf lamp {count}.\n")
    names = [f"{count}.md" for count in range(200)]
    until(lambda: len(paths_of_all(server)) == 201)
    until(lambda: at_rest(server, number))
    assert paths_of_all(server) == {"one.md", *names}
    assert len(runs(server, number)) - before <= 3


def paths_of_all(server):
    path = "/api/knowledge/documents?limit=1000"
    return {one["path"] for one in call(server, "GET", path)["documents"]}


def test_what_changed_while_the_server_was_away_is_seen_by_the_next(serve, home, folder):
    server = serve(home, **QUICK)
    number = added(server, folder)
    has(server, number, "one.md")
    server.kill()
    (folder / "two.md").write_text("# Two\n\nNew.\n")
    server = serve(home, **QUICK)
    has(server, number, "one.md", "two.md")
    (folder / "three.md").write_text("# Three\n\nNew.\n")
    has(server, number, "one.md", "two.md", "three.md")


def test_a_folder_that_vanishes_keeps_its_documents_and_is_taken_up_when_it_is_back(
    serve, home, folder
):
    server = serve(home, **QUICK)
    number = added(server, folder)
    has(server, number, "one.md")
    away = folder.rename(folder.with_name("away"))
    failed = until(lambda: (now := call(server, "GET", f"{SOURCES}/{number}"))["failures"] and now)
    assert "does not exist; mount it again" in failed["sync_error"]
    assert failed["documents"] == 1
    (away / "two.md").write_text("# Two\n\nNew.\n")
    away.rename(folder)
    has(server, number, "one.md", "two.md")
    assert call(server, "GET", f"{SOURCES}/{number}")["failures"] == 0


def test_watching_is_off_until_it_is_asked_for_and_can_be_turned_off(serve, home, folder, wellworn):
    server = serve(home, **QUICK)
    assert wellworn("source", "add", str(folder), "--name", "docs").returncode == 0
    [source] = json.loads(wellworn("source", "list", "--json").stdout)
    assert "watch" not in source["config"]
    assert wellworn("source", "change", "docs", "--watch").returncode == 0
    assert "when its files change" in wellworn("source", "show", "docs").stdout
    number = source["id"]
    (folder / "two.md").write_text("# Two\n\nNew.\n")
    has(server, number, "one.md", "two.md")
    assert wellworn("source", "change", "docs", "--no-watch").returncode == 0
    assert "by hand" in wellworn("source", "show", "docs").stdout
    refused = wellworn("source", "add", "Title", "--note", "A word.", "--watch")
    assert "--watch is for a folder" in refused.stderr
