"""The options that many commands share, said once so that they read the same everywhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_HOME = Path("~/.wellworn")
DEFAULT_AGENT = "cli"

Home = Annotated[Path, typer.Option("--home", envvar="WELLWORN_HOME", help="Folder with the data.")]
Url = Annotated[
    str | None,
    typer.Option("--url", envvar="WELLWORN_URL", help="Use this server and start none."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else there.")]
Agent = Annotated[
    str, typer.Option("--agent", envvar="WELLWORN_AGENT", help="Who is talking: an agent's id.")
]
AgentName = Annotated[
    str | None,
    typer.Option("--agent-name", envvar="WELLWORN_AGENT_NAME", help="The same for human eyes."),
]
Session = Annotated[
    str | None, typer.Option("--session", help="Continue this session, printed by an earlier call.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A topic; may be repeated.")]
ThoughtId = Annotated[str, typer.Argument(metavar="THOUGHT_ID", help="As printed by recall.")]


def resolved(home: Path) -> Path:
    """Return the data folder as an absolute path."""
    return home.expanduser().absolute()


def worded(text: str) -> str:
    """Return the text of an argument, read from stdin when it is a dash."""
    return sys.stdin.read().strip() if text == "-" else text
