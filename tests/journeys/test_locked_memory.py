"""What is left in a server's memory of a sealed space after it was locked: nothing.

The image is what root reads: every readable page of the server and of its children.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import re
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from journeys.test_sealed_kills import LIMITS, founded, told
from wellworn.engines import daemon

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS, QUESTIONS = 40, 20
ENCODINGS = ("utf-8", "utf-16-le", "utf-32-le")
BEGINNING = "zuvokim"
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/mem").exists() or os.geteuid() != 0,
    reason="only root on Linux reads the memory of another process",
)


def make_words(count: int, seed: int) -> list[str]:
    """Return words that nobody has used before, with a common beginning to find them by."""
    chance = random.Random(seed)
    syllables = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
    return [BEGINNING + "".join(chance.choices(syllables, k=4)) for _ in range(count)]


def list_processes(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    children: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError):  # threads end at any time
            children |= set(map(int, (task / "children").read_text().split()))
    return [pid, *(each for child in children for each in list_processes(child))]


def search_memory(pid: int, words: list[str], key: str) -> set[str]:
    """Return which words are in the memory of a process or of its descendants, and the key."""
    secret = key.rpartition("_")[2]
    raw = base64.b32decode(secret.upper() + "====")
    keys = [raw, *(secret.encode(encoding) for encoding in ENCODINGS)]
    present: set[str] = set()
    for piece in read_memory(pid):
        for encoding in ENCODINGS:
            beginning = BEGINNING.encode(encoding)
            length = len(words[0].encode(encoding))
            starts = (found.start() for found in re.finditer(re.escape(beginning), piece))
            present |= {piece[at : at + length].decode(encoding, "replace") for at in starts}
        if any(form in piece for form in keys):
            present.add(key)
    return present & {*words, key}


def read_memory(pid: int) -> Iterator[bytes]:
    """Yield every readable mapping of a process and its descendants."""
    for process in list_processes(pid):
        with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
            for line in Path(f"/proc/{process}/maps").read_text().splitlines():
                start, end = (int(bound, 16) for bound in line.split()[0].split("-"))
                with suppress(OSError, OverflowError):  # pages of the kernel's own
                    memory.seek(start)
                    yield memory.read(end - start)


class SealedSecrets:
    """A sealed space in which words were stored and asked for that were never said elsewhere."""

    def __init__(self, address: str, seed: int) -> None:
        self.shown = founded(address)
        self.key = self.shown["authorization"].removeprefix("Bearer ")
        words = make_words(TEXTS + QUESTIONS, seed)
        self.texts, self.questions = words[:TEXTS], words[TEXTS:]
        marks = ("", "Δ", "🜁")  # what makes Python keep a text in one, two or four bytes
        for number, word in enumerate(self.texts):
            mark = marks[number % 3]
            self._say(
                address, f"The {word} engine of hall {number} {mark} runs at night.", "always"
            )
        for word in self.questions:
            self._say(address, f"Where does the {word} engine run?", "never")

    def _say(self, address: str, prompt: str, contribute: str) -> None:
        headers = {"content-type": "application/json", **self.shown}
        agent = {"agent_id": "ada", "agent_name": "Ada"}
        body = {"prompt": prompt, "contribute": contribute, **agent}
        told(address, "/api/v1/memory", headers, json.dumps(body))

    def search(self, pid: int) -> tuple[int, int, bool]:
        """Return how many texts and questions are in memory, and whether the key is."""
        present = search_memory(pid, [*self.texts, *self.questions], self.key)
        texts, questions = present & set(self.texts), present & set(self.questions)
        return len(texts), len(questions), self.key in present


def await_renewal(home: Path, before: daemon.RunningDaemon) -> daemon.RunningDaemon:
    """Wait until the server of a folder has begun anew."""
    while True:
        running = daemon.find_daemon(home)
        if running is not None and running.started_at != before.started_at:
            return running
        threading.Event().wait(0.05)


@pytest.mark.timeout(180)
def test_nothing_of_a_space_that_nobody_uses_is_in_memory(serve, home):
    server = serve(home, WELLWORN_SPACES__IDLE_S="10")
    secrets = SealedSecrets(server.url.removeprefix("http://"), 1)
    before = daemon.find_daemon(home)
    await_renewal(home, before)
    assert secrets.search(server.pid) == (0, 0, False)


class Caller(threading.Thread):
    """Somebody who calls again and again over one connection and notes what went wrong."""

    def __init__(self, address: str, headers: dict[str, str], stop: threading.Event) -> None:
        super().__init__()
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.headers = headers
        self.stop = stop
        self.answers = 0
        self.failures: list[object] = []

    def run(self) -> None:
        with closing(self.connection):
            while not (self.stop.is_set() or self.failures):
                self.call()

    def call(self) -> None:
        try:
            self.connection.request("GET", "/api/v1/thoughts", headers=self.headers)
            response = self.connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(error)
            return
        self.answers += 1
        if response.status != http.client.OK:
            self.failures.append(body)


@pytest.mark.timeout(240)
def test_callers_only_wait_while_what_was_locked_goes(serve, home, wellworn):
    server = serve(home, WELLWORN_SPACES__MOST_OPEN="1", **LIMITS)
    address = server.url.removeprefix("http://")
    secrets = SealedSecrets(address, 2)
    assert secrets.search(server.pid) == (TEXTS, QUESTIONS, True)
    before = daemon.find_daemon(home)
    stop = threading.Event()
    others = founded(address)
    callers = [Caller(address, headers, stop) for headers in ({}, {}, others, others)]
    for caller in callers:
        caller.start()
    await_renewal(home, before)
    answered = [caller.answers for caller in callers]
    while any(caller.answers < count + 5 for caller, count in zip(callers, answered, strict=True)):
        assert [caller.failures for caller in callers] == [[]] * len(callers)
        stop.wait(0.05)
    stop.set()
    for caller in callers:
        caller.join(timeout=60)
    assert [caller.failures for caller in callers] == [[]] * len(callers)
    assert secrets.search(server.pid) == (0, 0, False)
    assert f"stopped process {server.pid}" in wellworn("stop").stdout
