"""Draws a page that was fetched before, with an installed Chromium that reaches nothing.

A browser that followed a page's links would go around the one guarded way out. So it gets the
bytes that came through that way, and no network: no name and no address resolves, and the page
stands in a sandboxed frame without scripts, under a policy that loads nothing but inline styles and
pictures. It is expendable: whatever it does, the caller gets a picture or a reason.

Source: Chromium's command line switches; Content Security Policy Level 3; getrlimit(2).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from base64 import b64encode
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final

from wellworn.kit.scratch import scratch, sweep

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folder made in it is private
_PREFIX: Final = "wellworn-page-"
_NOBODY: Final = 65_534
_MEMORY_KB: Final = 1 << 20
_LARGEST_BYTES: Final = 4_000_000
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_CHARSET: Final = re.compile(r"[\w.:-]{1,40}")
_LIMITS: Final = f'ulimit -c 0; ulimit -f 131072; ulimit -d {_MEMORY_KB}; exec "$@"'
"""For a shell to say of itself before it becomes the browser: no core, 64 MB a file, 1 GB each."""
_SWITCHES: Final = (
    *("--headless", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1600"),
    *("--no-first-run", "--disable-extensions", "--disable-sync", "--disable-breakpad"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9"),
    "--proxy-bypass-list=<-loopback>",
)
_FRAME: Final = (
    '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    " style-src 'unsafe-inline'; img-src data:; frame-src data:\">"
    "<style>html,body,iframe{{margin:0;border:0;width:100%;height:100%}}</style>"
    '<iframe sandbox src="data:text/html{charset};base64,{page}"></iframe>'
)


@dataclass(frozen=True, slots=True)
class NoScreenshot:
    """Why there is no picture, as a clause for people."""

    reason: str


def find_chromium() -> str | None:
    """Return the program that is installed; None where there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


class ScreenshotRenderer:
    """Draws one page after the other; a call waits for its turn at most as long as for its end."""

    def __init__(
        self, timeout_s: float, find_program: Callable[[], str | None] = find_chromium
    ) -> None:
        self._timeout_s = timeout_s
        self._find_program = find_program
        self._lock = Lock()
        # A page of a sealed space must not outlive the process that was killed while it drew it.
        sweep(_find_folder(), _PREFIX)

    def render(
        self, page: bytes, charset: str | None = None, *, is_private: bool = False
    ) -> bytes | NoScreenshot:
        """Return a page of HTML as a PNG of 1280 by 1600 pixels, or why there is none.

        Args:
            page: the bytes as they were fetched.
            charset: as the server declared it; without one, the page's own word counts.
            is_private: whether nothing of the page may touch a disk.
        """
        program = self._find_program()
        if program is None:
            return NoScreenshot("no Chromium is installed on the server's machine")
        folder = _find_folder()
        if folder is None and is_private:
            return NoScreenshot("the machine has no folder in memory for pages of a sealed space")
        until = monotonic() + self._timeout_s
        if not self._lock.acquire(timeout=self._timeout_s):
            return NoScreenshot("other pages were being drawn")
        try:
            with scratch(folder, _PREFIX) as place:
                return _draw(program, place, _frame(page, charset), until)
        except OSError:
            return NoScreenshot("Chromium could not be started")
        finally:
            self._lock.release()


def _find_folder() -> Path | None:
    """Return a folder in memory; None where the machine has none."""
    return _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None


def _frame(page: bytes, charset: str | None) -> str:
    declared = f";charset={charset}" if charset and _CHARSET.fullmatch(charset) else ""
    return _FRAME.format(charset=declared, page=b64encode(page).decode())


def _draw(program: str, scratch: Path, page: str, until: float) -> bytes | NoScreenshot:
    source, picture = scratch / "page.html", scratch / "page.png"
    source.write_text(page, "ascii")
    words = [program, *_SWITCHES, f"--user-data-dir={scratch / 'profile'}"]
    words += [f"--screenshot={picture}", source.as_uri()]
    with _running(words, scratch) as child:
        try:
            code = child.wait(max(until - monotonic(), 0))
        except subprocess.TimeoutExpired:
            return NoScreenshot("Chromium took too long")
    if code != 0 or not picture.is_file():
        return NoScreenshot("Chromium failed")
    with picture.open("rb") as file:
        drawn = file.read(_LARGEST_BYTES + 1)
    if len(drawn) > _LARGEST_BYTES or not drawn.startswith(_PNG):
        return NoScreenshot("what Chromium drew is no picture of at most 4 MB")
    return drawn


@contextmanager
def _running(words: list[str], scratch: Path) -> Generator[subprocess.Popen[bytes]]:
    """Run the browser within its limits; at the end nothing that it started is left."""
    user = _choose_user(scratch)
    child = subprocess.Popen(  # noqa: S603 - the words are ours, and the page is in a file
        ["/bin/sh", "-c", _LIMITS, "sh", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=scratch,
        env={"HOME": str(scratch), "TMPDIR": str(scratch), "PATH": os.environ.get("PATH", "")},
        start_new_session=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )
    try:
        yield child
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _choose_user(scratch: Path) -> int | None:
    """Return who runs the browser: for root nobody, as its sandbox is not to be had as root."""
    if os.geteuid() != 0:
        return None
    for path in (scratch, *scratch.iterdir()):
        os.chown(path, _NOBODY, _NOBODY)
    return _NOBODY
