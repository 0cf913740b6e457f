"""How a long run of the encoder makes way for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from wellworn.engines.embedding.models import Embedder, Encoded


def _go_on() -> None:
    """Wait for nobody."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many texts are encoded at once, and what is waited for between them.

    Attributes:
        most: texts from one pause to the next, in each thread.
        threads: how many encode at once.
        wait: returns when the encoder may go on; what it raises ends the run.
    """

    most: int = 16
    threads: int = 2
    wait: Callable[[], None] = _go_on


AT_ONCE: Final = Pace()
"""Without making way for anybody."""


def encode_paced(embedder: Embedder, texts: Sequence[str], pace: Pace) -> list[Encoded]:
    """Encode texts at a pace; return them in their order.

    Raises:
        EmbeddingFailed: the encoder failed.
    """
    # Texts of one length share a batch without padding.
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    parts = [order[start : start + pace.most] for start in range(0, len(order), pace.most)]

    def encode(part: Sequence[int]) -> list[Encoded]:
        pace.wait()
        return embedder.encode([texts[at] for at in part])

    by_place: dict[int, Encoded] = {}
    with ThreadPoolExecutor(pace.threads, "encoder") as threads:
        for part, encoded in zip(parts, threads.map(encode, parts), strict=True):
            by_place.update(zip(part, encoded, strict=True))
    return [by_place[at] for at in range(len(texts))]
