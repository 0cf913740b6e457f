"""Reading: which stretch of some passages answers a question, and with which words."""

from wellworn.domain.reading.passages import (
    PassageReader,
    Readable,
    ReadStretch,
    find_part,
    list_identifiers,
)

__all__ = ["PassageReader", "ReadStretch", "Readable", "find_part", "list_identifiers"]
