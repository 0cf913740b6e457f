"""Commands that look after a data folder: doctor, rebuild, decay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.options import DEFAULT_HOME, Home, InSpace, Json, Key, Url, resolved
from wellworn.interfaces.cli.output import emit, progress, say

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: wellworn doctor --json")(doctor)
    app.command(epilog="Example: wellworn stop && wellworn rebuild")(rebuild)
    app.command(epilog="Example: wellworn decay")(decay)


def doctor(home: Home = DEFAULT_HOME, as_json: Json = False) -> None:
    """Check the data folder.

    Says what to do about each fault; the exit code is 1 when there is one.
    """
    import typer

    from wellworn.application import maintenance

    report = maintenance.doctor(resolved(home))
    healthy = all(finding.ok for finding in report.findings)
    if as_json:
        emit(report)
    else:
        for finding in report.findings:
            say(f"{'ok' if finding.ok else 'WRONG':>5}  {finding.check}: {finding.message}")
    if not healthy:
        raise typer.Exit(1)


def rebuild(home: Home = DEFAULT_HOME, as_json: Json = False) -> None:
    """Make all derived data anew from the ledger."""
    from wellworn.application import maintenance

    with progress("rebuilding", quiet=as_json) as advance:
        maintenance.rebuild(resolved(home), advance)
    emit({"rebuilt": str(resolved(home))}) if as_json else say("rebuilt")


def decay(
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    space: InSpace = None,
    as_json: Json = False,
) -> None:
    """Settle every stored weight; reading never needs it."""
    with connect(home, url, key=key, space=space) as memory:
        settled = memory.decay()
    emit(settled) if as_json else say(f"settled {settled.settled} weights")
