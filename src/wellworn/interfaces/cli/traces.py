"""Commands that tell what the traces know: decisions, convergence, sessions, what happens now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.options import Since
from wellworn.interfaces.cli.output import EXCERPT, fold_spaces, format_minute, note, say
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from wellworn.client.models import (
        Convergence,
        Decision,
        Decisions,
        Gathered,
        JudgedThought,
        SessionPath,
        Sessions,
        SpaceEvent,
    )

_SHORT_ID = 8
_OUTCOMES = {"stored": "stored", "affirmed": "said again", "held": "held"}
_REGIMES = {
    "contractive": "its questions closed in on one another",
    "oscillatory": "it went back and forth",
    "exploratory": "it moved on step by step",
    "undetermined": "the order of its questions says no more than chance",
}

commands = new_group()


@command(commands, "decisions --limit 5")
def decisions(
    context: CommandContext,
    *,
    query: Annotated[
        str | None, typer.Option("--query", metavar="QUERY_ID", help="Of this call alone.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="SESSION_ID", help="Of this session alone.")
    ] = None,
    thought: Annotated[
        str | None,
        typer.Option(
            "--thought", metavar="THOUGHT_ID", help="Only those that showed or withheld this one."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most.")] = 20,
) -> None:
    """Tell what calls showed, what they withheld and why, and what they stored, newest first."""
    told = context.memory.decisions(
        query_id=query,
        session_id=session,
        thought_id=context.find_thought_id(thought) if thought else None,
        limit=limit,
    )
    context.show(told, _print_decisions)


def _print_decisions(told: Decisions) -> None:
    if not told.decisions:
        say("no call is known")
    for each in told.decisions:
        _print_decision(each)
    if told.since is not None:
        note(f"kept since {format_minute(told.since)}")


def _print_decision(decision: Decision) -> None:
    when, who = format_minute(decision.decided_at), show_name(decision.agent_id)
    say(f"{when}  {who}: {shorten(decision.question, EXCERPT)}")
    ranked = "" if decision.ranked is None else f" of {decision.ranked} ranked"
    say(f"  {len(decision.shown)} shown{ranked}, by {decision.method}")
    if decision.answered is False:
        say("  nothing that has to do with it")
    for each in decision.shown:
        say(f"  {each.rank:>3}. {_format_thought(each)}")
    for each in decision.withheld:
        fate = each.fate.replace("_", " ")
        by = f" by {each.by[:_SHORT_ID]}" if each.by and each.fate == "replaced" else ""
        say(f"    - {_format_thought(each)}  ({fate}{by})")
    if decision.outcome in _OUTCOMES:
        stored = decision.contributed_id or ""
        replaced = f", replaces {' '.join(decision.replaces)}" if decision.replaces else ""
        say(f"  {_OUTCOMES[decision.outcome]}: {stored}{replaced}")
    elif decision.reason:
        say(f"  not stored: {decision.reason.replace('_', ' ')}")
    say(f"  {decision.query_id}")


def _format_thought(judged: JudgedThought) -> str:
    score = "" if judged.score is None else f"{judged.score:.2f} "
    return f"{judged.thought_id[:_SHORT_ID]}  {score}{shorten(judged.opening, EXCERPT)}"


@command(commands, "convergence --since 30d")
def convergence(
    context: CommandContext,
    *,
    since: Since = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most.")] = 20,
) -> None:
    """Tell what several said in the same words, and where more gathered than usual.

    Of those who said it later, it tells who had been shown it by no door.
    """
    context.show(context.memory.convergence(since=since, limit=limit), _print_convergence)


def _print_convergence(told: Convergence) -> None:
    if not told.converged:
        say("nothing was said twice by several")
    for each in told.converged:
        said = [
            f"{count} {kind}"
            for count, kind in (
                (each.independent, "found it independently"),
                (each.echoes, "had been shown it"),
                (each.unknown, "not known"),
            )
            if count
        ]
        say(f"{each.thought_id[:_SHORT_ID]}  {shorten(each.content, EXCERPT)}")
        say(f"  first by {show_name(each.contributor)}; then {', '.join(said)}")
    counts = told.counts
    note(
        f"said again: {counts.independent} independently, {counts.echo} echoes, "
        f"{counts.unknown} not known"
    )
    _print_gathered(told.gathered)


def _print_gathered(gathered: Gathered) -> None:
    for region in gathered.regions:
        about = fold_spaces(region.title or "") or "(no topic)"
        say(f"{region.agents} agents came to one thing: {about}  (p {region.p:.3f})")
        for each in region.thoughts:
            say(f"  {each.thought_id[:_SHORT_ID]}  {shorten(each.opening, EXCERPT)}")
        for question in region.questions:
            say(f"  asked: {shorten(question, EXCERPT)}")
    if gathered.answer == "not_enough_agents":
        note(
            f"gathered: not enough agents, {gathered.agents} of {gathered.needed} of whom it is "
            "known what they usually ask"
        )
    elif gathered.answer == "not_enough_days":
        note(f"gathered: not enough days, the log has {gathered.days} of 14")
    elif not gathered.regions:
        note(f"gathered: nobody beyond chance, of {gathered.agents} agents")


@command(commands, "watch --limit 20")
def watch(
    context: CommandContext,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="End after so many lines.")] = None,
) -> None:
    """Print what happens in a space, as it happens, until you press Ctrl-C.

    Of what is said the words are shown beside the id. Watching keeps no server alive: the command
    ends with the server that it watches.
    """
    for event in context.memory.events(limit=limit):
        say(event.model_dump_json() if context.as_json else _format_event(context, event))


def _format_event(context: CommandContext, event: SpaceEvent) -> str:
    ids = " ".join(each[:_SHORT_ID] for each in event.ids)
    facts = [format_minute(event.at), event.kind, ids, _read_words(context, event)]
    facts += [f"{event.missed} lines were lost"] if event.missed else []
    return "  ".join(filter(None, facts))


def _read_words(context: CommandContext, event: SpaceEvent) -> str:
    from wellworn.client import WellwornClientError

    if event.kind != "said":
        return ""
    try:
        return shorten(context.memory.thought(event.ids[0]).content, EXCERPT)
    except WellwornClientError:  # Erased meanwhile, or not to be seen any more.
        return ""


@command(commands, "sessions --limit 5")
def sessions(
    context: CommandContext,
    session: Annotated[
        str | None,
        typer.Argument(metavar="[SESSION_ID]", help="To see its path; by default, all."),
    ] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most.")] = 20,
) -> None:
    """List sessions, the newest first, or tell how one moved from question to question.

    Leaves no trail.
    """
    if session is None:
        context.show(context.memory.sessions(limit=limit), _print_sessions)
    else:
        context.show(context.memory.trajectory(session), _print_path)


def _print_sessions(told: Sessions) -> None:
    for each in told.sessions:
        asked = "1 question" if each.questions == 1 else f"{each.questions} questions"
        say(f"{format_minute(each.last_at)}  {show_name(each.agent_id)}: {asked}")
        say(f"  {each.session_id}")
    if not told.sessions:
        say("no session is known")


def _print_path(path: SessionPath) -> None:
    for step in path.steps:
        drifts = f"{step.local_drift:.2f} from the last, {step.global_drift:.2f} from the first"
        say(f"{format_minute(step.asked_at)}  {shorten(step.question, EXCERPT)}")
        say(f"  {drifts}")
    say(f"{path.regime}: {_explain_regime(path)}")
    note(f"two of its {len(path.steps)} questions are {path.dispersion:.2f} apart on average")


def _explain_regime(path: SessionPath) -> str:
    if path.p is None:
        return f"{len(path.steps)} of {path.needed} questions"
    return f"{_REGIMES[path.regime]} (p {path.p:.3f})"
