from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from patience import LONG_S
from unit.daemon.fake_daemon import Alive
from wellworn.engines import daemon
from wellworn.errors import StoreInUse

FAKE = Path(__file__).with_name("fake_daemon.py")
SOURCE = Path(__file__).resolve().parents[3] / "src"


@pytest.fixture
def home(tmp_path, monkeypatch):
    path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("PYTHONPATH", path)
    folder = tmp_path / "home"
    yield folder
    daemon.stop_daemon(folder)


def command(home: Path) -> list[str]:
    return [sys.executable, str(FAKE), str(home)]


def starts(home: Path) -> int:
    return len((home / "starts.txt").read_text().splitlines())


def kill(running: daemon.RunningDaemon) -> None:
    os.kill(running.pid, signal.SIGKILL)
    os.waitpid(running.pid, 0)


def test_a_folder_has_one_owner_at_a_time(home):
    with daemon.hold_folder(home), pytest.raises(StoreInUse), daemon.hold_folder(home):
        pytest.fail("both own it")


def test_a_folder_is_free_again_after_its_owner_is_done(home):
    with daemon.hold_folder(home):
        assert daemon.find_holder(home) == daemon.LockHolder(pid=os.getpid(), doing="serve")
    assert daemon.find_holder(home) is None
    with daemon.hold_folder(home):
        pass


def test_a_refusal_says_who_owns_the_folder_and_where_it_serves(home):
    with daemon.hold_folder(home):
        daemon.announce(home, "http://127.0.0.1:4321/")
        with pytest.raises(StoreInUse) as refusal, daemon.hold_folder(home):
            pass
    assert f"process {os.getpid()}" in refusal.value.message
    assert "http://127.0.0.1:4321;" in refusal.value.message
    assert str(home) not in refusal.value.message


def test_a_refusal_by_a_job_names_the_job(home):
    with daemon.hold_folder(home, "rebuild"), pytest.raises(StoreInUse, match="rebuild"):
        daemon.hold_folder(home).__enter__()


def test_looking_never_takes_the_folder_away(home):
    with daemon.hold_folder(home):
        pass
    with ThreadPoolExecutor(4) as pool:
        looks = [pool.submit(daemon.find_holder, home) for _ in range(400)]
        for _ in range(40):
            with daemon.hold_folder(home):
                pass
    assert {look.result() for look in looks} <= {
        None,
        daemon.LockHolder(pid=os.getpid(), doing="serve"),
        daemon.LockHolder(pid=None, doing="serve"),
    }


def test_a_data_folder_is_private(home):
    with daemon.hold_folder(home):
        assert home.stat().st_mode & 0o077 == 0


def test_nothing_is_found_where_nothing_was(home):
    assert daemon.find_daemon(home) is None
    assert not home.exists()


def test_an_announcement_ends_with_its_owner(home):
    with daemon.hold_folder(home):
        daemon.announce(home, "http://127.0.0.1:1")
    assert not (home / "daemon.json").exists()


def test_an_announcement_that_does_not_answer_is_not_found(home):
    with daemon.hold_folder(home):
        daemon.announce(home, "http://127.0.0.1:1")
        assert daemon.find_daemon(home) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pid": "x"}', '{"pid": 1}'])
def test_a_damaged_announcement_is_not_found(home, text):
    with daemon.hold_folder(home):
        (home / "daemon.json").write_text(text)
        assert daemon.find_daemon(home) is None


def test_a_daemon_is_started_when_there_is_none_and_found_after_that(home):
    first = daemon.ensure_daemon(home, command=command(home))
    assert daemon.find_daemon(home) == first
    assert daemon.ensure_daemon(home, command=command(home)) == first
    assert starts(home) == 1


def test_only_who_starts_it_is_told_so(home):
    told = []
    for _ in range(2):
        daemon.ensure_daemon(home, command=command(home), on_start=lambda: told.append("started"))
    assert told == ["started"]


def test_a_started_daemon_leaves_the_session_of_its_starter(home):
    running = daemon.ensure_daemon(home, command=command(home))
    assert os.getsid(running.pid) == running.pid


def test_many_starters_at_once_end_with_one_daemon(home):
    program = (
        "import sys; from pathlib import Path; from wellworn.engines import daemon;"
        "home = Path(sys.argv[3]); print(daemon.ensure_daemon(home, command=sys.argv[1:]).pid)"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, *command(home)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    answers = [child.communicate(timeout=LONG_S)[0].strip() for child in children]
    assert [child.returncode for child in children] == [0] * 6
    assert len(set(answers)) == 1
    assert starts(home) == 1


@contextmanager
def answering():
    with HTTPServer(("127.0.0.1", 0), Alive) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_starter_waits_for_a_daemon_that_is_starting_already(home):
    never = ["/nonexistent"]
    with ThreadPoolExecutor(1) as pool, daemon.hold_folder(home), answering() as url:
        waiting = pool.submit(daemon.ensure_daemon, home, command=never, timeout_s=20)
        daemon.announce(home, url)
        assert waiting.result().pid == os.getpid()


def test_a_starter_takes_over_when_the_daemon_it_waited_for_goes_away(home):
    with ThreadPoolExecutor(1) as pool:
        with daemon.hold_folder(home):
            waiting = pool.submit(daemon.ensure_daemon, home, command=command(home), timeout_s=20)
        assert waiting.result().pid != os.getpid()


def test_a_killed_daemon_is_replaced_and_its_announcement_harms_nobody(home):
    first = daemon.ensure_daemon(home, command=command(home))
    kill(first)
    assert json.loads((home / "daemon.json").read_text())["pid"] == first.pid
    assert daemon.find_daemon(home) is None
    second = daemon.ensure_daemon(home, command=command(home))
    assert second.pid != first.pid
    assert starts(home) == 2


def test_a_stale_announcement_of_an_address_that_answers_is_not_believed(home, tmp_path):
    other = daemon.ensure_daemon(tmp_path / "other", command=command(tmp_path / "other"))
    try:
        with daemon.hold_folder(home):
            stale = {"pid": other.pid, "url": other.url, "version": "1", "started_at": "x"}
            (home / "daemon.json").write_text(json.dumps(stale))
            assert daemon.find_daemon(home) is None
    finally:
        daemon.stop_daemon(tmp_path / "other")


def test_a_daemon_that_cannot_start_is_reported_with_the_end_of_its_log(home):
    failing = [sys.executable, "-c", "import sys; sys.exit('the disk is on fire')"]
    with pytest.raises(daemon.DaemonFailed, match="the disk is on fire"):
        daemon.ensure_daemon(home, command=failing)


def test_a_daemon_that_never_answers_is_given_up(home):
    silent = [sys.executable, "-c", "import sys; sys.stdin.read(); input()"]
    with pytest.raises(daemon.DaemonFailed):
        daemon.ensure_daemon(home, command=silent, timeout_s=0.2)


def test_no_daemon_is_started_on_a_folder_that_a_job_has(home):
    with daemon.hold_folder(home, "rebuild"), pytest.raises(StoreInUse, match="rebuild"):
        daemon.ensure_daemon(home, command=command(home))
    assert not (home / "starts.txt").exists()


def test_stopping_ends_the_daemon_and_says_which(home):
    running = daemon.ensure_daemon(home, command=command(home))
    assert daemon.stop_daemon(home) == running.pid
    assert daemon.find_holder(home) is None


def test_stopping_where_nothing_runs_is_no_error(home):
    assert daemon.stop_daemon(home) is None


def test_stopping_never_ends_a_job(home):
    with daemon.hold_folder(home, "restore"), pytest.raises(StoreInUse, match="restore"):
        daemon.stop_daemon(home)
