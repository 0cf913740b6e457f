"""Thoughts and replies of the memory as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import (
    EXCERPT,
    dim,
    fold_spaces,
    format_minute,
    note,
    print_table,
    say,
)
from wellworn.kit.likelihood import ANSWERS
from wellworn.kit.passages import pick_passage
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wellworn.client import Highway, Provenance, Reply, Thought
    from wellworn.client.models import (
        HeldThought,
        Link,
        ListedThought,
        Overview,
        Source,
        ThoughtList,
    )

NOTHING_NEAR = "Nothing known is close to this."
"""The beginning of the server's answer when nothing has to do with the question."""
NOT_OF_THEN = "Nothing of that time is close to this."
"""The same, where what is shown is of another time than the question names."""
_CUT = " \u2026"
_NO_SEARCH = frozenset({"highways", "outline", "timeline", "courtesy"})


def print_sources(reply: Reply, asked: str, *, full: bool = False, explain: bool = False) -> None:
    """Print recalled thoughts, best first, each with who, when, and its id.

    Of a long one stands the stretch with the words that were asked.
    """
    if reply.trace.retrieval_method in _NO_SEARCH:
        say(reply.response)
        return
    if caveat := _find_caveat(reply):
        say(caveat)
    for rank, source in enumerate(reply.sources, start=1):
        when = "" if source.created_at is None else f"  {format_minute(source.created_at)}"
        where = "" if source.space is None else "  shared"
        say(f"{rank:>2}.  {source.score:.2f}  {show_name(source.contributor)}{when}{where}")
        content = source.content or source.content_preview
        for line in content.splitlines() if full else [_pick_excerpt(content, asked)]:
            say(f"      {fold_spaces(line)}")
        say(f"      {source.thought_id}")
        _print_standing(source)
        if source.answers is not None and (explain or source.answers >= ANSWERS):
            say(
                f"      answers {source.answers:.2f}: {fold_spaces(source.span or '')}".rstrip(": ")
            )
        if source.alike is not None:
            names = ", ".join(map(show_name, source.alike.contributors))
            say(f"      {source.alike.count} more alike, by {names}")
        if explain:
            _print_reasons(source)


def _pick_excerpt(content: str, asked: str) -> str:
    """Return the content, or of a longer one the stretch with the words that were asked."""
    passage = pick_passage(content, asked, EXCERPT - len(_CUT))
    return f"{passage.removesuffix(_CUT)}{_CUT.strip()}" if passage.endswith(_CUT) else passage


def _find_caveat(reply: Reply) -> str:
    """Say that what follows is not what was asked for, if so."""
    if reply.response.startswith(NOTHING_NEAR):
        more = ", the nearest are:" if reply.sources else "; --all shows what is nearest"
        return f"nothing close{more}"
    if reply.response.startswith(NOT_OF_THEN):
        return "nothing of that time is close; from other times:"
    return "" if reply.sources else "nothing found"


def print_closing(reply: Reply) -> None:
    """Print what the memory adds to an answer, and the session to continue."""
    if reply.result.disambiguation is not None:
        say()
        say(fold_spaces(reply.response))
        say("answer with: wellworn recall TAG --session " + reply.session_id)
    for highway in reply.result.highways_nearby:
        say(f"highway nearby: {fold_spaces(highway)}")
    for needed in reply.result.often_needed_next:
        say(f"often needed next: {fold_spaces(needed.label)}  {needed.thought_id}")
    if reply.result.overview is not None:
        print_overview(reply.result.overview)
    if reply.result.guidance:
        say(reply.result.guidance)
    say(f"session {reply.session_id}")


def print_overview(overview: Overview) -> None:
    """Print what several thoughts say, each quote with who, when, and its id."""
    title = fold_spaces(overview.title) or "(no words)"
    say(f"overview of {overview.size} thoughts: {title}")
    for claim in overview.claims:
        say(f"      says the model: {fold_spaces(claim.text)}")
    for quote in overview.quotes:
        by = f"{show_name(quote.contributor)}, {format_minute(quote.created_at)}"
        say(f"      {fold_spaces(quote.content_preview)}  {dim(by)}")
        say(f"      {quote.thought_id}")


def print_highways(highways: Sequence[Highway]) -> None:
    """Print the most worn thoughts, first things first."""
    if not highways:
        say("no highways yet; they form where several agents recall the same thoughts")
    for rank, highway in enumerate(highways, start=1):
        wear = f"{highway.access_count} accesses, {highway.unique_users} agents"
        say(
            f"{rank:>2}.  {wear}, trail {highway.pheromone_weight:.2f}, use {highway.use_score:.2f}"
        )
        say(f"      {fold_spaces(highway.content_preview)}")
        say(f"      {highway.thought_id}")


def print_thought(thought: Thought) -> None:
    """Print the full record of a thought."""
    say(thought.content if thought.erased_at is None else f"erased at {thought.erased_at}")
    say()
    facts = {
        "by": f"{show_name(thought.contributor_name)} ({thought.contributor_id})",
        "at": thought.created_at,
        "type": thought.thought_type,
        "tags": ", ".join(thought.tags),
        "context": thought.context_metadata or "",
        "came from": ", ".join(thought.source_ids),
        "accesses": f"{thought.access_count}, by {len(thought.accessed_by)} agents",
        "trail": f"{thought.pheromone_weight:.2f}",
        "last used": thought.last_accessed or "never",
        "id": thought.thought_id,
    }
    print_table(facts, width=10)
    _print_standing(thought)


def note_thought(thought: Thought) -> None:
    """Print to stderr what a thought says, who said it and when."""
    time = format_minute(thought.created_at)
    erased = "" if thought.erased_at is None else f", erased {format_minute(thought.erased_at)}"
    note(f"{show_name(thought.contributor_name)}, {time}{erased}:")
    note(f"  {shorten(thought.content, EXCERPT)}")


def print_thoughts(page: ThoughtList) -> None:
    """Print thoughts in a list by time, each with when, who, its topics and its id."""
    if not page.thoughts:
        say("nothing found")
    if page.matching is not None:
        note("1 thought fits" if page.matching == 1 else f"{page.matching} thoughts fit")
    for thought in page.thoughts:
        facts = [format_minute(thought.created_at), show_name(thought.contributor_name)]
        say("  ".join([*facts, *(f"#{fold_spaces(tag)}" for tag in thought.tags)]))
        say(f"      {shorten(thought.content, EXCERPT)}")
        say(f"      {thought.thought_id}")
        _print_standing(thought)
    if page.next_cursor is not None:
        note(f"there is more: --cursor {page.next_cursor}")


def print_held(thoughts: Sequence[HeldThought]) -> None:
    """Print what is held back, each with who said it, when, and its id."""
    if not thoughts:
        say("nothing is held")
    for thought in thoughts:
        by = f"{show_name(thought.contributor_name)} ({thought.owner or thought.contributor_id})"
        say(f"{format_minute(thought.held_since)}  {fold_spaces(by)}")
        say(f"      {fold_spaces(thought.content)}")
        say(f"      {thought.thought_id}")


def print_provenance(chains: Provenance) -> None:
    """Print both chains of a thought as indented lists."""
    say(f"came from{'' if chains.came_from else ': nothing, it is original'}")
    for link in chains.came_from:
        _print_chain(link, depth=1)
    say(f"built into{'' if chains.built_into else ': nothing yet'}")
    for link in chains.built_into:
        _print_chain(link, depth=1)


def _print_standing(thought: Source | Thought | ListedThought) -> None:
    """Print what a thought replaces, and since when or by what it is not true any more."""
    if thought.unconfirmed_until is not None:
        say(f"      unconfirmed until {format_minute(thought.unconfirmed_until)}")
    if thought.rediscovered:
        say(f"      found independently by {thought.rediscovered} more")
    if thought.contested:
        say("      contested: another member says otherwise, and nobody has confirmed it")
    if thought.outdated_at is not None:
        say(f"      outdated since {thought.outdated_at[:10]}")
    elif thought.expires_at is not None:
        say(f"      true until {format_minute(thought.expires_at)}")
    for verbs, links in (
        (("replaced by", "contradicted by"), thought.replaced_by),
        (("replaces", "contradicts"), thought.replaces),
    ):
        for link in links or ():
            author = f"{show_name(link.contributor)} on {link.created_at[:10]}"
            preview = fold_spaces(link.content_preview)
            say(f"      {link.describe(*verbs)} {author}: {preview}")
            say(f"        {link.thought_id}")


def _print_reasons(source: Source) -> None:
    for name, value in (source.why or {}).items():
        shown = f"{value:.3f}" if isinstance(value, float) else str(value)
        say(dim(f"        {name}: {shown}"))


def _print_chain(link: Link, *, depth: int) -> None:
    indent = "  " * depth
    say(f"{indent}{link.thought_id}  {link.thought_type}, {show_name(link.contributor)}")
    say(f"{indent}  {fold_spaces(link.content_preview)}")
    for further in (*(link.came_from or ()), *(link.built_into or ())):
        _print_chain(further, depth=depth + 1)
