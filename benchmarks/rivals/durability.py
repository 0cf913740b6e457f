"""What is on the disk once a memory has answered: after kill -9, and after a flush.

A killed process loses what it had not handed to the system; a power cut also loses what the system
was not asked to flush. The second cannot be tried here, so flushes are counted instead, by strace.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.retrieval.models import Doc
from benchmarks.rivals.contestants import Contestant, Entry

_FLUSH: Final = re.compile(r"\b(?:fsync|fdatasync|msync|sync_file_range|sync|syncfs)\(")
_CALLS: Final = "trace=fsync,fdatasync,msync,sync_file_range,sync,syncfs"
_ATTACH_S: Final = 20.0
_POLL_S: Final = 0.01


@dataclass(frozen=True)
class Durability:
    """What was seen of some writes, each acknowledged by itself, and of some questions.

    Attributes:
        writes: how many were acknowledged before the process was killed.
        kept: how many of them a new process over the same folder has.
        flushes_a_write: to the disk, on average; None without strace.
        flushes_a_question: the same of a question.
    """

    writes: int
    kept: int
    flushes_a_write: float | None
    flushes_a_question: float | None


def measure_durability(
    entry: Entry,
    python: str,
    folder: Path,
    encoder_url: str,
    *,
    docs: Sequence[Doc],
    questions: Sequence[str],
) -> Durability:
    """Write, ask, write once more, kill at once, and count in a new process over the folder."""
    with entry.open(python, folder, encoder_url) as memory:
        memory.index(docs[:1])
        memory.settle(docs[:1])
        asked = _count_flushes(memory, lambda: _ask(memory, questions))
        written = _count_flushes(memory, lambda: _write(memory, docs[1:-1]))
        memory.index(docs[-1:])
    with entry.open(python, folder, encoder_url) as memory:
        kept = memory.count()
    return Durability(
        writes=len(docs),
        kept=kept,
        flushes_a_write=None if written is None else written / len(docs[1:-1]),
        flushes_a_question=None if asked is None else asked / len(questions),
    )


def count_flush_calls(trace: str) -> int:
    """Return how many calls that flush were begun, in what strace wrote."""
    return len(_FLUSH.findall(trace))


def _ask(memory: Contestant, questions: Sequence[str]) -> None:
    for question in questions:
        memory.ask(question)


def _write(memory: Contestant, docs: Sequence[Doc]) -> None:
    for doc in docs:
        memory.index([doc])


def _count_flushes(memory: Contestant, work: Callable[[], None]) -> int | None:
    """Do the work; return the flushes meanwhile, or None where strace cannot tell."""
    strace = shutil.which("strace")
    if strace is None:
        work()
        return None
    with tempfile.NamedTemporaryFile() as trace:
        words = [strace, "-f", "-qq", "-e", _CALLS, "-o", trace.name, "-p", str(memory.pid)]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as tracer:
            is_attached = _await_tracer(memory.pid, tracer)
            work()
            tracer.send_signal(signal.SIGINT)
        return count_flush_calls(Path(trace.name).read_text()) if is_attached else None


def _await_tracer(pid: int, tracer: subprocess.Popen[bytes]) -> bool:
    """Wait until every thread of the process is traced; tell whether that came about."""
    deadline = time.monotonic() + _ATTACH_S
    while time.monotonic() < deadline and tracer.poll() is None:
        threads = Path(f"/proc/{pid}/task").glob("*/status")
        if not any("TracerPid:\t0\n" in status.read_text() for status in threads):
            return True
        time.sleep(_POLL_S)
    return False
