"""Records cut into requests that the server can answer in time."""

from __future__ import annotations

import json
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from wellworn.client.models import FindableThoughts, Imported

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence

# A batch takes the server a second or two, however long its texts are.
_RECORDS = 1_000
_BYTES = 1024 * 1024
_IN_MEMORY = 16 * 1024 * 1024


class Spool:
    """Records that were read whole before the first is sent, so that it is known what they hold."""

    def __init__(self, records: Iterable[Mapping[str, Any]], file: IO[bytes]) -> None:
        self._file = file
        kinds: set[str] = set()
        for record in records:
            file.write(json.dumps(record, sort_keys=True).encode() + b"\n")
            kinds.add(str(record.get("record")))
        self.kinds = sorted(kinds)

    def split_into_batches(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of records in each batch, and the batch as NDJSON."""
        lines: list[bytes] = []
        size = 0
        self._file.seek(0)
        for line in self._file:
            if lines and (len(lines) == _RECORDS or size + len(line) > _BYTES):
                yield len(lines), b"".join(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line)
        if lines:
            yield len(lines), b"".join(lines)


@contextmanager
def spool(records: Iterable[Mapping[str, Any]]) -> Generator[Spool]:
    """Read records: up to 16 MiB of them wait in memory, more in a temporary file without a name.

    Example:
        with spool(records) as spooled:
            batches = list(spooled.split_into_batches())
    """
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        yield Spool(records, file)


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
