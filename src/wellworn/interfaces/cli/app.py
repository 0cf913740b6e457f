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
from wellworn.engines import daemon
from wellworn.interfaces.cli import (
    ask,
    audit,
    capture,
    credential,
    curation,
    evaluate,
    graph,
    install,
    knowledge,
    maintenance,
    memory,
    outline,
    plugin,
    server,
    service,
    sleep,
    source,
    source_webhook,
    space,
    thought,
    topics,
    traces,
    transfer,
    turn,
)
from wellworn.interfaces.cli.context import JSON, CommandContext, command
from wellworn.interfaces.cli.failures import explain
from wellworn.interfaces.cli.output import complain, say, write_any_text

if TYPE_CHECKING:
    from collections.abc import Sequence


class CommandGroup(TyperGroup):
    """All commands; the error about an unknown one names the groups that have it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as failure:
            groups = [
                name
                for name, group in self.commands.items()
                if isinstance(group, TyperGroup) and args[0] in group.commands
            ]
            if groups:
                below = " or ".join(f"'{name} {args[0]}'" for name in groups)
                failure.message = f"No such command {args[0]!r}. Did you mean {below}?"
            raise


app = typer.Typer(
    name="wellworn",
    cls=CommandGroup,
    help="A shared memory for AI agents: what one learns, all others find.",
    epilog="Example: wellworn remember 'The build needs Python 3.11.' && wellworn recall 'build?'",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (
    *(
        server,
        install,
        plugin,
        memory,
        capture,
        ask,
        outline,
        topics,
        graph,
        curation,
        sleep,
        traces,
    ),
    *(transfer, maintenance, evaluate),
):
    app.registered_commands += _module.commands.registered_commands
source.commands.registered_commands += source_webhook.commands.registered_commands
for _module in (thought, turn, source, knowledge, credential, space, audit, service):
    app.add_typer(_module.commands, name=_module.__name__.rpartition(".")[2])


def main(words: Sequence[str] | None = None) -> int:
    """Run the program with the words of the command line and return its exit code."""
    # Before numpy is loaded: its products here are small, and its threads would wait for one
    # another and for the encoder's (an import ran at half its speed).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    daemon.create_files_privately()
    write_any_text()
    try:
        result: Any = app(words, prog_name="wellworn", standalone_mode=False)
    except Exception as failure:  # noqa: BLE001 — the outermost caller: every failure becomes two lines
        reason = explain(failure)
        complain(reason.message, reason.remedy)
        return reason.exit_code
    return result if isinstance(result, int) else 0


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """A shared memory for AI agents: what one learns, all others find."""
    if show_version:
        say(wellworn.__version__)
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@command(app, "version --json", options=JSON)
def version(context: CommandContext) -> None:
    """Print the version."""
    context.show({"version": wellworn.__version__}, wellworn.__version__)
