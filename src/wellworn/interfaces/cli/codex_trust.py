"""Asks Codex which hooks it knows, and which of them it runs.

Codex compares a digest of each hook with the one that its user trusted, and how it makes that
changes; so it is asked, over `codex app-server`, as its own pages of settings do.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, Final

import wellworn

_GREETING: Final = {"clientInfo": {"name": "wellworn", "version": wellworn.__version__}}
_ASKED: Final = 2
_TRUSTED: Final = frozenset({"trusted", "managed"})


@dataclass(frozen=True, slots=True)
class CodexHook:
    """A hook that Codex found in a file, and whether it runs it."""

    file: Path
    runs: bool


def list_codex_hooks(folder: Path, patience_s: float) -> list[CodexHook] | None:
    """Return the hooks that Codex finds when it works in a folder; None if it cannot be asked."""
    program = shutil.which("codex")
    if program is None:
        return None
    try:
        process = subprocess.Popen(  # noqa: S603 - no word of it is anybody's input
            [program, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    timer = Timer(patience_s, process.kill)
    timer.start()
    try:
        return _ask(process, folder)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    finally:
        timer.cancel()
        with suppress(OSError):
            process.communicate()
        process.wait()


def _ask(process: subprocess.Popen[bytes], folder: Path) -> list[CodexHook] | None:
    if process.stdin is None or process.stdout is None:
        return None
    messages = (
        {"id": 1, "method": "initialize", "params": _GREETING},
        {"method": "initialized"},
        {"id": _ASKED, "method": "hooks/list", "params": {"cwds": [str(folder)]}},
    )
    process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages).encode())
    process.stdin.flush()
    for line in process.stdout:
        reply: Any = json.loads(line)
        if reply.get("id") == _ASKED:
            return [
                _read_hook(hook) for place in reply["result"]["data"] for hook in place["hooks"]
            ]
    return None


def _read_hook(hook: dict[str, Any]) -> CodexHook:
    runs = hook["enabled"] is True and hook["trustStatus"] in _TRUSTED
    return CodexHook(Path(hook["sourcePath"]).resolve(), runs)
