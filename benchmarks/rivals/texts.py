"""What every rival gets of a unit: one text, with who said it and when, as a user would write it.

Rivals take texts, not fields. All get the same one, so that no difference comes from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Doc(Protocol):
    """One unit of the harness; only what is read here."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def speaker(self) -> str: ...
    @property
    def time(self) -> str: ...
    @property
    def extra(self) -> str: ...


class System(Protocol):
    """What the harness measures."""

    def index(self, docs: Sequence[Doc]) -> None:
        """Forget everything, then take in the documents."""
        ...

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        """Return the ids of at most `k` documents, best first, none twice."""
        ...


def told(doc: Doc) -> str:
    """Return a turn as `[when] who: what [image: caption]`, a section under its heading."""
    if not doc.speaker:
        is_said = not doc.extra or doc.text.startswith(doc.extra)
        return doc.text if is_said else f"{doc.extra}\n{doc.text}"
    when = f"[{doc.time}] " if doc.time else ""
    image = f" [image: {doc.extra}]" if doc.extra else ""
    return f"{when}{doc.speaker}: {doc.text}{image}"
