"""Many clients in one process of their own: bare sockets, prepared bytes, JSON only afterwards.

`loaded` starts the process, `python -m benchmarks.load` is it: a job comes in on stdin and its
outcome goes out on stdout, both as JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass

from benchmarks.processes import ROOT, environment
from benchmarks.wire import memory_body


@dataclass(frozen=True)
class Job:
    """Ask for some seconds, each client for itself, as an agent of its own."""

    port: int
    questions: list[str]
    clients: int
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What came of it; `returned` says how often each thought was among the answers' sources."""

    seconds: float
    latencies_s: list[float]
    returned: dict[str, int]

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies_s) / self.seconds


def loaded(job: Job) -> Outcome:
    """Run the job in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load"],
        input=json.dumps(asdict(job)).encode(),
        stdout=subprocess.PIPE,
        env=environment(),
        cwd=ROOT,
        check=True,
    )
    return Outcome(**json.loads(done.stdout))


async def worked(job: Job) -> Outcome:
    """Let all clients ask until the time is over; answers under way are awaited."""
    began = time.perf_counter()
    clients = [_client(job, number, began + job.seconds) for number in range(job.clients)]
    answers = [answer for part in await asyncio.gather(*clients) for answer in part]
    seconds = time.perf_counter() - began
    returned = Counter(
        source["thought_id"]
        for _, body in answers
        for source in json.loads(body)["result"]["sources"]
    )
    return Outcome(seconds, [took for took, _ in answers], dict(returned))


async def _client(job: Job, number: int, until: float) -> list[tuple[float, bytes]]:
    agent = f"client-{number}"
    asked = job.questions[number:] + job.questions[:number]  # not all the same at the same time
    requests = [_request(memory_body(text, agent_id=agent)) for text in asked]
    reader, writer = await asyncio.open_connection("127.0.0.1", job.port)
    answers: list[tuple[float, bytes]] = []
    while (began := time.perf_counter()) < until:
        writer.write(requests[len(answers) % len(requests)])
        body = await _answer(reader)
        answers.append((time.perf_counter() - began, body))
    writer.close()
    return answers


def _request(body: bytes) -> bytes:
    head = (
        "POST /api/v1/memory HTTP/1.1\r\nhost: 127.0.0.1\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
    body = await reader.readexactly(length)
    if b" 200 " not in head[:20]:
        raise RuntimeError(body.decode())
    return body


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(worked(Job(**json.load(sys.stdin)))))))
