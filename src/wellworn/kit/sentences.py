"""Tells where a sentence does not end at a dot: behind initials and short forms.

Short forms are told by their letters, not by a list: a word of a language has a vowel, and "St.",
"Dr." and "hrs." have none. Names in capitals, such as NFS, end sentences like other words.
"""

from __future__ import annotations

from typing import Final

_FIRST: Final = "[B-DF-HJ-NP-TV-Xb-df-hj-np-tv-xZz]"
_OTHER: Final = "[b-df-hj-np-tv-xz]"

NOT_SHORT: Final = r"(?<!\b[A-Za-z]\.)" + "".join(
    rf"(?<!\b{_FIRST}{_OTHER * length}\.)" for length in (1, 2, 3)
)
"""Part of a pattern: stands right behind the mark that may end a sentence."""
