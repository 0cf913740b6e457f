"""A server killed while its documents are found by words and not all by meaning goes on."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from patience import wait_until
from wellworn.client import Wellworn, WellwornClientError

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


def make_notes(kind, count):
    return [
        {
            "record": "thought",
            "content": f"{kind} {number}: {WORDS} number{number}x.",
            "contributor_id": "ann",
            "contributor_name": "Ann",
        }
        for number in range(count)
    ]


def test_a_server_killed_between_words_and_vectors_of_an_import_goes_on(serve, home):
    notes = make_notes("Ship", 150)
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        taken = memory.import_records(notes)
        assert (taken.imported, taken.findable.by_words) == (150, 150)
        server.kill()
    for _ in range(2):
        server = serve(home)
        with Wellworn(server.url, key="", space="") as memory:
            before = memory.health().findable
            assert (before.thoughts, before.by_words) == (150, 150)
            assert memory.search("number21x")[0].content_preview.startswith("Ship 21:")
            wait_until(lambda b=before, m=memory: is_further(m, b))
            server.kill()
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        # What was embedded before is not embedded again.
        assert memory.health().findable.by_meaning >= before.by_meaning
        known = memory.import_records(notes, wait="embedded")
        assert (known.known, known.findable.by_meaning) == (150, 150)
        assert all(found.score > 0 for found in memory.search("a boat called ship 21"))


def is_further(memory, before):
    return memory.health().findable.by_meaning > before.by_meaning or before.is_embedded


def test_an_import_that_is_killed_is_whole_or_not_there_and_is_sent_again(serve, home):
    notes = make_notes("Note", 3_000)
    server = serve(home)
    importing = threading.Thread(target=_bring, args=(server.url, notes), daemon=True)
    with Wellworn(server.url, key="", space="") as memory:
        importing.start()
        wait_until(lambda: memory.health().findable.thoughts)
        server.kill()
        importing.join()
    server = serve(home)
    with Wellworn(server.url, key="", space="") as memory:
        there = memory.health().findable
        assert there.thoughts in {1_000, 2_000, 3_000}
        assert there.by_words == there.thoughts
        taken = memory.import_records(notes)
        assert (taken.known, taken.imported) == (there.thoughts, 3_000 - there.thoughts)
        assert memory.search("number2999x")[0].content_preview.startswith("Note 2999:")


def _bring(url, notes):
    with Wellworn(url, key="", space="") as memory, suppress(WellwornClientError):
        memory.import_records(notes)
