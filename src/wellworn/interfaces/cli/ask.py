"""The command ask: a question that is worked on in phases, with its answer and its sources."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import lookup, turn_output
from wellworn.interfaces.cli.context import NAMED_AGENT, CommandContext, command, new_group
from wellworn.interfaces.cli.options import read_text

commands = new_group()


@command(commands, "ask 'what is the IP of cube?' --turn 12", options=NAMED_AGENT)
def ask(
    context: CommandContext,
    query: Annotated[
        str | None, typer.Argument(help="What you want to know; - reads it from stdin.")
    ] = None,
    *,
    turn: Annotated[
        str | None,
        typer.Option(help="A turn to continue, by id or number; without a query, to resume."),
    ] = None,
) -> None:
    """Ask a question and get an answer with its sources.

    The question is worked on in phases. Each writes to a document that you can read later.
    """
    if query is None and turn is None:
        raise typer.BadParameter("ask something, or name a turn to resume with --turn")
    question = None if query is None else _read_question(query)
    turn_id = None if turn is None else lookup.find_turn_id(context.memory, turn)
    with turn_output.follow_phases(quiet=context.as_json) as on_phase:
        if question is not None:
            answer = context.memory.ask(question, follows=turn_id, on_phase=on_phase)
        else:
            answer = context.memory.resume_turn(turn_id or "", on_phase=on_phase)
    context.show(answer, turn_output.print_answer)
    if answer.turn.status == "failed" and not answer.missing:
        raise typer.Exit(1)


def _read_question(query: str) -> str:
    question = read_text(query)
    if not question.strip():
        raise typer.BadParameter("the question is empty; say what you want to know")
    return question
