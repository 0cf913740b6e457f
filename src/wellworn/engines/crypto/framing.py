"""Several values as one run of bytes that can be read in one way only.

What a seal or a signature is bound to must not be ambiguous: ("ab", "c") and ("a", "bc") are two
statements. So every part carries its kind and its length.

Source: research of sealed spaces, section B2.
"""

from __future__ import annotations

import struct

Part = bytes | str | int | float | None


def framed(*parts: Part) -> bytes:
    """Return the parts as kind, length and content, one after the other.

    Whole numbers have 64 bits with a sign, others are IEEE doubles.

    Raises:
        OverflowError: a whole number needs more than 64 bits.
    """
    return b"".join([_frame(part) for part in parts])


def _frame(part: Part) -> bytes:
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
