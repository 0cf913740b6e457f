"""Read what MCP quotes."""

from __future__ import annotations

import re

_FENCED = re.compile(r"<wellworn-memory ([0-9a-f]{16,})>\n(.*)\n</wellworn-memory \1>", re.DOTALL)


def quoted(text: str) -> str:
    """Return what stands between the two delimiters of a quotation, which is nothing but that."""
    match = _FENCED.fullmatch(text)
    assert match is not None, text
    return match[2]
