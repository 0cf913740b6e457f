"""The body of an answer: decompressed piece by piece, and cut off at the limit.

A megabyte of gzip can hold gigabytes. So nothing is inflated beyond one piece ahead of the count,
and a stream that ends early is an error, not a shorter document.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

_PIECE = 256 * 1024
_GZIP = 31  # zlib's window bits for the gzip format alone
PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})


def read_at_most(pieces: Iterable[bytes], most_bytes: int) -> bytes | None:
    """Join the pieces; None as soon as they are more than `most_bytes`."""
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > most_bytes:
            return None
    return bytes(whole)


def decompress_gzip(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Unpack gzip, of one or several members, in pieces of at most 256 kB.

    Raises:
        zlib.error: the data is damaged or ends early.
    """
    inflater = zlib.decompressobj(_GZIP)
    begun = False
    for packed in pieces:
        rest = packed
        while rest:
            if inflater.eof:
                inflater = zlib.decompressobj(_GZIP)
            begun = True
            while piece := inflater.decompress(rest, _PIECE):
                yield piece
                rest = inflater.unconsumed_tail
            rest = inflater.unused_data
    if begun and not inflater.eof:
        raise zlib.error
