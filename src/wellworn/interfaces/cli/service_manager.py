"""The server as a service of the user: what systemd and launchd are told, and asked.

A file is our own if it runs our program. Nothing else is replaced or removed; what a user changes
belongs into a drop-in of the manager, or into `service.env` in the data folder, which both read.

Source: systemd.service(5), systemd.exec(5), launchd.plist(5), launchctl(1).
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from wellworn.errors import WellwornError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE_S: Final = 60.0
_RESTART_S: Final = 15
"""Between two tries: a server that a command started may have the folder for a while."""
_END_S: Final = 30
_PROGRAM: Final = ("-P", "-m", "wellworn", "serve")
_READ_SETTINGS: Final = 'set -a; [ ! -f "$0" ] || . "$0"; exec "$@"'
_PAUSE_S: Final = 0.2
_UMASK: Final = 0o077


class ServiceFailed(WellwornError):
    """The manager of services is not there, or did not do what it was asked."""

    code = "SERVICE_FAILED"


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of a service: whether it starts at login, runs now, and as which process."""

    is_enabled: bool = False
    is_running: bool = False
    is_failing: bool = False
    pid: int | None = None


def is_own(words: Sequence[str]) -> bool:
    """Tell whether a command runs our program."""
    return any(tuple(words[at : at + 4]) == _PROGRAM for at in range(len(words)))


def find_manager() -> ServiceManager:
    """Return the manager of this machine.

    Raises:
        ServiceFailed: it has none that is known here.
    """
    if sys.platform == "darwin":
        return Launchd()
    if shutil.which("systemctl") is None:
        message = "this machine has no systemd; let what starts its programs run `wellworn serve`"
        raise ServiceFailed(message)
    return Systemd()


def _list_words(home: Path, port: int) -> list[str]:
    return [sys.executable, *_PROGRAM, "--home", str(home), "--port", str(port)]


def get_settings_file(home: Path) -> Path:
    """Return the file with the settings of the service, `NAME=value` a line; there may be none."""
    return home / "service.env"


@dataclass(frozen=True, slots=True)
class Systemd:
    """The systemd of a user's session."""

    name: str = "wellworn.service"
    log: str = "journalctl --user --unit wellworn"
    notes: Sequence[str] = ("It ends when you log out; `loginctl enable-linger` lets it go on.",)

    @property
    def file(self) -> Path:
        config = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser()
        return config / "systemd" / "user" / self.name

    def render(self, home: Path, port: int) -> str:
        command = " ".join(map(_quote_for_systemd, _list_words(home, port)))
        settings = glob.escape(str(get_settings_file(home))).replace("%", "%%")
        return f"""# Made by `wellworn service install`; `wellworn service uninstall` removes it.
# Changes of your own go into a drop-in: systemctl --user edit {self.name.partition(".")[0]}
[Unit]
Description=wellworn, the shared memory of your agents
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={command}
EnvironmentFile=-{settings}
Restart=on-failure
RestartSec={_RESTART_S}
TimeoutStopSec={_END_S}
UMask=0{_UMASK:03o}
MemorySwapMax=0
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""

    def list_words(self, text: str) -> list[str]:
        """Return the words of the command in a file; none of one that cannot be read."""
        lines = (line.partition("ExecStart=") for line in text.splitlines())
        commands = [command for before, found, command in lines if found and not before]
        return (
            [_unquote_for_systemd(word) for word in _WORD.findall(commands[0])] if commands else []
        )

    def start(self) -> None:
        self._tell("daemon-reload")
        self._tell("enable", self.name)
        self._tell("restart", self.name)

    def end(self) -> None:
        """End it, and start it at no login."""
        self._tell("disable", "--now", self.name)

    def forget(self) -> None:
        """Take note that the file is gone."""
        self._tell("daemon-reload")

    def find_state(self) -> ServiceState:
        asked = ("show", "--property", "ActiveState,SubState,MainPID,UnitFileState", self.name)
        lines = self._tell(*asked).splitlines()
        told = {name: value for name, _, value in (line.partition("=") for line in lines)}
        is_failing = told.get("ActiveState") == "failed" or told.get("SubState") == "auto-restart"
        return ServiceState(
            is_enabled=told.get("UnitFileState") == "enabled",
            is_running=told.get("ActiveState") in {"active", "activating"} and not is_failing,
            is_failing=is_failing,
            pid=int(told.get("MainPID") or 0) or None,
        )

    def _tell(self, *words: str) -> str:
        return _run(["systemctl", "--user", *words])


_WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


def _quote_for_systemd(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return escaped if re.fullmatch(r"[\w/.,:@+=-]+", word) else f'"{escaped}"'


def _unquote_for_systemd(word: str) -> str:
    inner = word[1:-1] if word.startswith('"') else word
    return re.sub(r"\\(.)", r"\1", inner.replace("%%", "%").replace("$$", "$"))


@dataclass(frozen=True, slots=True)
class Launchd:
    """The launchd of a user's session, on macOS."""

    name: str = "wellworn.server"
    log: str = "the log, logs/daemon.log in the data folder"
    notes: Sequence[str] = ()

    @property
    def file(self) -> Path:
        return Path(f"~/Library/LaunchAgents/{self.name}.plist").expanduser()

    def render(self, home: Path, port: int) -> str:
        import plistlib

        log = str(home / "logs" / "daemon.log")
        settings = str(get_settings_file(home))
        fields = {
            "Label": self.name,
            "ProgramArguments": [
                "/bin/sh",
                "-c",
                _READ_SETTINGS,
                settings,
                *_list_words(home, port),
            ],
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": _RESTART_S,
            "ExitTimeOut": _END_S,
            "Umask": _UMASK,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        return plistlib.dumps(fields, sort_keys=False).decode()

    def list_words(self, text: str) -> list[str]:
        import plistlib
        from xml.parsers.expat import ExpatError

        try:
            fields = plistlib.loads(text.encode())
            words = cast("list[Any]", fields["ProgramArguments"])
        except (ExpatError, ValueError, KeyError, TypeError):
            return []
        return [str(word) for word in words]

    def start(self) -> None:
        self._unload()
        _run(["launchctl", "enable", self._place])
        _run(["launchctl", "bootstrap", self._domain, str(self.file)])

    def end(self) -> None:
        self._unload()

    def forget(self) -> None:
        """Do nothing: launchd reads the folder at every login."""

    def find_state(self) -> ServiceState:
        told = _run(["launchctl", "print", self._place], may_fail=True)
        pid, code = _PID.search(told), _LAST_EXIT.search(told)
        return ServiceState(
            is_enabled=bool(told),
            is_running=pid is not None,
            is_failing=pid is None and code is not None and code[1] != "0",
            pid=None if pid is None else int(pid[1]),
        )

    def _unload(self) -> None:
        _run(["launchctl", "bootout", self._place], may_fail=True)
        deadline = time.monotonic() + _END_S
        while self.find_state().is_enabled and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    @property
    def _place(self) -> str:
        return f"{self._domain}/{self.name}"


ServiceManager: TypeAlias = Systemd | Launchd
"""What starts services of a user at login, and again when they fail."""
_PID: Final = re.compile(r"^[ \t]*+pid = (\d++)$", re.MULTILINE)
_LAST_EXIT: Final = re.compile(r"^[ \t]*+last exit code = (\d++)", re.MULTILINE)


def _run(words: Sequence[str], *, may_fail: bool = False) -> str:
    """Run a command of the manager; return what it said, nothing where it may fail and did.

    Raises:
        ServiceFailed: it failed.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the manager's own program
            words,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise ServiceFailed(f"{words[0]} does not run") from failure
    if done.returncode == 0:
        return done.stdout
    if may_fail:
        return ""
    reason = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
    raise ServiceFailed(f"`{' '.join(words)}` failed: {reason}")
