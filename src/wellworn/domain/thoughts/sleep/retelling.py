"""The port to what says in its own words what several thoughts say, and how that is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wellworn.domain.thoughts.store import ThoughtExcerpt


@dataclass(frozen=True, slots=True)
class RetoldClaim:
    """A sentence, and the seqs of the thoughts that bear it out."""

    text: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Retelling:
    """What several thoughts say; without claims, nothing that can be kept was said.

    Attributes:
        is_away: nobody could be asked, so it is worth asking again.
    """

    claims: tuple[RetoldClaim, ...]
    is_away: bool = False


class Reteller(Protocol):
    """Says in its own words what thoughts say, and nothing that they do not bear out."""

    def retell(self, sayings: Sequence[ThoughtExcerpt], /) -> Retelling: ...


def write_told(claims: Sequence[RetoldClaim]) -> str:
    """Return sentences as they are stored; empty without any."""
    rows = [[claim.text, list(claim.seqs)] for claim in claims]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def read_told(stored: str | None) -> list[RetoldClaim]:
    """Return the sentences that are stored."""
    return [RetoldClaim(text, tuple(seqs)) for text, seqs in json.loads(stored or "[]")]
