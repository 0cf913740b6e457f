"""Faults of the machine under a real server process, which a test process could not survive."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing, suppress

import pytest

from integration.fetch_servers import LOOPBACK, RawServer, answer
from journeys.conftest import serving
from wellworn.application.bootstrap import DATABASE
from wellworn.client import Wellworn, WellwornClientError
from wellworn.domain.turns.context_document import read_sections
from wellworn.engines.storage.vectors import POINTS


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 160 MiB, where the machine allows to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mounting, check=False, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small file system is not permitted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


SAID = tuple(f"The {beast} guards the north gate." for beast in ("heron", "otter", "badger"))


def overwrite(home, start):
    file = home / "index/thoughts" / POINTS
    with file.open("r+b") as damaged:
        damaged.seek(start)
        damaged.write(b"\xa5" * (file.stat().st_size - start))


def is_all_found(memory):
    return {hit.content_preview for hit in memory.search("north gate")} >= {*SAID}


def test_an_index_damaged_while_it_serves_finds_everything_and_is_made_anew(tmp_path):
    home = tmp_path / "home"
    with serving(home) as server, Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        for said in SAID:
            memory.remember(said)
        overwrite(home, 0)
        assert is_all_found(memory)
        assert memory.recall("Who guards the north gate?").sources
        assert server.process.poll() is None, "the server is gone"
    with serving(home) as server, Wellworn(server.url, agent_id="ann") as memory:
        assert is_all_found(memory)
        assert memory.health().status == "ok"


@pytest.mark.parametrize("start", [0, 100, 4096])
def test_an_index_damaged_while_nothing_runs_is_made_anew(tmp_path, start):
    home = tmp_path / "home"
    with serving(home) as server, Wellworn(server.url, agent_id="ann") as memory:
        for said in SAID:
            memory.remember(said)
    overwrite(home, start)
    with serving(home) as server, Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        assert is_all_found(memory)
        memory.remember("The fence is painted.")
        assert memory.health().status == "ok"
    assert "is damaged and is made anew" in (tmp_path / "home.log").read_text()


def fill(file):
    """Take every last block of the file system."""
    with file.open("wb", buffering=0) as full, suppress(OSError):
        for size in (65_536, 4_096, 1):
            with suppress(OSError):
                while full.write(b"\0" * size):
                    pass


def long_thought(number):
    return " ".join(f"word{number}x{n}" for n in range(700))


def test_on_a_full_disk_the_server_refuses_stays_up_and_loses_nothing(small_disk):
    home, filler = small_disk / "home", small_disk / "filler"
    with serving(home) as server, Wellworn(server.url, agent_id="ann", attempts=1) as memory:
        stored = [memory.remember(f"Roles stay apart, case {n}.").thought_id for n in range(5)]
        fill(filler)
        refusals = []
        for number in range(20):
            try:
                stored.append(memory.remember(long_thought(number)).thought_id)
            except WellwornClientError as refusal:
                refusals.append(refusal.code)
        assert server.process.poll() is None, "the server is gone"
        assert set(refusals) <= {"INTERNAL_ERROR", "QDRANT_ERROR"}
        assert refusals
        filler.unlink()
        assert all(memory.thought(one).content for one in stored)
        stored.append(memory.remember("There is room again, and it is used.").thought_id)
        assert {one.thought_id for one in memory.recall("Roles stay apart").sources} & {*stored}
    with closing(sqlite3.connect(home / DATABASE)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM thoughts").fetchone() == (len(stored),)


FERRY = "The ferry leaves the harbour at noon."


def test_a_turn_that_a_full_disk_ends_in_the_middle_of_a_phase_goes_on_when_there_is_room(
    small_disk,
):
    home, filler = small_disk / "home", small_disk / "filler"

    def give_page(request, send):
        if not filler.exists():
            fill(filler)
        send(answer(body=f"# Ferry\n\n{FERRY}\n".encode(), content_type="text/markdown"))

    site = RawServer(give_page)
    question = f"What does {site.url('/ferry')} say about when the ferry leaves?"
    networks = json.dumps(LOOPBACK)
    with (
        closing(site),
        serving(home, WELLWORN_FETCH__PRIVATE_NETWORKS=networks) as server,
        Wellworn(server.url, agent_id="ann", attempts=1) as memory,
    ):
        with pytest.raises(WellwornClientError, match="is the disk full") as refusal:
            memory.ask(question)
        assert refusal.value.code == "INTERNAL_ERROR"
        assert server.process.poll() is None, "the server is gone"
        [turn] = memory.list_turns().turns
        assert turn.ended_at is None
        filler.write_bytes(b"")
        ended = memory.resume_turn(turn.id)
        assert ended.turn.status == "done"
        assert FERRY in ended.text
        sections = read_sections(memory.read_turn_file(turn.id, "context.md"))
        assert [section.title[0] for section in sections] == [*"0123456"]
        assert ended.edited == ()
