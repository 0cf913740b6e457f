"""Outline: what a space holds, laid out to be browsed, and the text of each place in it."""

from wellworn.domain.outline.models import LONGEST_NAME, Node, NodeKind, Outlined, Part, Passage
from wellworn.domain.outline.names import numbered_id
from wellworn.domain.outline.service import LONGEST_PAGE, PAGE, Outline

__all__ = [
    "LONGEST_NAME",
    "LONGEST_PAGE",
    "PAGE",
    "Node",
    "NodeKind",
    "Outline",
    "Outlined",
    "Part",
    "Passage",
    "numbered_id",
]
