"""One kept-open connection to a server, with little between the clock and the wire."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, Self

_TIMEOUT_S = 300.0
_DONE = {http.HTTPStatus.OK, http.HTTPStatus.CREATED}
_JSON = {"content-type": "application/json"}
_LINES = {"content-type": "application/x-ndjson"}


class Caller:
    """Calls one server over one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def reconnect(self) -> None:
        """Open the connection anew, which a server closes after some idle seconds."""
        self._connection.close()
        self._connection.connect()

    def asked(self, prompt: str, **more: Any) -> tuple[float, dict[str, Any]]:
        """Recall; return the seconds it took, without JSON on this side, and the answer."""
        body = memory_body(prompt, **more)
        began = time.perf_counter()
        answer = self._exchange("POST", "/api/v1/memory", body, _JSON)
        seconds = time.perf_counter() - began
        return seconds, json.loads(answer)

    def get(self, path: str) -> Any:
        """Read a path."""
        return json.loads(self._exchange("GET", path, None, {}))

    def send(self, method: str, path: str, raw: bytes | None = None) -> Any:
        """Send bytes of any kind."""
        kind = {"content-type": "application/octet-stream"}
        return json.loads(self._exchange(method, path, raw, kind if raw is not None else {}))

    def bring(self, records: Iterable[Mapping[str, Any]], *, wait: str = "words") -> dict[str, Any]:
        """Import one batch of records; return once they are found by words, or `embedded`."""
        body = "".join(json.dumps(record) + "\n" for record in records).encode()
        return json.loads(self._exchange("POST", f"/api/v1/import?wait={wait}", body, _LINES))

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> bytes:
        self._connection.request(method, path, body, dict(headers))
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status not in _DONE:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.decode()[:500]}")
        return content


def memory_body(prompt: str, *, agent_id: str = "asker", **more: Any) -> bytes:
    """Return the body of a call that asks and never stores."""
    said = {"prompt": prompt, "agent_id": agent_id, "agent_name": agent_id, "contribute": "never"}
    return json.dumps({**said, **more}).encode()
