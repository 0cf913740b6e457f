"""Two tools to look around in memory and to read what is there, without a question.

Source: issue 4, point 6.
"""

from __future__ import annotations

from wellworn.domain.outline import Node, Part, numbered_id
from wellworn.domain.spaces import Access
from wellworn.engines.safety import neutralised
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import introductions, wording
from wellworn.interfaces.mcp import results as returns
from wellworn.interfaces.mcp.backend import Backend
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.tools.tool import Told, Tool
from wellworn.kit.clock import iso


def _outline(memory: Backend, access: Access, caller: Caller, given: takes.Outline) -> Told:
    del caller  # nobody's trail is worn
    found = memory.outline(access, given.of, depth=given.depth, offset=given.offset)
    outlined = returns.Outlined(
        note=introductions.of_outline(found),
        node=found.node and _node(found.node),
        candidates=[_node(one) for one in found.candidates],
    )
    return outlined, wording.outlined(outlined)


def _read(memory: Backend, access: Access, caller: Caller, given: takes.Read) -> Told:
    del caller
    found = memory.read(access, given.node, offset=given.offset)
    passage = returns.Passage(
        note=introductions.of_passage(found),
        parts=[_part(one) for one in found.parts],
        characters=found.characters,
        next_offset=found.next_offset,
        candidates=[_node(one) for one in found.candidates],
    )
    return passage, wording.passage(passage)


def _node(node: Node) -> returns.Node:
    return returns.Node(
        id=neutralised(node.id),
        kind=node.kind.value,
        title=neutralised(node.title),
        count=node.count,
        size=node.size,
        opening=neutralised(node.opening),
        children=[_node(one) for one in node.children],
        next_offset=node.next_offset,
    )


def _part(part: Part) -> returns.Part:
    # Of a document an agent wants what it can name to other tools.
    is_document = bool(part.citation)
    return returns.Part(
        source=numbered_id(int(part.source)) if is_document else part.source,
        contributor=neutralised(part.contributor),
        created_at=iso(part.created_at),
        start=part.start,
        end=part.end,
        text=neutralised(part.text),
        citation=neutralised(part.citation),
    )


TOOLS = (
    Tool(
        "outline",
        "Outline",
        "Browse sources, documents, sessions, tags and topics. `of` is an id, name or citation.",
        takes.Outline,
        _outline,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "read",
        "Read",
        "Read a node of the outline by pages.",
        takes.Read,
        _read,
        read_only=True,
        idempotent=True,
    ),
)
