"""Turns as lines for people, and what is shown while one is worked on."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from wellworn.interfaces.cli.output import EXCERPT, fold_spaces, format_minute, note, say
from wellworn.kit.text import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from wellworn.client import models

_WORK: Final = {
    "analysis": "reading the query",
    "reflection": "checking that it is clear",
    "gathering": "gathering what is known",
    "planning": "planning",
    "coordination": "using tools",
    "synthesis": "writing the answer",
    "validation": "checking the answer against its sources",
    "saving": "saving",
}


@contextmanager
def follow_phases(*, quiet: bool) -> Generator[Callable[[models.TurnPhase], None] | None]:
    """Show on stderr which phase a turn is in, if anybody is looking.

    Ctrl-C ends the block, not the turn, and prints how to find it later.
    """
    is_watched = not quiet and sys.stderr.isatty()
    try:
        yield _note_phase if is_watched else None
    except KeyboardInterrupt:
        note("the turn continues in the server; wellworn turn list shows it")
        raise


def print_answer(answer: models.TurnAnswer) -> None:
    """Print what a turn ended in, the sources that it does not name itself, and its number."""
    turn = answer.turn
    say(answer.text or f"the turn is {turn.status}")
    unnamed = [source for source in answer.sources if source.source not in answer.text]
    if unnamed:
        say()
    for source in unnamed:
        when = "" if source.moment is None else f"  {format_minute(source.moment)}"
        stale = "  may be out of date" if source.stale else ""
        say(f"[{source.number}]  {fold_spaces(source.title)}{when}{stale}")
        say(f"      {shorten(source.text, EXCERPT)}")
        say(f"      {fold_spaces(source.source)}")
    for heading in answer.edited:
        note(f"changed by hand in context.md: {fold_spaces(heading)}")
    say()
    say(f"turn {turn.number}  {turn.id}")
    if turn.status == "clarify":
        note(f"answer with: wellworn ask 'YOUR ANSWER' --turn {turn.number}")
    elif turn.status in {"running", "interrupted"}:
        note(f"the turn is {turn.status}; wellworn turn resume {turn.number} finishes it")


def print_turns(page: models.TurnList) -> None:
    """Print turns in a list, each with its number, when, how it ended, and its id."""
    if not page.turns:
        say("no turns yet; wellworn ask begins one")
    for turn in page.turns:
        _print_turn(turn)
    if page.next_before is not None:
        note(f"there is more: --before {page.next_before}")


def print_archived(turns: Sequence[models.Turn], verb: str, *, is_listed: bool) -> None:
    """Print how many turns were archived or would be, and in the latter case which."""
    for turn in turns if is_listed else ():
        _print_turn(turn)
    say(f"{verb} {len(turns)} turns")


def _print_turn(turn: models.Turn) -> None:
    follows = "" if turn.follows is None else f"  follows {turn.follows}"
    say(f"{turn.number:>4}  {format_minute(turn.created_at)}  {turn.status}{follows}")
    say(f"      {shorten(turn.query, EXCERPT)}")
    if turn.status == "interrupted" and turn.summary:
        say(f"      {fold_spaces(turn.summary)}")
    say(f"      {turn.id}")


def print_research(documents: Sequence[models.ResearchDocument]) -> None:
    """Print research documents, each with its turn, how far its life is, and its topic."""
    if not documents:
        say("no research yet; a turn that reads a page of the web leaves some")
    for each in documents:
        uses = f"  uses: {each.uses}" if each.uses else ""
        say(
            f"{each.turn_number:>4}  {format_minute(each.created_at)}  {_describe_life(each)}{uses}"
        )
        say(f"      {shorten(each.query, EXCERPT)}")
        say(f"      {each.topic}  quality {each.quality:.2f}  scope {each.scope}")


def _describe_life(document: models.ResearchDocument) -> str:
    if document.superseded_by is not None:
        return f"superseded by {document.superseded_by}"
    if document.expires_at is None:
        return document.status
    verb = "until" if document.status == "active" else "since"
    return f"{document.status} {verb} {format_minute(document.expires_at)}"


def print_statistics(statistics: models.TurnStatistics) -> None:
    """Print a line for each day, then one for each site."""
    if not statistics.days:
        say("no turns yet; wellworn ask begins one")
    for day in statistics.days:
        say(
            f"{day.day}  {day.turns} turns: {day.done} done, {day.clarify} asked back, "
            f"{day.failed} failed  {day.mean_duration_ms:.0f} ms each, "
            f"at most {day.longest_duration_ms:.0f} ms"
        )
        say(
            f"            {day.tool_calls} tool calls, {day.evidence} sources, "
            f"{day.revisions} revised, {day.retries} tried again"
        )
    for site in statistics.sites:
        say(
            f"{fold_spaces(site.site)}  {site.visits} visits, {site.failures} failed, "
            f"{site.cited} cited  reliability {site.reliability:.2f}"
        )


def _note_phase(begun: models.TurnPhase) -> None:
    attempt = f" (attempt {begun.attempt})" if begun.attempt > 1 else ""
    note(f"{_WORK[begun.phase]}{attempt} …")
