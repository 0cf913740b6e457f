"""Commands about sources: where documents come from, and how they are kept in step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from wellworn.interfaces.cli import knowledge_output
from wellworn.interfaces.cli.context import CommandContext, command, new_group
from wellworn.interfaces.cli.knowledge_output import count_documents, format_source
from wellworn.interfaces.cli.lookup import find_source
from wellworn.interfaces.cli.options import WaitFor, Yes, read_text
from wellworn.interfaces.cli.output import ask_to_confirm, emit, fold_spaces, note, say
from wellworn.interfaces.cli.source_kinds import (
    change_config,
    format_secret,
    read_token,
    recognize_source,
)
from wellworn.interfaces.cli.sync_progress import (
    is_success,
    print_findable,
    print_run,
    sync_and_wait,
    wait_until_embedded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wellworn.client.models import KnowledgeSource, SyncRun

Value = TypeVar("Value")

SourceName = Annotated[
    str, typer.Argument(metavar="SOURCE", help="Its number or its name, as list prints them.")
]
TimeZone = Annotated[str | None, typer.Option(help="Time zone of the schedule: Europe/Berlin.")]
TokenVariable = Annotated[
    str | None, typer.Option(metavar="NAME", help="Take the token from this environment variable.")
]
Watch = Annotated[
    bool | None,
    typer.Option("--watch/--no-watch", help="Sync a folder soon after its files change."),
]
Hidden = Annotated[
    bool | None,
    typer.Option("--hidden/--no-hidden", help="Read what begins with a dot in a folder, too."),
]

_EXAMPLE = "source add ./docs --schedule '0 3 * * *'"
commands = new_group("Add the places where documents come from, and sync them.", example=_EXAMPLE)


@command(commands, _EXAMPLE)
def add(
    context: CommandContext,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="A web page, a git repository (….git), a folder of the server's machine, a file; "
            "or, with --note, a title.",
        ),
    ] = None,
    *,
    name: Annotated[
        str | None, typer.Option(help="The name to cite its documents by; by default, from WHAT.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--note", help="Text of a note; - reads it from stdin.")
    ] = None,
    git: Annotated[
        bool, typer.Option("--git", help="WHAT is a git repository, whatever its name.")
    ] = False,
    branch: Annotated[
        str | None, typer.Option(help="Branch of a repository; by default, its default branch.")
    ] = None,
    path_filter: Annotated[
        str | None, typer.Option(help="Read only this part of a repository: docs/ or docs/*.md.")
    ] = None,
    include: Annotated[
        str | None, typer.Option(help="Read only these files of a folder: *.md.")
    ] = None,
    watch: Watch = None,
    hidden: Hidden = None,
    schedule: Annotated[
        str | None, typer.Option(help="When to sync, as cron: '0 3 * * *'; by default, by hand.")
    ] = None,
    time_zone: TimeZone = None,
    token: Annotated[
        bool, typer.Option("--token", help="Ask for a token, without showing it.")
    ] = False,
    token_env: TokenVariable = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", help="Id of a member who may see it; can be repeated. By default, everybody."
        ),
    ] = None,
    no_sync: Annotated[
        bool, typer.Option("--no-sync", help="Add it without a first sync.")
    ] = False,
) -> None:
    """Add a source and sync it at once; WHAT decides its kind."""
    details = _collect_details(
        text, branch=branch, path_filter=path_filter, include=include, watch=watch, hidden=hidden
    )
    new_source = recognize_source(what, details, is_git=git)
    secret = read_token(token_env, ask=token)
    if secret is not None:
        secret = format_secret(new_source.source_type, secret)
    context.note_project()
    memory = context.memory
    source = memory.add_source(
        new_source.source_type,
        new_source.name if name is None else name,
        new_source.config,
        secret=secret,
        sync_schedule=schedule,
        time_zone=time_zone,
        agents=agents,
    )
    if not context.as_json:
        say(f"added {format_source(source)}")
    run = None if no_sync else _sync_first(context, source, new_source.file)
    if run is not None and not context.as_json:
        print_run(source.name, run)
    if context.as_json:
        emit({"source": source, "run": run})
    _exit_on_failure([] if run is None else [run])


@command(commands, "source list --json", name="list")
def list_sources(context: CommandContext) -> None:
    """List the sources that you may see."""
    context.show(context.memory.sources(), knowledge_output.print_sources)


@command(commands, "source show mytech")
def show(context: CommandContext, source: SourceName) -> None:
    """Print a source, and how its last sync went."""
    memory = context.memory
    context.show(memory.source(find_source(memory, source).id), knowledge_output.print_source)


@command(commands, "source change mytech --schedule '30 2 * * *'")
def change(
    context: CommandContext,
    source: SourceName,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="A new address of the page or repository, a new folder, or a new title.",
        ),
    ] = None,
    *,
    name: Annotated[str | None, typer.Option(help="A new name to cite its documents by.")] = None,
    text: Annotated[
        str | None, typer.Option("--note", help="New text of a note; - reads it from stdin.")
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="Branch of a repository; '' for its default branch.")
    ] = None,
    path_filter: Annotated[
        str | None, typer.Option(help="Read only this part of a repository; '' for all of it.")
    ] = None,
    include: Annotated[
        str | None, typer.Option(help="Read only these files of a folder; '' for all of it.")
    ] = None,
    watch: Watch = None,
    hidden: Hidden = None,
    schedule: Annotated[str | None, typer.Option(help="When to sync: '0 3 * * *'.")] = None,
    no_schedule: Annotated[bool, typer.Option("--no-schedule", help="Sync only by hand.")] = False,
    time_zone: TimeZone = None,
    token: Annotated[
        bool, typer.Option("--token", help="Ask for a new token, without showing it.")
    ] = False,
    token_env: TokenVariable = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Forget the token.")] = False,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Id of a member who may see it, may be repeated; no other."),
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Everybody in the space may see it.")
    ] = False,
) -> None:
    """Change a source; options that you leave out stay as they are.

    Its documents stay until the next sync. To let its schedule rest, there are pause and resume.
    """
    _refuse_both({"--schedule": schedule is not None, "--no-schedule": no_schedule})
    _refuse_both({"--agent": bool(agents), "--everybody": everybody})
    _refuse_both({"--token": token, "--token-env": token_env is not None, "--no-token": no_token})
    details = _collect_details(
        text, branch=branch, path_filter=path_filter, include=include, watch=watch, hidden=hidden
    )
    changes: dict[str, Any] = _drop_absent(
        {
            "name": name,
            "sync_schedule": "" if no_schedule else schedule,
            "time_zone": time_zone,
            "agents": agents or None,
            "secret": "" if no_token else read_token(token_env, ask=token),
            "everybody": everybody or None,
        }
    )
    if what is None and not details and not changes:
        raise typer.BadParameter("say what is to be different, such as --schedule or --name")
    memory = context.memory
    current = find_source(memory, source)
    config = change_config(current.source_type, current.config, what, details)
    if changes.get("secret"):
        changes["secret"] = format_secret(current.source_type, changes["secret"])
    changed = memory.change_source(current.id, config=config, **changes)
    context.show(changed, f"changed: {format_source(changed)}")
    if not context.as_json:
        knowledge_output.print_source(changed)
        if config is not None:
            note(f"its documents stay until it is synced: wellworn source sync {changed.id}")


@command(commands, "source sync mytech   or: wellworn source sync --all")
def sync(
    context: CommandContext,
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="Its number or its name.")
    ] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Sync all sources that are not paused.")
    ] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Remove vanished documents; take what a page became.")
    ] = False,
    reread: Annotated[
        bool, typer.Option("--reread", help="Read every file, even if it seems unchanged.")
    ] = False,
    wait: Annotated[
        WaitFor, typer.Option(help="Until documents are found by words, or embedded as well.")
    ] = "words",
) -> None:
    """Sync a source; the exit code is 1 when that fails.

    What has not changed costs nothing. When many documents vanish at once they stay until you
    confirm it. Documents are found by their words at once; they are embedded in the background.
    """
    if (source is None) != every:
        raise typer.BadParameter("name one source, or use --all")
    memory = context.memory
    if source is not None:
        sources = [find_source(memory, source)]
    else:
        sources = [each for each in memory.sources() if not each.is_paused]
    runs: list[SyncRun] = []
    for each in sources:
        run = sync_and_wait(memory, each, confirm=confirm, reread=reread, quiet=context.as_json)
        runs.append(run)
        _follow_up(context, each, run, wait)
    if context.as_json:
        emit(tuple(runs))
    elif not runs:
        note("there is no source to sync; wellworn source add makes one")
    _exit_on_failure(runs)


@command(commands, "source upload manuals guide.pdf setup.docx")
def upload(
    context: CommandContext,
    source: SourceName,
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, metavar="FILE…")],
    *,
    folder: Annotated[
        str, typer.Option("--into", metavar="FOLDER", help="A folder within the source.")
    ] = "",
) -> None:
    """Send files to a source of uploads.

    A file replaces an earlier one of the same name.
    """
    memory = context.memory
    runs: list[SyncRun] = []
    with context.progress("sending") as advance:
        source_id = find_source(memory, source).id
        try:
            for file in files:
                path = "/".join(filter(None, [folder.strip("/"), file.name]))
                runs.append(memory.upload(source_id, path, file.read_bytes()))
                advance(len(runs), len(files))
                if not context.as_json:
                    print_run(path, runs[-1])
        finally:
            if (unsent := files[len(runs) :]) and not context.as_json:
                say(f"not stored, send again: {' '.join(map(str, unsent))}")
    if context.as_json:
        emit(tuple(runs))
    _exit_on_failure(runs)


@command(commands, "source runs mytech --limit 3")
def runs(
    context: CommandContext,
    source: SourceName,
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Most runs.")] = 20,
) -> None:
    """Print a source's latest syncs, newest first."""
    memory = context.memory
    runs = memory.source_runs(find_source(memory, source).id, limit=limit)
    context.show(runs, knowledge_output.print_runs)


@command(commands, "source secrets mytech")
def secrets(context: CommandContext, source: SourceName) -> None:
    """Print where secrets were removed from documents.

    The secrets themselves are not stored. They were readable where the documents come from:
    revoke them there.
    """
    memory = context.memory
    secrets = memory.secrets_taken(find_source(memory, source).id)
    context.show(secrets, knowledge_output.print_secrets)


@command(commands, "source pause mytech")
def pause(context: CommandContext, source: SourceName) -> None:
    """Pause a source's schedule; its documents stay."""
    memory = context.memory
    changed = memory.change_source(find_source(memory, source).id, is_paused=True)
    context.show(changed, f"paused: {format_source(changed)}")


@command(commands, "source resume mytech")
def resume(context: CommandContext, source: SourceName) -> None:
    """Resume a paused source's schedule."""
    memory = context.memory
    changed = memory.change_source(find_source(memory, source).id, is_paused=False)
    context.show(changed, f"resumed: {format_source(changed)}")


@command(commands, "source remove mytech")
def remove(context: CommandContext, name: SourceName, *, yes: Yes = False) -> None:
    """Remove a source, its documents, and everything learned from them."""
    memory = context.memory
    source = find_source(memory, name)
    extent = f"{format_source(source)} with {count_documents(source.documents)}"
    ask_to_confirm(f"Remove {extent}?", yes=yes)
    count = memory.remove_source(source.id)
    text = f"removed: {fold_spaces(source.name)}, with {count_documents(count)}"
    context.show({"deleted": source.id, "documents": count}, text)


def _follow_up(
    context: CommandContext, source: KnowledgeSource, run: SyncRun, wait: WaitFor
) -> None:
    """Print what a sync did and what its documents are found by, once it is what was waited for."""
    if not context.as_json:
        print_run(source.name, run)
    if wait == "embedded":
        wait_until_embedded(context.memory, source, quiet=context.as_json)
    elif not context.as_json:
        print_findable(context.memory, source)


def _sync_first(context: CommandContext, source: KnowledgeSource, file: Path | None) -> SyncRun:
    if file is not None:
        return context.memory.upload(source.id, file.name, file.read_bytes())
    return sync_and_wait(context.memory, source, quiet=context.as_json)


def _collect_details(text: str | None, **options: object) -> dict[str, object]:
    """Return the options that belong to a kind of source, as its configuration names them."""
    return _drop_absent({**options, "text": text and read_text(text)})


def _drop_absent(values: Mapping[str, Value | None]) -> dict[str, Value]:
    """Return the options that were given."""
    return {name: value for name, value in values.items() if value is not None}


def _refuse_both(options: dict[str, bool]) -> None:
    """Refuse options that contradict one another."""
    contradicting = [option for option, is_given in options.items() if is_given]
    if len(contradicting) > 1:
        raise typer.BadParameter(f"use either {' or '.join(contradicting)}")


def _exit_on_failure(runs: list[SyncRun]) -> None:
    """End the command with exit code 1 if one of the runs failed."""
    if not all(map(is_success, runs)):
        raise typer.Exit(1)
