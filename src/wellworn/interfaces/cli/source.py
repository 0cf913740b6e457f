"""Commands about sources: add, list, show, sync, upload, runs, secrets, pause, resume, remove."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import findings
from wellworn.interfaces.cli.changing import SourceName, change
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.kinds import Details, authorization, token_given, wanted
from wellworn.interfaces.cli.naming import source_of
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url, Yes, worded
from wellworn.interfaces.cli.output import emit, note, progress, say
from wellworn.interfaces.cli.rendering import one_line
from wellworn.interfaces.cli.syncing import synced, told, went_well

if TYPE_CHECKING:
    from wellworn.client import Wellworn
    from wellworn.client.models import KnowledgeSource, SyncRun

_EXAMPLE = "Example: wellworn source add ./docs --schedule '0 3 * * *'"


def register(app: typer.Typer) -> None:
    """Add the commands of this module, as `wellworn source …`."""
    group = typer.Typer(
        help="Say where documents come from, and keep them in step.",
        epilog=_EXAMPLE,
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog=_EXAMPLE)(add)
    group.command("list", epilog="Example: wellworn source list --json")(listed)
    group.command(epilog="Example: wellworn source show mytech")(show)
    group.command(epilog="Example: wellworn source change mytech --schedule '30 2 * * *'")(change)
    group.command(epilog="Example: wellworn source sync mytech   or: wellworn source sync --all")(
        sync
    )
    group.command(epilog="Example: wellworn source upload manuals guide.pdf setup.docx")(upload)
    group.command(epilog="Example: wellworn source runs mytech --limit 3")(runs)
    group.command(epilog="Example: wellworn source secrets mytech")(secrets)
    group.command(epilog="Example: wellworn source pause mytech")(pause)
    group.command(epilog="Example: wellworn source resume mytech")(resume)
    group.command(epilog="Example: wellworn source remove mytech")(remove)
    app.add_typer(group, name="source")


def add(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="A web page, a git repository (….git), a folder of the server's machine, a file; "
            "with --note a title.",
        ),
    ] = None,
    *,
    name: Annotated[
        str | None, typer.Option(help="What its documents are cited by; made of WHAT otherwise.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--note", help="A note to keep; - reads it from stdin.")
    ] = None,
    git: Annotated[
        bool, typer.Option("--git", help="WHAT is a git repository, whatever it is called.")
    ] = False,
    branch: Annotated[str | None, typer.Option(help="Of a repository; its own otherwise.")] = None,
    path_filter: Annotated[
        str | None, typer.Option(help="Of a repository only this: docs/ or docs/*.md.")
    ] = None,
    include: Annotated[str | None, typer.Option(help="Of a folder only this: *.md.")] = None,
    schedule: Annotated[
        str | None, typer.Option(help="When to sync, as cron: '0 3 * * *'; by hand otherwise.")
    ] = None,
    time_zone: Annotated[str | None, typer.Option(help="Of the schedule: Europe/Berlin.")] = None,
    token: Annotated[bool, typer.Option("--token", help="Ask for a token, unseen.")] = False,
    token_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take the token from this variable.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Id of a member who may see it, may be repeated; everybody."),
    ] = None,
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only keep it.")] = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Add a source and sync it at once; what kind it is shows from WHAT."""
    details = Details(
        note=None if text is None else worded(text),
        git=git,
        branch=branch,
        path_filter=path_filter,
        include=include,
    )
    found = wanted(what, details)
    secret = token_given(token_env, ask=token)
    if secret is not None:
        secret = authorization(found.source_type, secret)
    with connect(home, url, key=key, space=space) as memory:
        made = memory.add_source(
            found.source_type,
            found.name if name is None else name,
            found.config,
            secret=secret,
            sync_schedule=schedule,
            time_zone=time_zone,
            agents=agents,
        )
        if not as_json:
            say(f"added {findings.about_source(made)}")
        run = None if no_sync else _first_sync(memory, made, found.file, quiet=as_json)
        if run is not None and not as_json:
            told(made.name, run)
    if as_json:
        emit({"source": made, "run": run})
    if run is not None:
        _finish([run])


def listed(
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """List the sources that you may see."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.sources()
    emit(found) if as_json else findings.sources(found)


def show(
    source: SourceName,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print what a source is and how its last sync went."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.source(source_of(memory, source).id)
    emit(found) if as_json else findings.source(found)


def sync(
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="Its number, or its name.")
    ] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="All sources but those that are paused.")
    ] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Let documents go that vanished, however many.")
    ] = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Bring a source up to date; the exit code is 1 when that failed.

    What has not changed costs nothing. When many documents vanish at once they stay until you
    confirm it.
    """
    if (source is None) != every:
        raise typer.BadParameter("name one source, or say --all")
    with connect(home, url, key=key, space=space) as memory:
        if source is not None:
            chosen = [source_of(memory, source)]
        else:
            chosen = [one for one in memory.sources() if not one.is_paused]
        done: list[SyncRun] = []
        for one in chosen:
            done.append(synced(memory, one, confirm=confirm, quiet=as_json))
            if not as_json:
                told(one.name, done[-1])
    if as_json:
        emit(tuple(done))
    elif not done:
        note("there is no source to sync; wellworn source add makes one")
    _finish(done)


def upload(
    source: SourceName,
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, metavar="FILE…")],
    *,
    folder: Annotated[
        str, typer.Option("--into", metavar="FOLDER", help="A folder within the source.")
    ] = "",
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Send files into a source of uploads; one of the same name is replaced."""
    done: list[SyncRun] = []
    with (
        connect(home, url, key=key, space=space) as memory,
        progress("sending", quiet=as_json) as advance,
    ):
        found = source_of(memory, source)
        for file in files:
            path = "/".join(filter(None, [folder.strip("/"), file.name]))
            done.append(memory.upload(found.id, path, file.read_bytes()))
            advance(len(done), len(files))
            if not as_json:
                told(path, done[-1])
    if as_json:
        emit(tuple(done))
    _finish(done)


def runs(
    source: SourceName,
    *,
    limit: Annotated[int, typer.Option(min=1, max=100, help="At most this many.")] = 20,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print the last syncs of a source, newest first."""
    with connect(home, url, key=key, space=space) as memory:
        found = memory.source_runs(source_of(memory, source).id, limit=limit)
    emit(found) if as_json else findings.runs(found)


def secrets(
    source: SourceName,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Print where secrets were taken out of documents; what they were is kept nowhere.

    They were readable where the documents come from: end them there.
    """
    with connect(home, url, key=key, space=space) as memory:
        found = memory.secrets_taken(source_of(memory, source).id)
    emit(found) if as_json else findings.secrets(found)


def pause(
    source: SourceName,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Let a source's schedule rest; its documents stay."""
    with connect(home, url, key=key, space=space) as memory:
        changed = memory.change_source(source_of(memory, source).id, is_paused=True)
    emit(changed) if as_json else say(f"paused: {findings.about_source(changed)}")


def resume(
    source: SourceName,
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Let a paused source be synced by its schedule again."""
    with connect(home, url, key=key, space=space) as memory:
        changed = memory.change_source(source_of(memory, source).id, is_paused=False)
    emit(changed) if as_json else say(f"resumed: {findings.about_source(changed)}")


def remove(
    source: SourceName,
    *,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Remove a source with its documents and all that was learned of them."""
    with connect(home, url, key=key, space=space) as memory:
        found = source_of(memory, source)
        if not yes:
            question = (
                f"Remove {findings.about_source(found)} with {findings.counted(found.documents)}?"
            )
            typer.confirm(question, abort=True, err=True)
        gone = memory.remove_source(found.id)
    if as_json:
        emit({"deleted": found.id, "documents": gone})
    else:
        say(f"removed: {one_line(found.name)}, with {findings.counted(gone)}")


def _first_sync(
    memory: Wellworn, source: KnowledgeSource, file: Path | None, *, quiet: bool
) -> SyncRun:
    if file is not None:
        return memory.upload(source.id, file.name, file.read_bytes())
    return synced(memory, source, quiet=quiet)


def _finish(done: list[SyncRun]) -> None:
    """Fail if one of the runs failed."""
    if not all(map(went_well, done)):
        raise typer.Exit(1)
