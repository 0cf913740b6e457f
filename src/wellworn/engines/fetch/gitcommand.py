"""One step of the git command: a bare environment, a time limit, and a limit on what it may write.

Git reads settings, credentials, hooks, proxies and helper programs from many places. None of them
is there: the environment is a new one, and every setting comes from it, so that a credential is
neither in the arguments nor on disk.

Source: gitfaq and the environment of git(1); `docs/security.md`.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wellworn.kit.fetch_mark import FETCH_MARK, MARKED

_BLOCK = 512  # bytes, the unit of the shell's `ulimit -f`
_LIMITED = 'ulimit -c 0; ulimit -f "$0"; exec "$@"'
_MOST_COMPLAINT = 65_536
_SETTINGS = {
    "core.bigFileThreshold": "8m",
    "core.hooksPath": "/dev/null",
    "credential.helper": "",
    "fetch.fsck.zeroPaddedFilemode": "ignore",  # old and harmless, still in good repositories
    "fetch.negotiationAlgorithm": "noop",
    "fetch.unpackLimit": "1",  # one pack a fetch, so that the limit on a file limits a fetch
    "gc.auto": "0",
    "http.followRedirects": "false",
    "http.proxy": "",
    "maintenance.auto": "false",
    "protocol.version": "2",
    "transfer.fsckObjects": "true",
}


@dataclass(frozen=True, slots=True)
class GitResult:
    """The result of a step; `code` is None when its time was over."""

    code: int | None
    output: bytes
    complaint: str


@dataclass(frozen=True, slots=True, repr=False)
class Remote:
    """A server that git may connect to, and with what; never printed, because of the token."""

    scheme: str
    host: str
    port: int
    addresses: tuple[str, ...]
    user_agent: str
    token: str | None

    def settings(self) -> dict[str, str]:
        settings = {"http.userAgent": self.user_agent}
        settings["http.extraHeader"] = f"{FETCH_MARK}: {MARKED[FETCH_MARK]}"
        if ":" not in self.host:
            pinned = ",".join(f"[{each}]" if ":" in each else each for each in self.addresses)
            settings["http.curloptResolve"] = f"{self.host}:{self.port}:{pinned}"
        if self.token:
            pair = self.token if ":" in self.token else f"x-access-token:{self.token}"
            word = base64.b64encode(pair.encode()).decode()
            host = f"[{self.host}]" if ":" in self.host else self.host
            origin = f"{self.scheme}://{host}:{self.port}/"
            settings[f"http.{origin}.extraHeader"] = f"Authorization: Basic {word}"
        return settings


def environment(repository: Path, remote: Remote | None) -> dict[str, str]:
    """Make everything git gets to know of the machine; without a remote it connects nowhere."""
    settings = _SETTINGS | (remote.settings() if remote else {})
    numbered = {
        f"GIT_CONFIG_{what}_{number}": text
        for number, pair in enumerate(settings.items())
        for what, text in zip(("KEY", "VALUE"), pair, strict=True)
    }
    return numbered | {
        "GIT_ALLOC_LIMIT": "512m",
        "GIT_ALLOW_PROTOCOL": remote.scheme if remote else "none",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": str(len(settings)),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": str(repository),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "PATH": os.environ.get("PATH", os.defpath),
    }


class Git:
    """Runs git in one repository; what it reads and writes goes through files beside it."""

    def __init__(self, folder: Path, variables: Mapping[str, str], timeout_s: float) -> None:
        self._folder = folder
        self._variables = dict(variables)
        self._timeout_s = timeout_s

    def run(self, *arguments: str, most_bytes: int, stdin_lines: Iterable[str] = ()) -> GitResult:
        """Run one step; a file it writes, its output too, may hold `most_bytes`."""
        in_path, output, complaint = (self._folder / name for name in ("in", "out", "err"))
        in_path.write_text("".join(f"{line}\n" for line in stdin_lines))
        command = ["/bin/sh", "-c", _LIMITED, str(most_bytes // _BLOCK + 1), "git", *arguments]
        with in_path.open("rb") as stdin, output.open("wb") as out, complaint.open("wb") as err:
            process = subprocess.Popen(  # noqa: S603 - no shell reads the arguments
                command,
                stdin=stdin,
                stdout=out,
                stderr=err,
                cwd=self._folder,
                env=self._variables,
                start_new_session=True,
            )
            code = self._wait(process)
        with complaint.open("rb") as err:
            words = err.read(_MOST_COMPLAINT).decode("utf-8", "replace")
        return GitResult(code, output.read_bytes(), words)

    def _wait(self, process: subprocess.Popen[bytes]) -> int | None:
        try:
            return process.wait(self._timeout_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
