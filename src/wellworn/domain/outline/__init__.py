"""Outline: what a space holds, laid out to be browsed, and the text of each place in it."""

from wellworn.domain.outline.models import Node, NodeKind, OutlineAnswer, TextPage, TextPart
from wellworn.domain.outline.names import to_node_id
from wellworn.domain.outline.service import PAGE, Outline
