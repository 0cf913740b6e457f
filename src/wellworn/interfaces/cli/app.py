"""The program `wellworn`: its commands, and the one place where failures become words.

Exit codes: 0 done, 1 failed, 2 used wrongly. A failure is two lines on stderr, `error: …` and
`try: …`, never a traceback.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

import wellworn
from wellworn.interfaces.cli import (
    audit,
    browsing,
    credential,
    evaluate,
    knowledge,
    memory,
    moving,
    serving,
    source,
    space,
    thought,
    upkeep,
)
from wellworn.interfaces.cli.failures import explained
from wellworn.interfaces.cli.options import Json
from wellworn.interfaces.cli.output import complain, emit, say

if TYPE_CHECKING:
    from collections.abc import Sequence


class Commands(TyperGroup):
    """All commands; one that is looked for here and stands in a group is told with its group."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as failure:
            groups = [name for name, one in self.commands.items() if _has(one, args[0])]
            if groups:
                below = " or ".join(f"'{name} {args[0]}'" for name in groups)
                failure.message = f"No such command {args[0]!r}. Did you mean {below}?"
            raise


def _has(command: object, name: str) -> bool:
    return isinstance(command, TyperGroup) and name in command.commands


app = typer.Typer(
    name="wellworn",
    cls=Commands,
    help="A shared memory for AI agents that is worn in by use.",
    epilog="Example: wellworn remember 'The build needs Python 3.11.' && wellworn recall 'build?'",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
serving.register(app)
memory.register(app)
browsing.register(app)
thought.register(app)
source.register(app)
knowledge.register(app)
credential.register(app)
space.register(app)
audit.register(app)
moving.register(app)
upkeep.register(app)
evaluate.register(app)


def main(words: Sequence[str] | None = None) -> int:
    """Run the program with the words of the command line and return its exit code."""
    # Before numpy is loaded: its products here are small, and its threads would wait for one
    # another and for the encoder's (an import ran at half its speed).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        answer: Any = app(words, prog_name="wellworn", standalone_mode=False)
    except Exception as failure:  # noqa: BLE001 — a door: every failure becomes two lines
        reason = explained(failure)
        complain(reason.message, reason.remedy)
        return reason.exit_code
    return answer if isinstance(answer, int) else 0


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """A shared memory for AI agents that is worn in by use."""
    if show_version:
        say(wellworn.__version__)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog="Example: wellworn version --json")
def version(as_json: Json = False) -> None:
    """Print the version."""
    emit({"version": wellworn.__version__}) if as_json else say(wellworn.__version__)
