"""An unambiguous encoding of several values as bytes.

What a seal or a signature is bound to must not be ambiguous: ("ab", "c") and ("a", "bc") are two
statements. So every part carries its type and its length.
"""

from __future__ import annotations

import struct

Part = bytes | str | int | float | None


def encode_parts(*parts: Part) -> bytes:
    """Encode each part as its type, length and content, and concatenate them.

    Integers are encoded as signed 64 bits, floats as IEEE doubles.

    Raises:
        OverflowError: an integer needs more than 64 bits.
    """
    return b"".join([_encode_part(part) for part in parts])


def _encode_part(part: Part) -> bytes:
    if part is None:
        return b"n"
    if isinstance(part, int):
        return b"i" + part.to_bytes(8, "big", signed=True)
    if isinstance(part, float):
        return b"f" + struct.pack(">d", part)
    if isinstance(part, str):
        content = part.encode("utf-8", "surrogatepass")
        return b"s" + len(content).to_bytes(4, "big") + content
    return b"b" + len(part).to_bytes(4, "big") + part
