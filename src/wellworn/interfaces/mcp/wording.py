"""What the model reads: recalled thoughts fenced as data, each with who said it, when, and its id.

The fence has a number that nobody could know who wrote a thought, and names outside of it stand in
JSON quotes, so nothing an agent once said can end the fence or look like a line of ours.

Source: issue 2, point 4; issue 4, point 6; thought tracing v0.2.0, sections 3.7 to 3.9;
shared-memory threat model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wellworn.engines.safety import Fence, Quote, fenced, new_nonce

if TYPE_CHECKING:
    from wellworn.interfaces.mcp.results import Node, Outlined, Part, Passage, Related, Thought

LONGEST_QUOTE = 1_500
"""Characters of one thought shown in a list; `fetch` has the whole."""


def recalled(answer: Related, nonce: str | None = None) -> str:
    """Return an answer of memory as text; `nonce` marks its fence, a fresh one by default."""
    fence = Fence(nonce or new_nonce())
    parts = [_stored(answer), _thoughts(answer, fence), *_asides(answer, fence)]
    parts.append(f"Session: {answer.session_id} (for a follow-up or feedback)")
    return "\n\n".join(part for part in parts if part)


def erased(thought_id: str, erased_at: str) -> str:
    """Confirm an erasure; `erased_at` is ISO 8601."""
    return f"Thought {thought_id} was erased at {erased_at}. Its trace remains without its content."


def weighed(thought_id: str, weight: float) -> str:
    """Confirm feedback."""
    return f"Noted. Thought {thought_id} now weighs {weight:.4g}."


def outlined(found: Outlined, nonce: str | None = None) -> str:
    """Return an outline as text, an indented line a node."""
    if found.node is None:
        return _several(found.note, found.candidates, nonce)
    lines = [line for one in found.node.children for line in _lines(one, 0)]
    about = f"{_told(found.node)}{_more(found.node)}"
    return _quoted(found.note, [Quote("\n".join(lines) or "nothing is below it", about)], nonce)


def passage(found: Passage, nonce: str | None = None) -> str:
    """Return a page of text, each stretch with the source it is from."""
    if found.candidates:
        return _several(found.note, found.candidates, nonce)
    if not found.parts:
        return "Nothing is left to read here."
    told = _quoted(found.note, [_stretch(part) for part in found.parts], nonce)
    if found.next_offset is None:
        return told
    return f"{told}\n\nRead on with offset {found.next_offset}, of {found.characters} characters."


def _quoted(note: str, quotes: Sequence[Quote], nonce: str | None) -> str:
    return f"{note}\n\n{fenced(quotes, nonce or new_nonce())}"


def _several(note: str, candidates: Sequence[Node], nonce: str | None) -> str:
    quotes = [Quote("\n".join(map(_told, candidates)), "what the name may mean")]
    return f"The name is not clear; take an id. {_quoted(note, quotes, nonce)}"


def _lines(node: Node, depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}{_told(node)}{_more(node) if node.children else ''}"
    for one in node.children:
        yield from _lines(one, depth + 1)


def _told(node: Node) -> str:
    below = f", {node.count} below" if node.count else ""
    of = f", of {node.size} thoughts" if node.size > 1 else ""
    opening = f": {json.dumps(node.opening, ensure_ascii=False)}" if node.opening else ""
    named = json.dumps(node.title, ensure_ascii=False)
    return f"{node.kind} {named} [{node.id}]{below}{of}{opening}"


def _more(node: Node) -> str:
    return "" if node.next_offset is None else f" (goes on at offset {node.next_offset})"


def _stretch(part: Part) -> Quote:
    by = json.dumps(part.citation or part.contributor, ensure_ascii=False)
    place = f"characters {part.start} to {part.end} of {part.source}"
    return Quote(part.text, f"{place} by {by} at {part.created_at}")


def _stored(answer: Related) -> str:
    if answer.thought_id is None:
        return ""
    if answer.stored:
        return f"Stored as thought {answer.thought_id}."
    return f"Known already as thought {answer.thought_id}; your agreement is recorded."


def _thoughts(answer: Related, fence: Fence) -> str:
    found = len(answer.thoughts)
    if answer.outline:
        quote = Quote(answer.outline, "outline; the tool read takes what is in square brackets")
        return f"{answer.note}\n\n{fenced([quote], fence.nonce)}"
    if not found:
        return "Nothing related is known yet."
    quotes = fenced([_quote(thought) for thought in answer.thoughts], fence.nonce)
    head = f"{found} related {'thought' if found == 1 else 'thoughts'}. {answer.note}"
    return f"{head}\n\n{quotes}"


def _quote(thought: Thought) -> Quote:
    by = f"by {json.dumps(thought.contributor)} at {thought.created_at}, score {thought.score:.2f}"
    tags = f", tags {', '.join(map(json.dumps, thought.tags))}" if thought.tags else ""
    why = f", why {json.dumps(thought.why)}" if thought.why else ""
    shown = thought.content[:LONGEST_QUOTE]
    cut = " (cut; fetch has the whole)" if len(shown) < len(thought.content) else ""
    return Quote(shown, f"thought {thought.thought_id} {by}{tags}{why}{cut}")


def _asides(answer: Related, fence: Fence) -> list[str]:
    asides: list[str] = []
    if answer.areas:
        named = ", ".join(f"{_name(area.tag, fence)} ({area.count})" for area in answer.areas)
        asides.append(f"Several areas fit: {named}. Ask again in this session and name one.")
    if answer.highways_nearby:
        named = ", ".join(_name(one, fence) for one in answer.highways_nearby)
        asides.append(f"Highways nearby: {named}")
    if answer.often_needed_next:
        needed = ", ".join(
            f"{_name(one.label, fence)} (thought {one.thought_id})"
            for one in answer.often_needed_next
        )
        asides.append(f"Often needed next: {needed}")
    if answer.guidance:
        asides.append(answer.guidance)
    return asides


def _name(text: str, fence: Fence) -> str:
    return json.dumps(fence.tamed(text))
