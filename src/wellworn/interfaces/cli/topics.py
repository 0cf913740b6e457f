"""Commands about topics: what a space is about, what surges, one topic, and the map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.output import dim, fold_spaces, format_minute, note, say
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from wellworn.client.models import MemoryMap, Topic, TopicChange, TopicPage, Topics, TopicTrend

commands = new_group()

_NAMELESS = "(no words)"
_EXCERPT = 100
_MOST_CHANGES = 5


@command(commands, "topics --depth 2")
def topics(
    context: CommandContext,
    topic: Annotated[
        str | None,
        typer.Argument(metavar="[TOPIC]", help="Its id, to see its thoughts; by default, all."),
    ] = None,
    *,
    depth: Annotated[
        int, typer.Option(min=1, max=4, help="Levels of topics inside one another.")
    ] = 1,
    surging: Annotated[
        bool, typer.Option("--surging", help="Only what more is said or asked about than usual.")
    ] = False,
    now: Annotated[bool, typer.Option("--now", help="Sort the space anew first.")] = False,
    offset: Annotated[int, typer.Option(min=0, help="Topics or thoughts to skip.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most topics or thoughts.")] = 20,
) -> None:
    """Print what a space is about, the largest topics first, and what is talked about more.

    Leaves no trail.
    """
    if now:
        context.memory.sort_topics()
    if topic is not None:
        context.show(context.memory.topic(topic, offset=offset, limit=limit), _print_page)
        return
    found = context.memory.topics(depth=depth, surging=surging, offset=offset, limit=limit)
    context.show(found, lambda shown: _print_topics(shown, surging=surging))


def _print_topics(found: Topics, *, surging: bool) -> None:
    for line in _format_tree(found.topics, 0):
        say(line)
    if found.is_waiting:
        say("the space is being sorted in the background; look again in a minute")
    elif not found.topics:
        say(_explain_nothing(found, surging=surging))
    else:
        loose = found.thoughts - found.in_topics
        note(f"{found.in_topics} thoughts in topics, {loose} in none")
    if found.next_offset is not None:
        note(f"continue with --offset {found.next_offset}")
    for change in found.changes[:_MOST_CHANGES]:
        note(_format_change(change))


def _explain_nothing(found: Topics, *, surging: bool) -> str:
    if not surging:
        return "no topics yet: three thoughts that are close to one another are one"
    if found.said_since is None:
        return "nothing surges: nothing was said yet"
    return (
        "nothing surges; that takes seven days to tell by and two more, and the first thought "
        f"here is of {format_minute(found.said_since)}"
    )


def _format_tree(topics: Sequence[Topic], depth: int) -> Iterator[str]:
    for topic in topics:
        yield "  " * depth + _format_topic(topic)
        yield from _format_tree(topic.children, depth + 1)


def _format_topic(topic: Topic) -> str:
    opening = "" if topic.central is None else fold_spaces(topic.central.content_preview)
    title = fold_spaces(topic.title) or _NAMELESS
    line = f"{topic.size:>5}  {title} [{topic.id}]{_format_trends(topic)}"
    return f"{line}  {dim(shorten(opening, _EXCERPT))}".rstrip()


def _format_trends(topic: Topic) -> str:
    voices = f" by {topic.contributors}" if topic.contributors else ""
    parts = (_format_trend(f"said{voices}", topic.said), _format_trend("asked", topic.asked))
    told = "; ".join(filter(None, parts))
    return f"  ({told})" if told else ""


def _format_trend(what: str, trend: TopicTrend) -> str:
    if trend.course not in {"surging", "fading"} or trend.expected is None:
        return ""
    usual = f"{trend.expected:.1f}".removesuffix(".0")
    return f"{trend.course}: {trend.recent} {what} in two days, usually {usual}"


def _format_change(change: TopicChange) -> str:
    when = format_minute(change.changed_at)
    if change.kind == "split":
        return f"{when}: {change.topic_id} came out of {change.other_id}"
    if change.kind == "merged":
        return f"{when}: {change.topic_id} went into {change.other_id}"
    return f"{when}: {change.topic_id} is no more"


def _print_page(page: TopicPage) -> None:
    names = [*page.path, page.topic]
    say(" > ".join(f"{fold_spaces(name.title) or _NAMELESS} [{name.id}]" for name in names))
    trends = _format_trends(page.topic).strip()
    say(f"{page.topic.size} thoughts {trends}".rstrip())
    for line in _format_tree(page.topic.children, 1):
        say(line)
    for thought in page.thoughts:
        say(f"{show_name(thought.contributor)}, {format_minute(thought.created_at)}")
        say(f"      {fold_spaces(thought.content_preview)}")
        say(f"      {thought.thought_id}")
    for passage in page.documents:
        say(f"document {passage.document_id}, {fold_spaces(passage.citation)}")
        say(f"      {fold_spaces(passage.content_preview)}")
    if page.next_offset is not None:
        note(f"continue with --offset {page.next_offset}")
    for change in page.changes:
        note(_format_change(change))


@command(commands, "map --json", name="map")
def map_space(
    context: CommandContext,
    *,
    session: Annotated[
        str | None, typer.Option(metavar="SESSION_ID", help="Also the path of this session.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=20_000, help="Most thoughts; of more, some evenly.")
    ] = 2_000,
) -> None:
    """Print where the topics of a space lie on its map; with --json also every thought.

    Leaves no trail. `wellworn ui` shows the same as a picture.
    """
    context.show(context.memory.map(session_id=session, limit=limit), _print_map)


def _print_map(told: MemoryMap) -> None:
    for topic in told.topics:
        title = topic.title or _NAMELESS
        say(f"{topic.x:>9.1f} {topic.y:>9.1f}  {topic.size:>6}  {title}  {topic.id}")
    say(
        f"{told.thoughts} thoughts, {len(told.highways)} highways, "
        f"{len(told.edges)} pairs used together"
    )
    for step in told.path:
        say(f"{step.x:>9.1f} {step.y:>9.1f}  {format_minute(step.asked_at)}  {step.question}")
    if told.is_waiting:
        note("the topics are being made; look again in a while")
