"""What every rival gets of a unit: one text, with who said it and when, as a user would write it.

Rivals take texts, not fields. All get the same one, so that no difference comes from it.
"""

from __future__ import annotations

from benchmarks.retrieval.models import Doc


def told(doc: Doc) -> str:
    """Return a turn as `[when] who: what [image: caption]`, a section under its heading."""
    if not doc.speaker:
        is_said = not doc.extra or doc.text.startswith(doc.extra)
        return doc.text if is_said else f"{doc.extra}\n{doc.text}"
    when = f"[{doc.time}] " if doc.time else ""
    image = f" [image: {doc.extra}]" if doc.extra else ""
    return f"{when}{doc.speaker}: {doc.text}{image}"
