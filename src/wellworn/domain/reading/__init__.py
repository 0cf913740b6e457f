"""Reading: which stretch of some passages answers a question, and with which words."""

from wellworn.domain.reading.passages import (
    MOST_READ,
    PassageReader,
    Readable,
    ReadStretch,
    find_part,
    list_identifiers,
)
