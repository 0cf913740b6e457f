"""`toolresults.md`: what every tool was asked and gave, beside `context.md`.

Of documents only what answers is quoted. What stands near it is named, as they are there to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wellworn.domain.turns.citing import format_block, format_label
from wellworn.domain.turns.context_document import format_companion
from wellworn.domain.turns.models import (
    Evidence,
    EvidenceKind,
    ToolCall,
    ToolRequest,
    ToolResult,
    Turn,
)
from wellworn.domain.turns.sections import format_field, format_quote, format_words, join_blocks

FILE: Final = "toolresults.md"
_LONGEST_RESULT: Final = 4_000


def format_results(turn: Turn, calls: Sequence[ToolCall]) -> str:
    """Return the document of all calls of a turn, those of further attempts last."""
    head = format_companion(turn, "toolresults", f"Tool results of turn {turn.number}")
    parts = [_format_call(number, call) for number, call in enumerate(calls, 1)]
    return f"{join_blocks(head, *parts)}\n"


def _format_call(number: int, call: ToolCall) -> str:
    result = call.result
    quoted = [item for item in result.evidence if _is_quoted(item)]
    near = [_format_near(item) for item in result.evidence if not _is_quoted(item)]
    is_quoted = any(item.text == result.message for item in quoted)
    return join_blocks(
        f"## {number}. {format_words(call.request.tool)}",
        format_field("Arguments", format_arguments(call.request) or "none"),
        format_field("Outcome", name_outcome(result)),
        "" if is_quoted else format_field("Result", result.message),
        *(
            join_blocks(_format_source(item), format_quote(item.text[:_LONGEST_RESULT]))
            for item in quoted
        ),
        "\n".join(dict.fromkeys(near)),
    )


def format_arguments(request: ToolRequest) -> str:
    return format_words(
        ", ".join(f'{name}="{value[:80]}"' for name, value in request.arguments.items())
    ).replace("`", "'")


def name_outcome(result: ToolResult) -> str:
    """Return how a call ended; one that worked and found nothing that answers is no success."""
    if not result.is_ok:
        return "FAILED"
    return "NO ANSWER" if result.is_empty else "SUCCESS"


def _is_quoted(item: Evidence) -> bool:
    return bool(item.number) or item.kind is not EvidenceKind.KNOWLEDGE


def _format_source(item: Evidence) -> str:
    block = format_block(item)
    line = f"**{format_label(item)}** {format_words(item.title)} · `{format_words(item.source)}`"
    return f"{line} ^{block}" if block else line


def _format_near(item: Evidence) -> str:
    return f"- {format_label(item)} {format_words(item.title)} · `{format_words(item.source)}`"
