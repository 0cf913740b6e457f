"""A server keeps answering while another encoder is brought in, however often that is killed."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from journeys.conftest import Serve, clean_environment, program
from own_encoders import E5
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
    folder = home / "index.next"
    return sum(path.stat().st_size for path in folder.rglob("*")) if folder.exists() else 0


@pytest.fixture
def open_clients() -> Iterator[ExitStack]:
    """Clients that are closed with the test."""
    with ExitStack() as stack:
        yield stack


@pytest.mark.timeout(170)
@pytest.mark.slow
def test_a_server_answers_on_while_its_encoder_changes(
    home: Path, serve: Serve, open_clients: ExitStack
):
    server = serve(home)
    memory = open_clients.enter_context(Wellworn(server.url))
    for fact in FACTS.values():
        memory.remember(fact, agent_id="ann", agent_name="Ann")
    for number in range(150):
        memory.remember(f"Note {number} of the tax office.", agent_id="ann", agent_name="Ann")
    failures: list[Exception] = []
    answered: list[int] = []
    done = threading.Event()

    def ask_on() -> None:
        with Wellworn(server.url) as caller:
            while not done.is_set():
                try:
                    answered.append(len(caller.recall("tax office", agent_id="bob").sources))
                except Exception as error:  # noqa: BLE001 - whatever fails is told
                    failures.append(error)

    callers = [threading.Thread(target=ask_on) for _ in range(2)]
    for caller in callers:
        caller.start()
    try:
        # Killed when it has written its first bytes, and again when it has written more.
        for least in (1, 200_000):
            run = start(home)
            while staged(home) < least and run.poll() is None:
                done.wait(0.02)
            run.kill()
            run.communicate()
        output, _ = start(home).communicate(timeout=150)
    finally:
        done.set()
        for caller in callers:
            caller.join()
    summary = json.loads(output)
    assert summary["state"] == "changed"
    assert summary["encoder"].startswith("multilingual-e5-small/")
    assert failures == []
    assert min(answered) > 0
    for question, fact in FACTS.items():
        assert memory.recall(question, agent_id="eve").sources[0].content == fact
    assert memory.health().embedding.model == summary["encoder"]
    again, _ = start(home).communicate(timeout=60)
    assert json.loads(again)["state"] == "unchanged"
