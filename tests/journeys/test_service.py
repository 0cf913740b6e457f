"""The server as a service, from a command that needs one to the end of it.

A script stands for systemd: it keeps what is enabled, and really runs the command of the unit.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from journeys.conftest import clean_environment, program
from patience import LONG_S
from ports import hold_port
from wellworn.engines import daemon

SYSTEMCTL = """#!/bin/sh
cd '{state}' && echo "$*" >> asked
pid=$(cat pid 2>/dev/null) && kill -0 "$pid" 2>/dev/null || pid=0
end() {{
    [ "$pid" = 0 ] || kill "$pid"
    while [ "$pid" != 0 ] && kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}}
case "$2" in
enable) touch enabled ;;
restart)
    end
    (eval "exec $(sed -n 's/^ExecStart=//p' '{unit}')") >log 2>&1 </dev/null &
    echo $! >pid ;;
disable) end && rm enabled ;;
show)
    [ "$pid" = 0 ] && echo ActiveState=failed || echo ActiveState=active
    [ -e enabled ] && echo UnitFileState=enabled
    echo "MainPID=$pid" ;;
esac
"""


@pytest.fixture
def unit(tmp_path):
    return tmp_path / "config" / "systemd" / "user" / "wellworn.service"


@pytest.fixture
def state(tmp_path, unit):
    folder = tmp_path / "systemd"
    folder.mkdir()
    manager = tmp_path / "bin" / "systemctl"
    manager.parent.mkdir()
    manager.write_text(SYSTEMCTL.format(state=folder, unit=unit))
    manager.chmod(0o755)
    return folder


@pytest.fixture
def run(tmp_path, home, state):
    def run(*words):
        places = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
        environment = clean_environment(home, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin", **places)
        words = program(*words)
        return subprocess.run(
            words, check=False, env=environment, capture_output=True, text=True, timeout=LONG_S
        )

    return run


def asked(state):
    return [line.split()[1] for line in (state / "asked").read_text().splitlines()]


def test_a_service_takes_the_place_of_a_server_that_a_command_started(run, home, unit, state):
    assert run("remember", "The gate opens at seven.").returncode == 0
    before = daemon.find_daemon(home)
    with hold_port() as port:
        made = run("service", "install", "--port", str(port))
    assert made.returncode == 0, made.stderr
    running = daemon.find_daemon(home)
    assert running.pid != before.pid
    assert running.url == f"http://127.0.0.1:{port}"
    assert running.url in made.stdout
    assert "gate opens" in run("recall", "When does the gate open?").stdout

    told = json.loads(run("service", "status", "--json").stdout)
    assert (told["installed"], told["enabled"], told["running"]) == (True, True, True)
    assert told["pid"] == told["server"]["pid"] == running.pid
    assert f"starts at login, and runs as process {running.pid}" in run("service", "status").stdout
    assert "ok  service: starts at login, and runs" in run("doctor").stdout

    again = run("service", "install", "--port", str(port))
    assert "nothing to change" in again.stdout
    assert daemon.find_daemon(home) == running
    assert asked(state).count("restart") == 1

    assert run("service", "uninstall").returncode == 0
    assert not unit.exists()
    assert daemon.find_daemon(home) is None
    assert "no service" in run("service", "status").stdout
    assert "nothing to change" in run("service", "uninstall").stdout
    assert run("recall", "When does the gate open?").returncode == 0


def test_a_service_that_does_not_start_says_where_to_look(run, home, state):
    with hold_port() as port, daemon.hold_folder(home, "export"):
        failed = run("service", "install", "--port", str(port))
    assert failed.returncode == 1
    assert "held by a job (export)" in failed.stderr
    with hold_port() as port, hold_port() as taken:
        assert port != taken
        (home / "wellworn.db").write_text("garbage")
        failed = run("service", "install", "--port", str(port))
    assert failed.returncode == 1
    assert "was started and does not answer; see journalctl" in failed.stderr
    assert "WRONG  service: fails; see journalctl" in run("doctor").stdout
