"""Versions of the features of thoughts: which model and rules made them, and what is still to come.

Only rows say which thoughts wait to be embedded, so that a killed process loses nothing.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final, Self

from wellworn.engines.embedding import Embedder

RULES: Final = 3
"""Version of the rules; raising it indexes all thoughts again."""


@dataclass(frozen=True, slots=True)
class FeatureVersions:
    """The versions that are used beside one encoder.

    Attributes:
        whole: all passages are embedded.
        begun: the first passage is embedded, and the others are found by their words.
        words: found by its words; no model made anything of it.
    """

    whole: int
    begun: int
    words: int

    @classmethod
    def of(cls, embedder: Embedder) -> Self:
        """Return the versions of an encoder with the rules of today."""
        return cls(
            whole=_number(f"{embedder.name} {RULES}"),
            begun=_number(f"{embedder.name} {RULES} begun"),
            words=_number(f"words of thoughts {RULES}"),
        )

    @property
    def waiting(self) -> frozenset[int]:
        """Those of thoughts that wait to be embedded."""
        return frozenset({self.begun, self.words})

    @property
    def usable(self) -> frozenset[int]:
        """Those whose features ranking reads."""
        return self.waiting | {self.whole}


def _number(name: str) -> int:
    return zlib.crc32(name.encode())
