"""A server killed while its documents are found by words and not all by meaning goes on."""

from __future__ import annotations

import threading

import pytest

from wellworn.client import Wellworn

WORDS = "lantern harbour quay copper violin meadow river stone lamp anchor"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    for number in range(30):
        sections = (f"## Part {part}\n\n{WORDS} number{number}x{part}.\n" for part in range(5))
        (made / f"{number:02}.md").write_text(f"# Ship {number}\n\n" + "\n".join(sections))
    return made


def findable(memory, source):
    return memory.source(source).findable


def wait_until(question):
    while not question():
        threading.Event().wait(0.05)


def test_a_server_killed_between_words_and_vectors_goes_on(serve, home, folder):
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        source = memory.add_source("folder", "docs", {"path": str(folder)}).id
        assert memory.sync_source(source).message == "30 new"
        server.kill()
    for _ in range(2):
        server = serve(home)
        with Wellworn(server.url, key="", space="") as memory:
            [best, *_] = memory.search_knowledge("number21x3")
            assert best.path == "21.md"
            before = findable(memory, source)
            assert before.by_words == 30
            wait_until(lambda b=before, m=memory: findable(m, source).waiting < b.waiting)
            server.kill()
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        # What was embedded before is not embedded again.
        assert findable(memory, source).waiting <= before.waiting
        wait_until(lambda: findable(memory, source).is_embedded)
        after = findable(memory, source)
        assert (after.readable, after.by_words, after.by_meaning) == (30, 30, 30)
        assert (after.passages, after.waiting) == (before.passages, 0)
        assert memory.sync_source(source, wait="embedded").message == "30 unchanged"
        found = memory.search_knowledge("a boat called ship 21")
        assert all(document.score > 0 for document in found)


def test_a_server_killed_in_a_first_sync_serves_what_it_had_read_and_reads_the_rest(
    serve, home, folder
):
    for number in range(60, 600):
        (folder / f"{number}.md").write_text(f"# Ship {number}\n\n{WORDS} number{number}x1.\n" * 9)
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        source = memory.add_source("folder", "docs", {"path": str(folder)}).id
        syncing = threading.Thread(target=_sync, args=(server.url, source), daemon=True)
        syncing.start()
        wait_until(lambda: findable(memory, source).readable)
        server.kill()
        syncing.join()
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        begun = findable(memory, source)
        assert begun.readable
        assert begun.by_words == begun.readable
        memory.sync_source(source)
        assert findable(memory, source).readable == 570
        assert {run.status for run in memory.source_runs(source)} <= {"success", "failed"}


def _sync(url, source):
    with Wellworn(url, key="", space="") as memory, pytest.raises(Exception):  # noqa: B017, PT011
        memory.sync_source(source)
