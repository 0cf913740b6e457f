"""What systemd and launchd are told, and whose files are touched."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from patience import LONG_S
from wellworn.interfaces.cli.service_manager import (
    Launchd,
    ServiceState,
    Systemd,
    find_manager,
    is_own,
)

ODD = Path('/srv/my "memory" 100% $HOME \\x')
FOREIGN = "[Service]\nExecStart=/usr/bin/wellworn serve\n"


@pytest.fixture
def systemctl(folder, tmp_path, monkeypatch):
    """Put a systemctl on the path that says what it is told to, and fails if that is nothing."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    def say(told):
        program.write_text(f"#!/bin/sh\necho '{told}'\n[ -n '{told}' ] || exit 1\n")
        program.chmod(0o755)

    say("")
    return say


def unit_of(folder):
    return folder / ".config" / "systemd" / "user" / "wellworn.service"


def put_unit(folder, text):
    unit_of(folder).parent.mkdir(parents=True)
    unit_of(folder).write_text(text)


def test_a_dry_run_shows_the_unit_and_writes_nothing(run, folder, systemctl):
    said = run("service", "install", "--dry-run", "--port", "4510")
    assert said.code == 0, said.err
    assert f"+ExecStart={sys.executable} -P -m wellworn serve --home " in said.out
    assert "--port 4510" in said.out
    assert f"would write {unit_of(folder)}" in said.out
    assert not unit_of(folder).exists()


def test_nothing_is_written_where_no_manager_answers(run, folder, systemctl):
    said = run("service", "install")
    assert said.code == 1
    assert "systemctl --user show" in said.err
    assert not unit_of(folder).exists()


def test_a_machine_without_systemd_is_told_what_to_do(run, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = run("service", "install")
    assert said.code == 1
    assert "wellworn serve" in said.err


@pytest.mark.parametrize("words", [["install"], ["uninstall"], ["install", "--dry-run"]])
def test_a_unit_of_somebody_else_is_left_alone(run, folder, systemctl, words):
    put_unit(folder, FOREIGN)
    said = run("service", *words)
    assert said.code == 1
    assert "was not made by" in said.err
    assert unit_of(folder).read_text() == FOREIGN


def test_a_dry_run_of_the_end_removes_nothing(run, folder, systemctl):
    put_unit(folder, Systemd().render(ODD, 3200))
    said = run("service", "uninstall", "--dry-run")
    assert f"would remove {unit_of(folder)}" in said.out
    assert unit_of(folder).exists()


def test_settings_of_the_shell_are_named_and_not_passed_on(run, folder, systemctl, monkeypatch):
    monkeypatch.setenv("WELLWORN_CRYPTO__KEY__PASSPHRASE", "correct horse battery")
    put_unit(folder, Systemd().render(folder.parent / "home", 3200))
    systemctl("ActiveState=active\nUnitFileState=enabled\nMainPID=7")
    said = run("service", "install")
    assert said.code == 0, said.err
    assert "nothing to change" in said.out
    assert "WELLWORN_CRYPTO__KEY__PASSPHRASE" in said.err
    assert "service.env" in said.err
    assert "correct horse" not in said.err + unit_of(folder).read_text()


@pytest.mark.parametrize("manager", [Systemd(), Launchd()], ids=["systemd", "launchd"])
@pytest.mark.parametrize("home", [Path("/srv/memory"), ODD], ids=["plain", "odd"])
def test_a_file_is_known_again_as_ours_with_its_words(manager, home):
    words = manager.list_words(manager.render(home, 3200))
    assert is_own(words)
    assert words[-4:] == ["--home", str(home), "--port", "3200"]


@pytest.mark.parametrize("manager", [Systemd(), Launchd()], ids=["systemd", "launchd"])
@pytest.mark.parametrize("text", ["", FOREIGN, "<plist>", "\x00", "[" * 10_000])
def test_what_is_no_file_of_ours_is_not_taken_for_one(manager, text):
    assert not is_own(manager.list_words(text))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd is installed here")
@pytest.mark.parametrize("name", ["memory", "my memory 100% $HOME"])
def test_systemd_takes_the_unit(tmp_path, name):
    unit = tmp_path / "wellworn.service"
    unit.write_text(Systemd().render(tmp_path / name, 3200))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", unit],
        check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_launchd_gets_the_settings_and_starts_again_what_failed(tmp_path):
    fields = plistlib.loads(Launchd().render(tmp_path, 3200).encode())
    assert fields["KeepAlive"] == {"SuccessfulExit": False}
    assert fields["Umask"] == 0o77
    shell, option, script, settings, *words = fields["ProgramArguments"]
    Path(settings).write_text("WELLWORN_EMBEDDING__THREADS=2\n")
    done = subprocess.run(
        [shell, option, script, settings, "/bin/sh", "-c", 'echo "$WELLWORN_EMBEDDING__THREADS"'],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "2\n"
    assert is_own(words)


def test_launchd_is_asked_for_what_runs(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    program = tmp_path / "bin" / "launchctl"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    program.write_text("#!/bin/sh\nprintf 'gui = {\\n\\tstate = running\\n\\tpid = 71\\n}\\n'\n")
    program.chmod(0o755)
    manager = find_manager()
    assert manager.file == folder / "Library" / "LaunchAgents" / "wellworn.server.plist"
    assert manager.find_state() == ServiceState(is_enabled=True, is_running=True, pid=71)
    program.write_text("#!/bin/sh\nprintf '\\tlast exit code = 1\\n'\n")
    assert manager.find_state() == ServiceState(is_enabled=True, is_failing=True)
    program.write_text("#!/bin/sh\nexit 113\n")
    assert manager.find_state() == ServiceState()
