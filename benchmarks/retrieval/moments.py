"""Times as the public data sets write them.

None of them names a zone; they are read as UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from wellworn.kit.clock import to_iso

_FORMS: Final = (
    "%I:%M %p on %d %B, %Y",  # LoCoMo: 1:56 pm on 8 May, 2023
    "%d.%m.%Y, %H:%M:%S",  # REALTALK: 29.12.2023, 22:42:04
    "%B-%d-%Y",  # BEAM: March-15-2024
    "%Y/%m/%d (%a) %H:%M",  # LongMemEval: 2023/05/30 (Tue) 23:40
)


def moment(text: str) -> str | None:
    """Return a data set's time as ISO 8601 in UTC; None for one that cannot be read."""
    for form in _FORMS:
        try:
            read = datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return to_iso(read.timestamp())
    return None
