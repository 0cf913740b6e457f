"""A server keeps answering while another encoder is brought in, however often that is killed."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from journeys.conftest import Serve, clean_environment, program
from own_encoders import E5
from patience import LONG_S
from wellworn.client import Wellworn

FACTS = {
    "where does lichen grow?": "Flechten wachsen an der Nordseite der alten Mauer.",
    "when do database backups run?": "データベースのバックアップは毎晩二時に実行されます。",
    "where is the car park?": "ที่จอดรถอยู่หลังศาลากลาง",
}


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        program("reembed", "--json", "--home", str(home), *words),
        env=clean_environment(home, WELLWORN_EMBEDDING__MODEL_FOLDER=str(E5)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )


def staged(home: Path) -> int:
    """Return how much of the new encoder's is on the disk."""
    size = 0
    # Files come and go while they are counted.
    with suppress(FileNotFoundError):
        for path in (home / "index.next").rglob("*"):
            size += path.stat().st_size
    return size


def kill_when_staged(home: Path, least_bytes: int) -> None:
    """Start a run, and end it as a power cut would when it has written so much."""
    run = start(home)
    while staged(home) < least_bytes and run.poll() is None:
        time.sleep(0.02)
    run.kill()
    run.communicate()


class Caller:
    """An agent that asks a server on and on, and remembers every call that failed."""

    def __init__(self, url: str) -> None:
        self.failures: list[Exception] = []
        self.answers: list[int] = []
        self._url = url
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._ask_on)

    def _ask_on(self) -> None:
        with Wellworn(self._url, agent_id="bob") as memory:
            while not self._done.is_set():
                try:
                    self.answers.append(len(memory.recall("tax office").result.sources))
                except Exception as error:  # noqa: BLE001 - whatever fails is told
                    self.failures.append(error)

    def __enter__(self) -> Caller:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


@pytest.mark.slow
def test_a_server_answers_on_while_its_encoder_changes(home: Path, serve: Serve):
    server = serve(home)
    with Wellworn(server.url, agent_id="ann") as memory:
        memory.import_records(
            (
                {
                    "record": "thought",
                    "content": text,
                    "contributor_id": "a",
                    "contributor_name": "A",
                }
                for text in (
                    *FACTS.values(),
                    *(f"Note {at} of the tax office." for at in range(150)),
                )
            ),
            wait="embedded",
        )
    with Caller(server.url) as caller:
        kill_when_staged(home, least_bytes=200_000)
        summary = json.loads(start(home).communicate(timeout=LONG_S)[0])
    assert summary["state"] == "changed"
    assert summary["encoder"].startswith("multilingual-e5-small/")
    assert caller.failures == []
    assert min(caller.answers) > 0
    with Wellworn(server.url, agent_id="eve") as memory:
        for question, fact in FACTS.items():
            assert memory.recall(question).result.sources[0].content == fact
        assert memory.health().embedding.model == summary["encoder"]
