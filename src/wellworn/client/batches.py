"""Records cut into requests that the server can answer in time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# A batch takes the server a few seconds to embed, however long its texts are.
_RECORDS = 256
_BYTES = 192 * 1024


def split_into_batches(records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of records in each batch, and the batch as NDJSON."""
    lines: list[bytes] = []
    size = 0
    for record in records:
        line = json.dumps(record, sort_keys=True).encode() + b"\n"
        if lines and (len(lines) == _RECORDS or size + len(line) > _BYTES):
            yield len(lines), b"".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield len(lines), b"".join(lines)
