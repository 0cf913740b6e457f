"""Results as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import dimmed, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wellworn.client import Highway, Provenance, Reply, Thought
    from wellworn.client.models import HeldThought, Link, Source

EXCERPT = 240
"""Characters of a recalled thought that are printed unless it is wanted whole."""
_HIGHWAY_ACCESSES = 3
_HIGHWAY_AGENTS = 2
_NO_SEARCH = frozenset({"highways", "outline"})


def recalled(reply: Reply, records: Sequence[Thought | None], *, full: bool = False) -> None:
    """Print what was found, best first, each with who, when, how worn, and its id."""
    if reply.trace.retrieval_method in _NO_SEARCH:
        say(reply.response)
        return
    if not reply.sources:
        say("nothing found")
    for rank, (source, record) in enumerate(zip(reply.sources, records, strict=True), start=1):
        facts = [f"{rank:>2}.", f"{source.score:.2f}", one_line(source.contributor)]
        if record is not None:
            facts += [day(record.created_at), *_mark(record)]
        say("  ".join(facts))
        for line in _told(source, record, full=full):
            say(f"      {line}")
        say(f"      {source.thought_id}")
        _why(source)


def _told(source: Source, record: Thought | None, *, full: bool) -> list[str]:
    content = source.content_preview if record is None else record.content
    if full:
        return [one_line(line) for line in content.splitlines()]
    told = one_line(" ".join(content[: 2 * EXCERPT].split()))
    return [told if len(told) <= EXCERPT else told[: EXCERPT - 1].rstrip() + "…"]


def closing(reply: Reply) -> None:
    """Print what the memory adds to an answer, and the session to continue."""
    if reply.result.disambiguation is not None:
        say()
        say(one_line(reply.response))
        say("answer with: wellworn recall TAG --session " + reply.session_id)
    for road in reply.result.highways_nearby:
        say(f"highway nearby: {one_line(road)}")
    for one in reply.result.often_needed_next:
        say(f"often needed next: {one_line(one.label)}  {one.thought_id}")
    if reply.result.guidance:
        say(reply.result.guidance)
    say(f"session {reply.session_id}")


def highways(found: Sequence[Highway]) -> None:
    """Print the most worn thoughts, first things first."""
    if not found:
        say("no highways yet; they form where several agents recall the same thoughts")
    for rank, road in enumerate(found, start=1):
        worn = f"{road.access_count} accesses, {road.unique_users} agents"
        say(f"{rank:>2}.  {worn}, trail {road.pheromone_weight:.2f}, use {road.use_score:.2f}")
        say(f"      {one_line(road.content_preview)}")
        say(f"      {road.thought_id}")


def thought(record: Thought) -> None:
    """Print the whole record of a thought."""
    say(record.content if record.erased_at is None else f"erased at {record.erased_at}")
    say()
    facts = {
        "by": one_line(f"{record.contributor_name} ({record.contributor_id})"),
        "at": record.created_at,
        "type": record.thought_type,
        "tags": ", ".join(record.tags),
        "context": record.context_metadata or "",
        "came from": ", ".join(record.source_ids),
        "worn": f"{record.access_count} accesses, {len(record.accessed_by)} agents",
        "trail": f"{record.pheromone_weight:.2f}",
        "last used": record.last_accessed or "never",
        "id": record.thought_id,
    }
    for name, value in facts.items():
        if value:
            say(f"{name:>10}  {one_line(value)}")


def held(found: Sequence[HeldThought]) -> None:
    """Print what is held back, each with who said it, when, and its id."""
    if not found:
        say("nothing is held back")
    for one in found:
        by = one_line(f"{one.contributor_name} ({one.owner or one.contributor_id})")
        say(f"{day(one.held_since)}  {by}")
        say(f"      {one_line(one.content)}")
        say(f"      {one.thought_id}")


def provenance(chains: Provenance) -> None:
    """Print both chains of a thought as indented lists."""
    say(f"came from{'' if chains.came_from else ': nothing, it is original'}")
    for link in chains.came_from:
        _chain(link, depth=1)
    say(f"built into{'' if chains.built_into else ': nothing yet'}")
    for link in chains.built_into:
        _chain(link, depth=1)


def day(moment: str) -> str:
    """Return an ISO 8601 time to the minute."""
    return moment[:16].replace("T", " ")


def one_line(text: str) -> str:
    """Return the text with its white space folded."""
    return " ".join(text.split())


def _mark(record: Thought) -> list[str]:
    agents = len(record.accessed_by)
    if record.access_count < _HIGHWAY_ACCESSES or agents < _HIGHWAY_AGENTS:
        return []
    return [f"highway ({record.access_count} accesses, {agents} agents)"]


def _why(source: Source) -> None:
    for name, value in (source.why or {}).items():
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        say(dimmed(f"        {name}: {shown}"))


def _chain(link: Link, *, depth: int) -> None:
    indent = "  " * depth
    say(f"{indent}{link.thought_id}  {link.thought_type}, {one_line(link.contributor)}")
    say(f"{indent}  {one_line(link.content_preview)}")
    for further in (*link.came_from, *link.built_into):
        _chain(further, depth=depth + 1)
