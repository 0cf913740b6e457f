"""Two tools to look around in memory and to read what is there, without a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.domain.outline import TextPart as PartValue
from wellworn.domain.outline import to_node_id
from wellworn.domain.spaces import Access
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp import introductions, wording
from wellworn.interfaces.mcp import results as returns
from wellworn.interfaces.mcp.caller import Caller
from wellworn.interfaces.mcp.tools.tool import Tool, ToolAnswer

if TYPE_CHECKING:
    from wellworn.application.calls import App


def _outline(
    app: App, access: Access, caller: Caller, arguments: takes.OutlineArguments
) -> ToolAnswer:
    del caller  # nobody's trail is worn
    outline = app.outline(access, arguments.of, depth=arguments.depth, offset=arguments.offset)
    outlined = returns.Outlined.of(outline, note=introductions.of_outline(outline))
    names = app.guard.thought_ids.shorten_places(access, wording.list_node_ids(outlined))
    return outlined, wording.format_outline(outlined, names)


def _read(app: App, access: Access, caller: Caller, arguments: takes.Read) -> ToolAnswer:
    del caller
    page = app.read(access, arguments.node, offset=arguments.offset)
    passage = returns.OutlinePage.of(
        page, note=introductions.of_passage(page), parts=tuple(map(_describe, page.parts))
    )
    places = (*wording.list_node_ids(passage), *(part.source for part in passage.parts))
    names = app.guard.thought_ids.shorten_places(access, places)
    return passage, wording.format_passage(passage, names)


def _describe(part: PartValue) -> returns.Stretch:
    # Of a document an agent wants what it can name to other tools.
    if part.citation:
        return returns.Stretch.of(part, source=to_node_id(int(part.source)))
    return returns.Stretch.of(part)


TOOLS = (
    Tool(
        "outline",
        "Outline",
        "Browse sources, documents, sessions, tags, topics. `of`: id, name or citation.",
        takes.OutlineArguments,
        _outline,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "read",
        "Read",
        "Read an outline node by pages.",
        takes.Read,
        _read,
        read_only=True,
        idempotent=True,
    ),
)
