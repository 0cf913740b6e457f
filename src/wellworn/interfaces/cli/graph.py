"""Commands about what the use of a memory tells: neighbours, experiment, values, policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.options import Since, ThoughtId
from wellworn.interfaces.cli.output import EXCERPT, fold_spaces, format_minute, note, say
from wellworn.kit.text import shorten, show_name

if TYPE_CHECKING:
    from wellworn.client.models import (
        Experiment,
        Neighbours,
        Policy,
        PolicyChanges,
        PolicyTrial,
        Values,
    )

Kind: TypeAlias = Literal[
    "co_use", "provenance", "replacement", "affirmation", "co_retrieval", "nearness"
]
_HEADS = {
    "co_use": "used together",
    "provenance": "built on one another",
    "replacement": "replace one another",
    "affirmation": "say the same",
    "co_retrieval": "shown together",
    "nearness": "lie near",
}

_EVIDENCE = {
    "used": "was used",
    "irrelevant": "was called irrelevant",
    "shown": "was shown",
    "unknown": "not known",
}

commands = new_group()


@command(commands, "neighbours THOUGHT_ID --kind co_use")
def neighbours(
    context: CommandContext,
    thought_id: ThoughtId,
    *,
    kind: Annotated[Kind | None, typer.Option(help="Only what is tied to it so.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most of each kind.")] = 10,
) -> None:
    """Print what is tied to a thought, each kind apart and with its evidence.

    Leaves no trail.
    """
    found = context.memory.neighbours(context.find_thought_id(thought_id), kind=kind, limit=limit)
    context.show(found, _print_neighbours)


def _print_neighbours(found: Neighbours) -> None:
    for kind, count in found.counts.model_dump().items():
        listed = [each for each in found.neighbours if each.kind == kind]
        if count:
            say(f"{_HEADS[kind]}: {count}")
        for each in listed:
            relation = f"{each.relation.replace('_', ' ')}: " if each.relation else ""
            outdated = "" if each.outdated_at is None else "  (not true any more)"
            say(f"  {relation}{shorten(each.content, EXCERPT)}{outdated}")
            say(f"      {each.evidence}")
            say(f"      {each.thought_id}  {show_name(each.contributor)}")
    if not found.neighbours:
        say("nothing is tied to it yet")
    for each in found.affirmed_by:
        last = format_minute(each.last_at)
        if each.contributor is None:
            note(f"found useful by {each.agents}, last {last}")
        else:
            note(f"said again by {show_name(each.contributor)}, last {last}")


@command(commands, "experiment --json")
def experiment(context: CommandContext) -> None:
    """Tell from your own log: does what was used together tell more than what lies together?

    Where it does, answers name what is often needed next. It is judged anew when the log has grown
    by a fifth.
    """
    context.show(context.memory.experiment(), _print_experiment)


def _print_experiment(found: Experiment) -> None:
    say("Does what was used together tell more than what lies together?")
    if found.answer == "not_enough":
        say(
            f"not enough yet: {found.sessions} of {found.needed} sessions that used something "
            "through two questions"
        )
    for place, verdict in enumerate(found.verdicts):
        interval = f"95 %: {100 * verdict.low:+.1f} to {100 * verdict.high:+.1f}"
        told = f"{100 * verdict.gain:+.1f} of 100 ({interval})"
        when = f"{format_minute(verdict.judged_at)}, {verdict.sessions} sessions"
        if place == 0 and found.answer != "not_enough":
            say(f"{found.answer}: of what was needed next, ten guesses found {told}")
            say(f"judged on {when}, and again when the log has grown by a fifth")
        elif place:
            note(f"before: {'yes' if verdict.is_open else 'no'}, {told}, {when}")


@command(commands, "values --since 30d")
def values(
    context: CommandContext,
    *,
    since: Since = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most contributors.")] = 20,
) -> None:
    """Tell who gave what others used, by topic, and which topics hang on one person alone.

    What somebody uses of their own never counts. Admins of the space see everybody, others
    themselves.
    """
    context.show(context.memory.values(since=since, limit=limit), _print_values)


def _print_values(found: Values) -> None:
    for one in found.values:
        say(f"{show_name(one.name)}: {_format_usage(one.thoughts, one.uses, one.users)}")
        for topic in one.topics:
            title = "in no topic"
            if topic.topic_id is not None:
                title = f"{fold_spaces(topic.title or '') or '(no words)'} [{topic.topic_id}]"
            alone = "  alone" if topic.is_alone else ""
            say(f"  {_format_usage(topic.thoughts, topic.uses, topic.users)}  {title}{alone}")
    if not found.values:
        say("nothing was used by anybody but who said it")
    if more := found.contributors - len(found.values):
        note(f"{more} more contributors: --limit 100")
    if found.alone:
        note(f"{found.alone} topics hang on one person alone")


def _format_usage(thoughts: int, uses: int, users: int) -> str:
    return f"{uses} uses by {users} others of {thoughts} thoughts"


@command(commands, "policy --json")
def policy(
    context: CommandContext,
    *,
    questions: Annotated[
        int, typer.Option(min=0, max=100, help="How many of the last questions are compared.")
    ] = 100,
    tries: Annotated[
        bool, typer.Option("--try", help="Try learned weights beside those in use; for admins.")
    ] = False,
    take: Annotated[
        bool, typer.Option("--take", help="Put the weights on trial in use; for admins.")
    ] = False,
    back: Annotated[
        bool,
        typer.Option("--back", help="End the trial, or go back to the version before; for admins."),
    ] = False,
    version: Annotated[
        int | None,
        typer.Option(
            "--from", help="With --try, --take or --back: only where it is still this version."
        ),
    ] = None,
) -> None:
    """Tell by which weights the space ranks, what they were learned from, and what they change.

    The last questions are searched again by the learned and by the shipped weights.
    """
    memory = context.memory
    changes = {"--try": tries, "--take": take, "--back": back}
    if sum(changes.values()) > 1:
        raise typer.BadParameter(f"choose one of {', '.join(changes)}")
    if tries:
        found = memory.try_policy(version=version)
    elif take:
        found = memory.take_policy(version=version)
    else:
        found = memory.go_back(version=version) if back else memory.policy(questions=questions)
    context.show(found, _print_policy)


def _print_policy(found: Policy) -> None:
    say(f"ranks by the {found.in_use} weights, version {found.version}")
    if found.gain is not None and found.low is not None and found.high is not None:
        say(
            f"learned from {found.queries} questions that decided: {found.gain:+.3f} a label "
            f"(95 %: {found.low:+.3f} to {found.high:+.3f})"
        )
    for each in found.factors:
        say(f"  {each.factor:.2f} times {each.reason}")
    if found.in_use == "shipped" and found.labelled < found.needed:
        say(f"not enough to learn from yet: {found.labelled} of {found.needed} questions")
    elif found.in_use == "shipped":
        say(f"{found.labelled} questions tell something; no other weights proved better by them")
    if not found.is_on:
        note("learning is off; WELLWORN_THOUGHTS__LEARNED_WEIGHTS=true switches it on")
    if found.trial is not None:
        _print_trial(found.trial)
    elif any(each.factors and each.version != found.version for each in found.versions):
        note(
            "what weights that are not in use would have got cannot be said: nothing is left to "
            "chance; --try tries them"
        )
    _print_versions(found)


def _print_trial(trial: PolicyTrial) -> None:
    say(
        f"version {trial.version} is on trial since {format_minute(trial.since)}, in "
        f"{trial.questions} questions: of {trial.wins + trial.losses + trial.ties} sessions it won "
        f"{trial.wins}, lost {trial.losses}, left {trial.ties} even"
    )
    if trial.lead is None or trial.low is None or trial.high is None:
        decided = trial.wins + trial.losses
        say(f"not enough to tell yet: {decided} of {trial.needed} sessions that either side won")
    else:
        say(f"its lead: {trial.lead:+.2f} a session (95 %: {trial.low:+.2f} to {trial.high:+.2f})")
        say(_tell_more(trial.more))
    for name, value in (("in use", trial.in_use), ("on trial", trial.tried)):
        said = "cannot be said yet"
        if value is not None:
            said = (
                f"{100 * value.rate:.0f} of 100 (95 %: {100 * value.low:.0f} to "
                f"{100 * value.high:.0f}; as by {value.effective:.0f} questions)"
            )
        say(f"  used of what the weights {name} put first: {said}")
    note("--take puts it in use, --back ends the trial")


def _tell_more(more: int | None) -> str:
    if more is None:
        return "no number of further sessions can be told that would make it sure"
    return f"sure at this lead with about {more} more decided sessions" if more else "that is sure"


def _print_versions(found: Policy) -> None:
    if found.changes is not None:
        _print_changes(found.changes)
    for each in found.versions:
        withdrawn = ""
        if each.withdrawn_at is not None:
            withdrawn = f", withdrawn {format_minute(each.withdrawn_at)}"
        elif each.taken_at is not None:
            withdrawn = f", put in use {format_minute(each.taken_at)}"
        elif each.tried_at is not None:
            withdrawn = ", on trial"
        kind = "learned" if each.factors else "the shipped weights"
        note(f"version {each.version}: {kind} {format_minute(each.learned_at)}{withdrawn}")


def _print_changes(found: PolicyChanges) -> None:
    say(
        f"of the last {found.questions} questions, version {found.version} orders "
        f"{found.reordered} lists otherwise than the shipped weights; to {found.first_places} "
        f"something else comes first ({found.gained} to what was used, {found.lost} away from it)"
    )
    for each in found.changes:
        say(f"  {shorten(each.question, EXCERPT)}  (by {each.reason})")
        for name, place in (("learned", each.learned), ("shipped", each.shipped)):
            said = shorten(place.content_preview, EXCERPT)
            say(f"    {name}: {said}  ({_EVIDENCE[place.evidence]})")
    note(f"{found.controls} of them keep the shipped order, to learn from")
