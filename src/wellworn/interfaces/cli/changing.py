"""The command that changes what is set of a source: its place, name, schedule, token, members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wellworn.interfaces.cli import findings
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.kinds import Details, authorization, reconfigured, token_given
from wellworn.interfaces.cli.naming import source_of
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url, worded
from wellworn.interfaces.cli.output import emit, note, say

if TYPE_CHECKING:
    from wellworn.client.models import KnowledgeSource

SourceName = Annotated[
    str, typer.Argument(metavar="SOURCE", help="Its number, or its name, as printed by list.")
]


def change(
    source: SourceName,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help="Another address of the page or repository, another folder, another title.",
        ),
    ] = None,
    *,
    name: Annotated[str | None, typer.Option(help="What its documents are cited by.")] = None,
    text: Annotated[
        str | None, typer.Option("--note", help="Another text of a note; - reads it from stdin.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="Of a repository; '' for its own.")] = None,
    path_filter: Annotated[
        str | None, typer.Option(help="Of a repository only this; '' for all of it.")
    ] = None,
    include: Annotated[
        str | None, typer.Option(help="Of a folder only this; '' for all of it.")
    ] = None,
    schedule: Annotated[str | None, typer.Option(help="When to sync: '0 3 * * *'.")] = None,
    no_schedule: Annotated[
        bool, typer.Option("--no-schedule", help="Sync it by hand only.")
    ] = False,
    time_zone: Annotated[str | None, typer.Option(help="Of the schedule: Europe/Berlin.")] = None,
    token: Annotated[bool, typer.Option("--token", help="Ask for another token, unseen.")] = False,
    token_env: Annotated[
        str | None, typer.Option(metavar="NAME", help="Take the token from this variable.")
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Forget its token.")] = False,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Id of a member who may see it, may be repeated; no other."),
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="Everybody in the space may see it.")
    ] = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Change what is set of a source; what is not named stays as it is.

    Its documents stay until the next sync. To let its schedule rest, there are pause and resume.
    """
    _refuse_both({"--schedule": schedule is not None, "--no-schedule": no_schedule})
    _refuse_both({"--agent": bool(agents), "--everybody": everybody})
    _refuse_both({"--token": token, "--token-env": token_env is not None, "--no-token": no_token})
    details = Details(
        note=None if text is None else worded(text),
        branch=branch,
        path_filter=path_filter,
        include=include,
    )
    said: dict[str, Any] = {
        "name": name,
        "sync_schedule": "" if no_schedule else schedule,
        "time_zone": time_zone,
        "agents": agents or None,
        "secret": "" if no_token else token_given(token_env, ask=token),
        "everybody": everybody or None,
    }
    given = {option: value for option, value in said.items() if value is not None}
    if what is None and details == Details() and not given:
        raise typer.BadParameter("say what is to be different, such as --schedule or --name")
    with connect(home, url, key=key, space=space) as memory:
        found = source_of(memory, source)
        config = reconfigured(found.source_type, found.config, what, details)
        if given.get("secret"):
            given["secret"] = authorization(found.source_type, given["secret"])
        changed = memory.change_source(found.id, config=config, **given)
    emit(changed) if as_json else _told(changed, is_elsewhere=config is not None)


def _refuse_both(given: dict[str, bool]) -> None:
    """Refuse options that contradict one another."""
    found = [option for option, is_given in given.items() if is_given]
    if len(found) > 1:
        raise typer.BadParameter(f"say either {' or '.join(found)}")


def _told(changed: KnowledgeSource, *, is_elsewhere: bool) -> None:
    say(f"changed: {findings.about_source(changed)}")
    findings.source(changed)
    if is_elsewhere:
        note(f"its documents stay until it is synced: wellworn source sync {changed.id}")
