"""Outline: what a space holds, laid out to be browsed, and the text of each place in it."""

from wellworn.domain.outline.models import (
    LONGEST_NAME,
    Node,
    NodeKind,
    OutlineAnswer,
    TextPage,
    TextPart,
)
from wellworn.domain.outline.names import to_node_id
from wellworn.domain.outline.service import LONGEST_PAGE, PAGE, Outline

__all__ = [
    "LONGEST_NAME",
    "LONGEST_PAGE",
    "PAGE",
    "Node",
    "NodeKind",
    "Outline",
    "OutlineAnswer",
    "TextPage",
    "TextPart",
    "to_node_id",
]
