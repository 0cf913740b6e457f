"""What a server holds in memory is read by no other program of its user."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from journeys.conftest import clean_environment, program

_PR_CAPBSET_DROP = 24
_CAPABILITIES = 64
_READ = "import sys; open(f'/proc/{sys.argv[1]}/mem', 'rb')"
_WAIT = "import sys; print('ready', flush=True); sys.stdin.read()"


def drop_capabilities() -> None:
    """Be an ordinary user, who may do to processes of the same number what their system lets them.

    Tests that run as root would read everything.
    """
    for number in range(_CAPABILITIES):
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)


def is_read(pid: int) -> bool:
    reader = subprocess.run(
        [sys.executable, "-c", _READ, str(pid)],
        preexec_fn=drop_capabilities,
        capture_output=True,
        check=False,
    )
    assert reader.returncode == 0 or b"PermissionError" in reader.stderr
    return reader.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("is_server", [False, True])
def test_no_other_program_reads_the_memory_of_a_server(home, tmp_path, is_server):
    words = ["serve", "--home", str(home), "--port", "0"]
    home.mkdir(exist_ok=True)
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            program(*words) if is_server else [sys.executable, "-c", _WAIT],
            env=clean_environment(home),
            preexec_fn=drop_capabilities,  # noqa: PLW1509 - the test has no threads
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        while (
            not (home / "daemon.json").exists() if is_server else b"ready" not in log.read_bytes()
        ):
            assert process.poll() is None, log.read_text()
        assert is_read(process.pid) is not is_server
    finally:
        process.kill()
        process.communicate()
