"""Splits a unit into what its vector and what its keywords are made of.

A thought's vector is of its content alone, as specified. A turn's says who spoke (recall@10 of the
vector .365 without, .460 with); its keywords also say when, since questions name days (fused .692
without, .714 with). In the vector the day only blurs: it lowers every pair tried.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from wellworn.engines.retrieval.text.moments import MONTHS
from wellworn.engines.retrieval.weights import Kind
from wellworn.kit.folding import fold_forms


class IndexedText(NamedTuple):
    """The texts behind the two scores of a unit."""

    vector: str
    keyword: str


def split_indexed_text(
    kind: Kind, content: str, *, speaker: str = "", when: str = ""
) -> IndexedText:
    """Return the two texts, folded; `when` is ISO 8601, or no date and ignored."""
    content, speaker = fold_forms(content), fold_forms(speaker)
    if kind == "thought":
        return IndexedText(content, f"{speaker}: {content}" if speaker else content)
    spoken = f"{speaker}: {content}" if speaker else content
    heading = ", ".join(part for part in (speaker, _format_day(when)) if part)
    return IndexedText(spoken, f"{heading}: {content}" if heading else content)


def _format_day(when: str) -> str:
    try:
        day = date.fromisoformat(when[:10])
    except ValueError:
        return ""
    # English whatever the machine's language: what is stored must not depend on where.
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
