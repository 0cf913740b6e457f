"""Records cut into requests that the server can answer in time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from wellworn.client.models import FindableThoughts, Imported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A batch takes the server a second or two, however long its texts are.
_RECORDS = 1_000
_BYTES = 1024 * 1024


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


def merge_imports(answers: Sequence[Imported]) -> Imported:
    """Return the sums of what was said of several batches."""
    findable = [answer.findable for answer in answers]
    return Imported(
        imported=sum(answer.imported for answer in answers),
        known=sum(answer.known for answer in answers),
        clashing=tuple(dict.fromkeys(turn for answer in answers for turn in answer.clashing)),
        findable=FindableThoughts(
            thoughts=sum(part.thoughts for part in findable),
            by_words=sum(part.by_words for part in findable),
            by_meaning=sum(part.by_meaning for part in findable),
        ),
    )
