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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from journeys.test_sealed_kills import LIMITS, exchanged, founded, told
from patience import LONG_S
from wellworn.engines import daemon

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS, QUESTIONS = 40, 20
ADA = {"agent_id": "ada", "agent_name": "Ada"}
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
        self.address = address
        self.shown = founded(address)
        self.key = self.shown["authorization"].removeprefix("Bearer ")
        words = make_words(TEXTS + QUESTIONS, seed)
        self.texts, self.questions = words[:TEXTS], words[TEXTS:]
        self.fill()

    def fill(self) -> None:
        for number, word in enumerate(self.texts):
            self.say(make_sentence(number, word))
        for word in self.questions:
            self.ask(make_question(word))

    def say(self, sentence: str) -> None:
        self._converse(sentence, "always")

    def ask(self, question: str) -> None:
        self._converse(question, "never")

    def _converse(self, prompt: str, contribute: str) -> None:
        body = {"prompt": prompt, "contribute": contribute, **ADA}
        self.call("POST", "/api/v1/memory", body)

    def call(self, method: str, path: str, body: object, **headers: str) -> Any:
        headers = {"content-type": "application/json", **self.shown, **headers}
        status, content = exchanged(self.address, method, path, headers, json.dumps(body))
        assert status in {200, 201, 202}, content
        return json.loads(content)

    def search(self, pid: int) -> tuple[int, int, bool]:
        """Return how many texts and questions are in memory, and whether the key is."""
        present = search_memory(pid, [*self.texts, *self.questions], self.key)
        texts, questions = present & set(self.texts), present & set(self.questions)
        return len(texts), len(questions), self.key in present


def make_sentence(number: int, word: str) -> str:
    mark = ("", "Δ", "🜁")[number % 3]  # what makes Python keep a text in one, two or four bytes
    return f"The {word} engine of hall {number} {mark} runs at night."


def make_question(word: str) -> str:
    return f"Where does the {word} engine run?"


class SecretsOfAllInterfaces(SealedSecrets):
    """The same, said and asked over HTTP, MCP, in documents of each kind, and in turns."""

    def fill(self) -> None:
        source = self._add_source()
        ways = [self.say, self._remember, self._note, partial(self._upload, source), self._close]
        for number, word in enumerate(self.texts):
            ways[number % len(ways)](make_sentence(number, word))
        ways = [self.ask, self._recall, self._ask_in_a_turn, self._resolve, self._ask_over_mcp]
        for number, word in enumerate(self.questions):
            ways[number % len(ways)](make_question(word))
        for word in self.texts[::4]:
            # What was stored is evidence of a turn, and read back.
            turn = self.call("POST", "/api/v1/turns", {"query": make_question(word), **ADA})
            path = f"/api/v1/turns/{turn['turn']['id']}/files/context.md"
            told(self.address, path, self.shown)
        told(self.address, "/api/v1/export", self.shown)

    def _call_tool(self, name: str, **arguments: object) -> None:
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = "application/json, text/event-stream"
        answer = self.call("POST", "/mcp", message, accept=accept)
        assert not answer["result"].get("isError"), answer

    def _remember(self, sentence: str) -> None:
        self._call_tool("remember", content=sentence)

    def _recall(self, question: str) -> None:
        self._call_tool("recall", query=question)

    def _ask_over_mcp(self, question: str) -> None:
        self._call_tool("ask", query=question)

    def _ask_in_a_turn(self, question: str) -> None:
        self.call("POST", "/api/v1/turns", {"query": question, **ADA})

    def _resolve(self, question: str) -> None:
        self.call("POST", "/api/knowledge/resolve", {"term": question, "context": question})

    def _add_source(self) -> int:
        body = {"source_type": "upload", "name": "uploads", "config": {}}
        return self.call("POST", "/api/knowledge/sources", body)["id"]

    def _note(self, sentence: str) -> None:
        config = {"text": f"# Note\n\n{sentence}\n"}
        body = {"source_type": "manual_note", "name": sentence, "config": config}
        number = self.call("POST", "/api/knowledge/sources", body)["id"]
        self.call("POST", f"/api/knowledge/sources/{number}/sync", {})

    def _upload(self, source: int, sentence: str) -> None:
        """Upload a page, which another process reads."""
        name = sentence.split()[1]
        path = f"/api/knowledge/sources/{source}/files/{name}.html"
        page = f"<!doctype html><title>{name}</title><p>{sentence}</p>".encode()
        status, content = exchanged(self.address, "PUT", path, self.shown, page)
        assert status == http.client.OK, content

    def _close(self, sentence: str) -> None:
        """Say it in a turn of the agent's own, as what a tool found and as the answer."""
        turn = self.call("POST", "/api/v1/turns/open", {"query": "which engine?", **ADA})["id"]
        entry = {"tool": "look", "result": sentence, "arguments": {"what": sentence}}
        self.call("POST", f"/api/v1/turns/{turn}/entries", {"entries": [entry]})
        end = {"answer": sentence, "claims": [{"text": sentence, "evidence": 1}]}
        self.call("POST", f"/api/v1/turns/{turn}/close", end)


def await_renewal(home: Path, before: daemon.RunningDaemon) -> daemon.RunningDaemon:
    """Wait until the server of a folder has begun anew."""
    while True:
        running = daemon.find_daemon(home)
        if running is not None and running.started_at != before.started_at:
            return running
        threading.Event().wait(0.05)


def test_nothing_of_a_space_that_nobody_uses_is_in_memory(serve, home):
    server = serve(home, WELLWORN_SPACES__IDLE_S="10")
    secrets = SealedSecrets(server.url.removeprefix("http://"), 1)
    before = daemon.find_daemon(home)
    await_renewal(home, before)
    assert secrets.search(server.pid) == (0, 0, False)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_of_what_any_interface_was_told_is_in_memory(serve, home):
    server = serve(
        home, WELLWORN_SPACES__MOST_OPEN="1", WELLWORN_THOUGHTS__SEARCH_PROCESSES="1", **LIMITS
    )
    secrets = SecretsOfAllInterfaces(server.url.removeprefix("http://"), 3)
    assert secrets.search(server.pid) == (TEXTS, QUESTIONS, True)
    before = daemon.find_daemon(home)
    told(secrets.address, "/api/v1/thoughts", founded(secrets.address))
    await_renewal(home, before)
    assert secrets.search(server.pid) == (0, 0, False)


class Caller(threading.Thread):
    """Somebody who calls again and again over one connection and notes what went wrong."""

    def __init__(self, address: str, headers: dict[str, str], stop: threading.Event) -> None:
        super().__init__()
        self.connection = http.client.HTTPConnection(address, timeout=LONG_S)
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
        caller.join(timeout=LONG_S)
    assert [caller.failures for caller in callers] == [[]] * len(callers)
    assert secrets.search(server.pid) == (0, 0, False)
    assert f"stopped process {server.pid}" in wellworn("stop").stdout
