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
        name = self._open.enter_context(tempfile.TemporaryDirectory(prefix="rival-"))
        self._lines = self._open.enter_context(running(self._command, self._settings, Path(name)))
        self.version = self._lines.read()["version"]
        self._lines.ask({"index": [told(doc) for doc in docs]})

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        del asked_at
        found: list[int] = self._lines.ask({"search": query, "k": k})["found"]
        return [self._ids[position] for position in dict.fromkeys(found)][:k]

    def close(self) -> None:
        """End the process and remove its folder."""
        self._open.close()


class Lines:
    """A rival's running process, spoken to in lines of `workers.protocol`."""

    def __init__(self, process: subprocess.Popen[str], printed: Path) -> None:
        self._process = process
        self._printed = printed

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Send a message and return the reply.

        Raises:
            RivalFailed: the process ended; with the end of what it printed.
        """
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        return self.read()

    def read(self) -> dict[str, Any]:
        """Return what the process says next; raise as `ask` does."""
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            tail = self._printed.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
            raise RivalFailed(f"a rival ended, after printing:\n{tail}")
        return json.loads(line)


@contextmanager
def running(command: list[str], settings: dict[str, str], folder: Path) -> Generator[Lines]:
    """Run a rival over a folder, which is its home; it is killed when the block ends."""
    printed = folder / "printed.txt"
    environment = _environment(folder) | settings
    with (
        printed.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command,
            cwd=_ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        try:
            yield Lines(process, printed)
        finally:
            process.kill()


def _environment(folder: Path) -> dict[str, str]:
    """Return little: nothing of the user's settings or keys reaches a rival, nor does a network."""
    quiet = {"ANONYMIZED_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
    place = {"HOME": str(folder), "RIVAL_FOLDER": str(folder / "kept")}
    (folder / "kept").mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | quiet | place
