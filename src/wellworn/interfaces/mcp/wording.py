"""Words memory for the model: thoughts fenced as data, each with who said it, when, its id.

The fence has a number that nobody could know who wrote a thought, and names outside of it stand in
JSON quotes, so nothing an agent once said can end the fence or look like a line of ours.

Source: `docs/security.md`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from wellworn.engines.safety import Fence, Quote, fence_quotes, new_nonce
from wellworn.kit.clock import drop_fraction
from wellworn.kit.likelihood import PROBABLE
from wellworn.kit.text import LONGEST_SHOWN_NAME, shorten

if TYPE_CHECKING:
    from wellworn.interfaces.mcp.results import Node, Outlined, OutlinePage, Part, Related, Thought

_STORED_BESIDE = "If it replaces one of these, remember it again with `replaces` and its id."
_CONFIRM = "If it is right, remember it again with `replaces` and that id. "
_TAKE_BACK = "If it is wrong, take it back: `wellworn thought unreplace {}` and the other's id."
_LONGEST_SPAN = 120
LONGEST_QUOTE = 1_500
"""Characters of one thought shown in a list; `fetch` has all."""


def list_thought_ids(answer: Related) -> Iterator[str]:
    """Yield the ids that an answer's text names, in any order and some of them more than once."""
    if answer.thought_id is not None:
        yield answer.thought_id
    for thought in answer.thoughts:
        yield thought.thought_id
        yield from (link.thought_id for link in (*thought.replaces, *thought.replaced_by))
    yield from (thought.thought_id for thought in answer.often_needed_next)
    if answer.overview is not None:
        yield from (quote.thought_id for quote in answer.overview.quotes)
        yield from (each for claim in answer.overview.claims for each in claim.source_ids)


def format_recall(
    answer: Related,
    names: Mapping[str, str],
    nonce: str | None = None,
    *,
    names_thoughts: bool = False,
) -> str:
    """Return an answer of memory as text.

    `names` are the ids as they are shown; `nonce` marks its fence, a fresh one by default. Who
    `names_thoughts` said what the stored replaces or builds on, and is not asked for it.
    """
    fence = Fence(nonce or new_nonce())
    parts = [
        _confirm_storing(answer, names, names_thoughts=names_thoughts),
        _thoughts(answer, names, fence),
        _tell_overview(answer, names, fence),
        *_format_hints(answer, names, fence),
    ]
    parts.append(f"Session: {answer.session_id} (for a follow-up or feedback)")
    return "\n\n".join(part for part in parts if part)


def format_erasure(thought_id: str, erased_at: str) -> str:
    """Confirm an erasure; `erased_at` is ISO 8601."""
    moment = drop_fraction(erased_at)
    return f"Thought {thought_id} was erased at {moment}. Its trace remains without its content."


def format_feedback(thought_id: str, weight: float) -> str:
    """Confirm feedback."""
    return f"Noted. Thought {thought_id} now weighs {weight:.4g}."


def list_node_ids(place: Outlined | OutlinePage) -> Iterator[str]:
    """Yield the ids of a node, of all below it, and of what its name may mean."""
    nodes = [*place.candidates, *([place.node] if place.node else [])]
    while nodes:
        node = nodes.pop()
        yield node.id
        nodes += node.children


def format_outline(outline: Outlined, names: Mapping[str, str], nonce: str | None = None) -> str:
    """Return an outline as text, an indented line a node; `names` are ids as they are shown."""
    if outline.node is None:
        return _several(outline.note, outline.candidates, names, nonce)
    lines = [line for child in outline.node.children for line in _lines(child, names, 0)]
    about = f"{_describe_node(outline.node, names)}{_more(outline.node)}"
    return _fence_quotes(
        outline.note, [Quote("\n".join(lines) or "nothing is below it", about)], nonce
    )


def format_passage(page: OutlinePage, names: Mapping[str, str], nonce: str | None = None) -> str:
    """Return a page of text, each stretch with its source; `names` are ids as they are shown."""
    if page.candidates:
        return _several(page.note, page.candidates, names, nonce)
    if not page.parts:
        return "Nothing is left to read here."
    text = _fence_quotes(page.note, [_stretch(part, names) for part in page.parts], nonce)
    if page.next_offset is None:
        return text
    return f"{text}\n\nRead on with offset {page.next_offset}, of {page.characters} characters."


def _fence_quotes(note: str, quotes: Sequence[Quote], nonce: str | None) -> str:
    return f"{note}\n\n{fence_quotes(quotes, nonce or new_nonce())}"


def _several(
    note: str, candidates: Sequence[Node], names: Mapping[str, str], nonce: str | None
) -> str:
    lines = "\n".join(_describe_node(node, names) for node in candidates)
    quotes = [Quote(lines, "what the name may mean")]
    return f"The name is not clear; take an id. {_fence_quotes(note, quotes, nonce)}"


def _lines(node: Node, names: Mapping[str, str], depth: int) -> Iterator[str]:
    yield f"{'  ' * depth}{_describe_node(node, names)}{_more(node) if node.children else ''}"
    for child in node.children:
        yield from _lines(child, names, depth + 1)


def _describe_node(node: Node, names: Mapping[str, str]) -> str:
    below = f", {node.count} below" if node.count else ""
    of = f", of {node.size} thoughts" if node.size > 1 else ""
    opening = f": {json.dumps(node.opening, ensure_ascii=False)}" if node.opening else ""
    named = json.dumps(node.title, ensure_ascii=False)
    return f"{node.kind} {named} [{names.get(node.id, node.id)}]{below}{of}{opening}"


def _more(node: Node) -> str:
    return "" if node.next_offset is None else f" (goes on at offset {node.next_offset})"


def _stretch(part: Part, names: Mapping[str, str]) -> Quote:
    cited = part.citation or shorten(part.contributor, LONGEST_SHOWN_NAME)
    by = json.dumps(cited, ensure_ascii=False)
    source = names.get(part.source, part.source)
    place = f"characters {part.start} to {part.end} of {source}"
    return Quote(part.text, f"{place} by {by} at {drop_fraction(part.created_at)}")


def _confirm_storing(answer: Related, names: Mapping[str, str], *, names_thoughts: bool) -> str:
    if answer.thought_id is None:
        return ""
    name = names[answer.thought_id]
    linked = [
        (link, names[thought.thought_id])
        for thought in answer.thoughts
        for link in thought.replaced_by
        if link.is_inferred_by(answer.thought_id)
    ]
    if answer.stored and linked:
        verbs = (f"{link.describe('replaces', 'contradicts')} thought {of}" for link, of in linked)
        is_probable = any(link.confidence >= PROBABLE for link, _ in linked)
        confirm = "" if is_probable else _CONFIRM
        take_back = _TAKE_BACK.format(name)
        return f"Stored as thought {name}. By its words it {', '.join(verbs)}. {confirm}{take_back}"
    if answer.stored and answer.thoughts and not names_thoughts:
        return f"Stored as thought {name}. {_STORED_BESIDE}"
    if answer.stored:
        return f"Stored as thought {name}."
    return f"Known already as thought {name}; your agreement is recorded."


def _thoughts(answer: Related, names: Mapping[str, str], fence: Fence) -> str:
    count = len(answer.thoughts)
    if answer.outline:
        quote = Quote(answer.outline, "outline; the tool read takes what is in square brackets")
        return f"{answer.note}\n\n{fence_quotes([quote], fence.nonce)}"
    if not count:
        return "" if answer.areas else answer.note
    quotes = fence_quotes([_quote(thought, names) for thought in answer.thoughts], fence.nonce)
    head = f"{count} related {'thought' if count == 1 else 'thoughts'}. {answer.note}"
    return f"{head}\n\n{quotes}"


def _quote(thought: Thought, names: Mapping[str, str]) -> Quote:
    said_at = drop_fraction(thought.created_at)
    by = f"by {_by(thought.contributor)} at {said_at}, score {thought.score:.2f}"
    tags = f", tags {', '.join(map(json.dumps, thought.tags))}" if thought.tags else ""
    why = f", why {json.dumps(thought.why)}" if thought.why else ""
    shown = thought.content[:LONGEST_QUOTE]
    is_cut = len(shown) < (thought.characters or len(thought.content))
    cut = " (cut; fetch has the whole)" if is_cut else ""
    standing = _describe_standing(thought, names)
    of = " of the shared space" if thought.space else ""
    name = names[thought.thought_id]
    return Quote(shown, f"thought {name}{of} {by}{standing}{tags}{why}{cut}")


def _by(name: str) -> str:
    return json.dumps(shorten(name, LONGEST_SHOWN_NAME))


def _describe_standing(thought: Thought, names: Mapping[str, str]) -> str:
    standing = ", unconfirmed" if thought.unconfirmed_until else ""
    standing += ", contested" if thought.contested else ""
    if thought.rediscovered:
        standing += f", found independently by {thought.rediscovered} more"
    if thought.outdated_at:
        standing += f", outdated since {drop_fraction(thought.outdated_at)}"
    elif thought.expires_at:
        standing += f", true until {drop_fraction(thought.expires_at)}"
    if thought.alike is not None:
        by = ", ".join(map(_by, thought.alike.contributors))
        standing += f", {thought.alike.count} more alike by {by}"
    if thought.answers is not None:
        words = f" with {json.dumps(shorten(thought.span, _LONGEST_SPAN))}" if thought.span else ""
        standing += f", answers with probability {thought.answers:.2f}{words}"
    links = [(link.describe("replaces", "contradicts"), link) for link in thought.replaces]
    links += [
        (link.describe("replaced by", "contradicted by"), link) for link in thought.replaced_by
    ]
    return standing + "".join(
        f", {verb} thought {names[link.thought_id]} "
        f"by {_by(link.contributor)} at {link.created_at[:10]}"
        for verb, link in links
    )


def _tell_overview(answer: Related, names: Mapping[str, str], fence: Fence) -> str:
    if answer.overview is None:
        return ""
    head = (
        f"{answer.overview.size} thoughts say much the same: {_name(answer.overview.title, fence)}."
    )
    quotes = [
        Quote(claim.text, f"a language model, of thoughts {_list_names(claim.source_ids, names)}")
        for claim in answer.overview.claims
    ]
    quotes += [
        Quote(
            quote.content,
            f"thought {names[quote.thought_id]} by {_by(quote.contributor)} "
            f"at {drop_fraction(quote.created_at)}",
        )
        for quote in answer.overview.quotes
    ]
    return f"{head}\n\n{fence_quotes(quotes, fence.nonce)}" if quotes else head


def _list_names(ids: Sequence[str], names: Mapping[str, str]) -> str:
    return ", ".join(names[each] for each in ids)


def _format_hints(answer: Related, names: Mapping[str, str], fence: Fence) -> list[str]:
    hints: list[str] = []
    if answer.areas:
        named = ", ".join(f"{_name(area.tag, fence)} ({area.count})" for area in answer.areas)
        hints.append(f"Several areas fit: {named}. Ask again in this session and name one.")
    if answer.highways_nearby:
        named = ", ".join(_name(highway, fence) for highway in answer.highways_nearby)
        hints.append(f"Highways nearby: {named}")
    if answer.often_needed_next:
        needed = ", ".join(
            f"{_name(thought.label, fence)} (thought {names[thought.thought_id]})"
            for thought in answer.often_needed_next
        )
        hints.append(f"Often needed next: {needed}")
    if answer.guidance:
        hints.append(answer.guidance)
    return hints


def _name(text: str, fence: Fence) -> str:
    return json.dumps(fence.escape(text))
