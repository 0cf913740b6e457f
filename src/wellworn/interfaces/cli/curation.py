"""Commands that tidy a memory, and tell what became of it: curate, digest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from wellworn.interfaces.cli.context import AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.options import Since, State, Topic, Words, Yes, parse_end
from wellworn.interfaces.cli.output import (
    EXCERPT,
    ask_to_confirm,
    fold_spaces,
    format_minute,
    note,
    say,
)
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wellworn.client.models import (
        Curated,
        CuratedSelection,
        Curation,
        CurationAction,
        CurationCandidate,
        Digest,
        TakenBack,
    )

Reason: TypeAlias = Literal["expired", "contested", "duplicate", "unneeded"]
_FEWEST_QUESTIONS = 20
_SHORT_ID = 8
_HEADS = {
    "learned": "learned",
    "changed": "changed",
    "converged": "found by several, each by themselves",
    "unanswered": "asked and not answered",
    "disputed": "in dispute",
    "unneeded": "needed by nobody any more",
}
_DONE = {
    "outdated": "history from now on",
    "end": "given an end",
    "merge": "merged",
    "release": "released",
    "erase": "erased",
}

commands = new_group()


@command(commands, "curate --reason duplicate", options=AGENT)
def curate(
    context: CommandContext,
    thought_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THOUGHT_ID]...", help="What to change; without any, what could be is listed."
        ),
    ] = None,
    *,
    reason: Annotated[
        Reason | None,
        typer.Option(help="List only these; with an action and no ids, change all of them."),
    ] = None,
    older_than: Annotated[
        int,
        typer.Option(
            min=1, max=36_500, metavar="DAYS", help="How long a thought was there unneeded."
        ),
    ] = 90,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most for each reason.")] = 20,
    outdated: Annotated[
        bool, typer.Option("--outdated", help="They are history from now on.")
    ] = False,
    end: Annotated[
        str | None,
        typer.Option(
            parser=parse_end, metavar="TIME", help="They are history from then on: a day, or 7d."
        ),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option("--merge", help="Merge each duplicate into the note that says the same."),
    ] = False,
    into: Annotated[
        str | None,
        typer.Option("--into", metavar="THOUGHT_ID", help="Merge them into this one."),
    ] = None,
    erase: Annotated[bool, typer.Option("--erase", help="Their words are gone for good.")] = False,
    release: Annotated[
        bool, typer.Option("--release", help="Those held back can be found; for admins.")
    ] = False,
    because: Annotated[
        str | None, typer.Option(help="Why they are erased; kept with the record of it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.")
    ] = False,
    yes: Yes = False,
) -> None:
    """List thoughts that may have had their day, with the evidence, and tidy what you choose.

    Without an action, nothing is changed. All but a release and an erasure can be taken back.
    """
    action = _choose_action(
        outdated=outdated,
        end=end is not None,
        merge=merge or into is not None,
        release=release,
        erase=erase,
    )
    _check_selection(action, thought_ids, reason, because, is_merged_anywhere=merge and not into)
    if action is None:
        listed = context.memory.curation(reason=reason, older_than_days=older_than, limit=limit)
        context.show(listed, partial(_print_candidates, days=older_than))
        return
    found: Sequence[CurationCandidate] = ()
    if thought_ids:
        ids = [context.find_thought_id(each) for each in thought_ids]
    else:
        reason = "duplicate" if merge else reason
        listed = context.memory.curation(reason=reason, older_than_days=older_than, limit=limit)
        found, ids = listed.candidates, [each.thought_id for each in listed.candidates]
    groups = _group(ids, found, context.find_thought_id(into) if into else None, action)
    if erase and ids and not dry_run:
        _confirm(context, ids, found, yes=yes)
    more: Mapping[str, Any] = {"expires_at": end, "reason": because, "dry_run": dry_run}
    done = [context.memory.curate(action, each, into=kept, **more) for kept, each in groups.items()]
    context.show(tuple(done), partial(_print_done, action=action, dry_run=dry_run))


def _choose_action(**chosen: bool) -> CurationAction | None:
    actions: list[Any] = [action for action, is_chosen in chosen.items() if is_chosen]
    if len(actions) > 1:
        raise typer.BadParameter(
            "choose one of --outdated, --end, --merge or --into, --release and --erase"
        )
    return next(iter(actions), None)


def _check_selection(
    action: CurationAction | None,
    thought_ids: Sequence[str] | None,
    reason: Reason | None,
    because: str | None,
    *,
    is_merged_anywhere: bool,
) -> None:
    """Refuse an action without thoughts, thoughts without one, and options that go with neither."""
    if action is None and thought_ids:
        message = (
            "say what to do with them: --outdated, --end TIME, --into ID, --release or --erase"
        )
        raise typer.BadParameter(message)
    if because is not None and action != "erase":
        raise typer.BadParameter("--because goes with --erase alone")
    if is_merged_anywhere and (thought_ids or reason not in {None, "duplicate"}):
        raise typer.BadParameter("--merge takes all duplicates; name others by ids and --into ID")
    if action is not None and not (thought_ids or reason or is_merged_anywhere):
        raise typer.BadParameter("name the thoughts by their ids, or all of a --reason")


def _group(
    ids: Sequence[str], found: Sequence[CurationCandidate], into: str | None, action: str
) -> dict[str | None, list[str]]:
    """Return the ids by what they are merged into: nothing, unless the action is to merge."""
    own = {each.thought_id: each.into for each in found} if action == "merge" and not into else {}
    groups: dict[str | None, list[str]] = {}
    for thought_id in ids:
        groups.setdefault(own.get(thought_id, into), []).append(thought_id)
    return groups


def _confirm(
    context: CommandContext, ids: Sequence[str], found: Sequence[CurationCandidate], *, yes: bool
) -> None:
    """Show what is to be erased and ask, unless that is answered already."""
    if yes:
        return
    contents = {each.thought_id: each.content for each in found}
    for thought_id in ids:
        content = contents.get(thought_id) or context.memory.thought(thought_id).content
        note(f"  {shorten(content, EXCERPT)}")
    many = f"these {len(ids)} thoughts" if len(ids) > 1 else "this thought"
    ask_to_confirm(f"Erase {many}? What they say cannot be recovered.", yes=yes)


def _print_candidates(found: Curation, *, days: int) -> None:
    for each in found.candidates:
        say(f"{each.reason}  {format_minute(each.created_at)}  {show_name(each.contributor)}")
        say(f"      {shorten(each.content, EXCERPT)}")
        say(f"      {each.evidence}")
        if each.into is not None:
            say(f"      could be merged into {each.into}")
        say(f"      {each.thought_id}")
    if not found.candidates:
        say("nothing to tidy")
    counts = found.counts.model_dump()
    shown = [each.reason for each in found.candidates]
    for reason, count in counts.items():
        if count is not None and (more := count - shown.count(reason)):
            note(f"{more} more are {reason}: --reason {reason} --limit 100")
    if counts["unneeded"] is not None and found.questions < _FEWEST_QUESTIONS:
        note(
            f"too few questions to say what nobody needs: {found.questions} of "
            f"{_FEWEST_QUESTIONS} in {days} days"
        )


def _print_done(done: Sequence[Curated], *, action: str, dry_run: bool) -> None:
    if not done:
        say("nothing to do")
    for each in done:
        where = f" into {each.into}" if each.into else ""
        if action == "end":
            until = each.expires_at
            where = ": no end" if until is None else f": {format_minute(until)}"
        for thought_id in each.thought_ids:
            would = "would be " if dry_run else ""
            say(f"{would}{_DONE[action]}{where}  {thought_id}")


@command(commands, "tidy outdated --tag old", options=AGENT)
def tidy(
    context: CommandContext,
    action: Annotated[
        Literal["outdated", "end", "release", "erase"], typer.Argument(help="What to do with all.")
    ],
    *,
    by: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Who said them, or the member.")
    ] = None,
    words: Words = None,
    tag: Annotated[str | None, typer.Option(help="A tag that they carry.")] = None,
    since: Since = None,
    until: Annotated[
        str | None,
        typer.Option(parser=parse_end, metavar="TIME", help="They were said before then."),
    ] = None,
    topic: Topic = None,
    state: State = None,
    candidates: Annotated[
        Reason | None, typer.Option(help="They may have had their day for this reason.")
    ] = None,
    held: Annotated[bool, typer.Option("--held", help="They are held back; for admins.")] = False,
    at: Annotated[
        str | None,
        typer.Option(parser=parse_end, metavar="TIME", help="With end: until when they are true."),
    ] = None,
    because: Annotated[
        str | None, typer.Option(help="Why they are erased; kept with the record of it.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count them, with examples.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Do one thing with all thoughts that fit a filter, after a count with examples.

    Of those that you may change; at most 2,000 at once. What ends can be taken back.
    """
    if action == "end" and at is None:
        raise typer.BadParameter("say until when they are true: --at TIME")
    curate_all = partial(
        context.memory.curate_matching,
        action,
        by=by,
        words=words,
        tag=tag,
        since=since,
        until=until,
        topic=topic,
        state=state,
        candidates=candidates,
        held=held,
        expires_at=at,
        reason=because,
    )
    fitting = curate_all(dry_run=True)
    if dry_run or not fitting.changeable:
        context.show(fitting, _print_fitting)
        return
    if not yes:
        for example in fitting.examples:
            note(f"  {shorten(example.content, EXCERPT)}")
        warning = _IRREVOCABLE.get(action, "")
        many = f"these {fitting.changeable} thoughts" if fitting.changeable > 1 else "this thought"
        ask_to_confirm(f"{_QUESTIONS[action].format(many)}{warning}", yes=yes)
    context.show(curate_all(expected=fitting.changeable), _print_tidied)


_QUESTIONS = {
    "outdated": "Mark {} outdated?",
    "end": "Give {} an end?",
    "release": "Release {}?",
    "erase": "Erase {}?",
}
_IRREVOCABLE = {
    "release": " They cannot be held back again.",
    "erase": " What they say cannot be recovered.",
}


def _print_fitting(found: CuratedSelection) -> None:
    for example in found.examples:
        say(f"{format_minute(example.created_at)}  {show_name(example.contributor)}")
        say(f"      {shorten(example.content, EXCERPT)}")
        say(f"      {example.thought_id}")
    if not found.matching:
        say("nothing fits")
        return
    say(f"{found.changeable} of {found.matching} that fit can be changed by you")


def _print_tidied(found: CuratedSelection) -> None:
    done = found.done
    where = (
        f": {format_minute(done.expires_at)}" if done.action == "end" and done.expires_at else ""
    )
    say(f"{_DONE[done.action]}{where}  {len(done.thought_ids)} thoughts")
    if left := found.changeable - len(done.thought_ids):
        note(f"{left} more fit: run it again")
    if done.done_at is not None:
        note(f"to take it back: wellworn take-back {done.done_at}")


@command(commands, "take-back 2026-11-30T09:30:00.123456Z", options=AGENT)
def take_back(
    context: CommandContext,
    done_at: Annotated[
        str, typer.Argument(metavar="TIME", help="When they were given, as `tidy` says.")
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be taken back, and change nothing.")
    ] = False,
) -> None:
    """Take back the ends that one call of yours gave, to many thoughts or one.

    Each has the end again that it had before. What was given another since is left as it is.
    """
    context.show(context.memory.take_back(done_at, dry_run=dry_run), _print_taken_back)


def _print_taken_back(taken: TakenBack) -> None:
    would = "would be " if taken.dry_run else ""
    for thought_id in taken.thought_ids:
        say(f"{would}as before  {thought_id}")
    if not taken.thought_ids:
        say("nothing to take back")


@command(commands, "digest --since 7d")
def digest(
    context: CommandContext,
    *,
    since: Since = None,
) -> None:
    """Tell on one screen what became of the memory, by default in the last seven days.

    What was learned, what changed, what several found by themselves, what was asked and not
    answered, what is in dispute, and what nobody needs any more. Each line begins with the ids of
    its thoughts.
    """
    context.show(context.memory.digest(since=since), _print_digest)


def _print_digest(told: Digest) -> None:
    say(f"from {format_minute(told.since)} to {format_minute(told.until)}")
    if not told.lines:
        say("nothing happened")
    counts = told.counts.model_dump()
    for section, head in _HEADS.items():
        lines = [line for line in told.lines if line.section == section]
        if lines:
            say(f"{head}: {counts[section]}")
        for line in lines:
            ids = " ".join(thought_id[:_SHORT_ID] for thought_id in line.thought_ids[:2])
            by = f"  ({show_name(line.contributor)})" if line.contributor else ""
            say(f"  {ids}{'  ' if ids else ''}{fold_spaces(line.text)}{by}")
