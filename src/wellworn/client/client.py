"""The client itself: one method for each thing a caller can want.

Source: thought tracing v0.2.0, sections 3 to 5; issue 2, point 4.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, cast
from uuid import uuid4

from wellworn.client.decode import decode, decode_all
from wellworn.client.models import (
    Contributor,
    Erased,
    Feedback,
    Findings,
    Found,
    Health,
    Highway,
    Imported,
    Provenance,
    Reply,
    Settled,
    Thought,
)
from wellworn.client.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import httpx2

DEFAULT_URL = "http://127.0.0.1:3200"
# A batch takes the server a few seconds to embed, however long its texts are.
_BATCH_RECORDS = 256
_BATCH_BYTES = 192 * 1024
_BATCH_TIMEOUT_S = 300.0


class Ask(TypedDict, total=False):
    """What may go along with a prompt; the names and limits are those of the HTTP API."""

    context: str | None
    session_id: str | None
    tags: Sequence[str]
    filter_tags: Sequence[str]
    match_all_tags: bool
    exclude_self: bool
    min_score: float | None
    limit: int
    retrieval_method: Literal["hybrid", "vector"] | None
    explain: bool
    idempotency_key: str | None


class Wellworn:
    """A memory at an address, spoken to as one agent.

    Args:
        url: where it is; else the variable WELLWORN_URL, else http://127.0.0.1:3200.
        agent_id: who is talking; contributions and trails are counted for this name.
        agent_name: the same for human eyes; `agent_id` when absent.
        timeout_s: how long one answer may take.
        attempts: how often a call is tried when the connection is lost, at least once.
        transport: stands in for the network, for tests.
        pause: waits the given seconds between attempts.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        agent_id: str = "python",
        agent_name: str | None = None,
        timeout_s: float = 30.0,
        attempts: int = 3,
        transport: httpx2.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.agent_id = agent_id
        self.agent_name = agent_name or agent_id
        self._wire = Wire(
            url or os.environ.get("WELLWORN_URL") or DEFAULT_URL,
            timeout_s=timeout_s,
            attempts=attempts,
            transport=transport,
            pause=pause,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the memory, without a slash at its end."""
        return self._wire.url

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def converse(self, prompt: str, **options: Unpack[Ask]) -> Reply:
        """Say anything: the memory answers, and keeps the prompt if it is an insight."""
        return self._memory(prompt, "auto", options)

    def remember(self, content: str, **options: Unpack[Ask]) -> Reply:
        """Store a thought, short ones and questions included; what is related comes back."""
        return self._memory(content, "always", options)

    def recall(self, question: str, **options: Unpack[Ask]) -> Reply:
        """Ask without storing the question; what is returned is reinforced."""
        return self._memory(question, "never", options)

    def feedback(
        self, session_id: str, thought_id: str, signal: Literal["useful", "irrelevant"]
    ) -> Feedback:
        """Say whether a thought returned in a session helped; a second signal replaces it."""
        body = {"session_id": session_id, "thought_id": thought_id, "signal": signal}
        body["agent_id"] = self.agent_id
        return decode(Feedback, self._wire.send("POST", "/api/v1/memory/feedback", body=body))

    def thought(self, thought_id: str) -> Thought:
        """Read the whole record of a thought; leaves no trail."""
        return decode(Thought, self._wire.send("GET", _thought(thought_id)))

    def provenance(self, thought_id: str, *, depth: int = 20) -> Provenance:
        """Walk from a thought to its sources and to what was built on it, 1 to 20 steps."""
        path = _thought(thought_id) + "/provenance"
        return decode(Provenance, self._wire.send("GET", path, params={"depth": depth}))

    def highways(
        self,
        *,
        min_access: int = 3,
        min_users: int = 2,
        limit: int = 20,
        sort_by: Literal["traffic", "pheromone", "recent", "use"] = "traffic",
    ) -> tuple[Highway, ...]:
        """List what several agents keep coming back to."""
        params = {"min_access": min_access, "min_users": min_users}
        params |= {"limit": limit, "sort_by": sort_by}
        return decode_all(Highway, self._wire.send("GET", "/api/v1/highways", params=params))

    def contributor(self, contributor_id: str) -> Contributor:
        """Read what an agent contributed and how often that was asked for."""
        path = f"/api/v1/contributors/{_segment(contributor_id)}"
        return decode(Contributor, self._wire.send("GET", path))

    def erase(self, thought_id: str, *, reason: str | None = None) -> Erased:
        """Remove a thought's content and vector for good; that it was there stays known."""
        body = _given({"agent_id": self.agent_id, "reason": reason})
        return decode(Erased, self._wire.send("DELETE", _thought(thought_id), body=body))

    def search(
        self, query: str, *, limit: int = 10, filter_tags: Sequence[str] = ()
    ) -> tuple[Found, ...]:
        """Look something up and leave no trail, for tools and tests."""
        params = {"q": query, "limit": limit, "filter_tags": list(filter_tags)}
        answer = self._wire.send("GET", "/api/v1/search", params=params)
        return decode(Findings, answer).results

    def health(self) -> Health:
        """Ask how the parts of the server are."""
        return decode(Health, self._wire.send("GET", "/api/v1/health"))

    def export(self) -> Iterator[dict[str, Any]]:
        """Stream every record in canonical order."""
        return self._wire.lines("/api/v1/export")

    def import_records(
        self,
        records: Iterable[Mapping[str, Any]],
        *,
        on_batch: Callable[[int], None] | None = None,
    ) -> Imported:
        """Send records in batches; records that are there already are passed over.

        An interrupted import is resumed by running it again. `on_batch` is told the number of
        records of each batch that was taken.
        """
        imported = known = 0
        for count, batch in _batches(records):
            answer = decode(Imported, self._bring(batch))
            imported, known = imported + answer.imported, known + answer.known
            if on_batch is not None:
                on_batch(count)
        return Imported(imported=imported, known=known)

    def _bring(self, batch: bytes) -> Any:
        return self._wire.send("POST", "/api/v1/import", body=batch, timeout_s=_BATCH_TIMEOUT_S)

    def decay(self) -> Settled:
        """Bring every stored weight up to the present; reading never needs it."""
        return decode(Settled, self._wire.send("POST", "/api/v1/maintenance/decay"))

    def _memory(self, prompt: str, contribute: str, options: Ask) -> Reply:
        said = _given(cast("dict[str, Any]", options))
        key = said.pop("idempotency_key", None) or str(uuid4())
        body = {**said, "prompt": prompt, "contribute": contribute}
        body |= {"agent_id": self.agent_id, "agent_name": self.agent_name}
        headers = {"idempotency-key": key}
        return decode(Reply, self._wire.send("POST", "/api/v1/memory", body=body, headers=headers))


def _thought(thought_id: str) -> str:
    return f"/api/v1/thoughts/{_segment(thought_id)}"


def _segment(text: str) -> str:
    """Percent-encode a text so that it is one part of a path, whatever it contains."""
    return "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_") else _escaped(letter)
        for letter in text
    )


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode())


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }


def _batches(records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, bytes]]:
    lines: list[bytes] = []
    size = 0
    for record in records:
        line = json.dumps(record, sort_keys=True).encode() + b"\n"
        if lines and (len(lines) == _BATCH_RECORDS or size + len(line) > _BATCH_BYTES):
            yield len(lines), b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield len(lines), b"".join(lines)
