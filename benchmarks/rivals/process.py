"""A rival as a process of its own, in the environment it was installed in.

Rivals want other versions of what wellworn depends on, keep state between uses, and print. So each
set of documents gets a fresh process with an empty folder as its home, and lines of JSON between.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.retrieval.models import Doc
from benchmarks.rivals.texts import told

_ROOT: Final = Path(__file__).resolve().parents[2]
_TAIL: Final = 2_000  # characters of a failed rival's own output that are shown


class RivalNotInstalled(LookupError):
    """No environment was named in which the rival is installed."""


class RivalFailed(RuntimeError):
    """A rival's process ended before it answered."""


class Rival:
    """One installed memory system; `version` is known once something was indexed."""

    def __init__(
        self,
        module: str,
        *,
        python: str,
        encoder_url: str = "",
        strategy: str = "",
    ) -> None:
        self.version = ""
        self._command = [python, "-m", module]
        self._settings = {"RIVAL_ENCODER_URL": encoder_url, "RIVAL_STRATEGY": strategy}
        self._ids: list[str] = []
        self._open = ExitStack()
        atexit.register(self._open.close)

    def index(self, docs: Sequence[Doc]) -> None:
        self._open.close()
        self._ids = [doc.id for doc in docs]
        self._lines = self._open.enter_context(_running(self._command, self._settings))
        self.version = self._lines.heard()["version"]
        self._lines.asked({"index": [told(doc) for doc in docs]})

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        del asked_at
        found: list[int] = self._lines.asked({"search": query, "k": k})["found"]
        return [self._ids[position] for position in dict.fromkeys(found)][:k]

    def close(self) -> None:
        """End the process and remove its folder."""
        self._open.close()


def python_of(variable: str) -> str:
    """Return the Python that an environment variable names.

    Raises:
        RivalNotInstalled: the variable is not set.
    """
    python = os.environ.get(variable)
    if python:
        return python
    raise RivalNotInstalled(f"{variable} is not set; docs/comparisons.md says how to install it")


class _Lines:
    def __init__(self, process: subprocess.Popen[str], printed: Path) -> None:
        self._process = process
        self._printed = printed

    def asked(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        return self.heard()

    def heard(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            tail = self._printed.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
            raise RivalFailed(f"a rival ended, after printing:\n{tail}")
        return json.loads(line)


@contextmanager
def _running(command: list[str], settings: dict[str, str]) -> Generator[_Lines]:
    with tempfile.TemporaryDirectory(prefix="rival-") as name:
        folder = Path(name)
        printed = folder / "printed.txt"
        with (
            printed.open("w", encoding="utf-8") as errors,
            subprocess.Popen(
                command,
                cwd=_ROOT,
                env=_environment(folder) | settings,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
            ) as process,
        ):
            try:
                yield _Lines(process, printed)
            finally:
                process.kill()


def _environment(folder: Path) -> dict[str, str]:
    """Return little: nothing of the user's settings or keys reaches a rival, nor does a network."""
    quiet = {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    place = {"HOME": str(folder), "RIVAL_FOLDER": str(folder / "kept")}
    (folder / "kept").mkdir()
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | quiet | place
