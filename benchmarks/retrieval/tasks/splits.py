"""What may be tuned on and what is held out, by rule, so that no list of ids has to be trusted.

Conversations are split whole: a question of a test conversation tells of its haystack. Data sets
with one shared corpus are split by question.
"""

from __future__ import annotations

import zlib
from typing import Literal

Split = Literal["dev", "test", "all"]
"""`dev` is for tuning, `test` only for publishing, `all` is both."""


def is_kept(split: Split, *, is_dev: bool) -> bool:
    """Tell whether a part of a data set is in the split."""
    return split == "all" or is_dev == (split == "dev")


def coin(text: str) -> bool:
    """Toss a fixed, even coin for a question: heads is dev."""
    return zlib.crc32(text.encode()) % 2 == 0
