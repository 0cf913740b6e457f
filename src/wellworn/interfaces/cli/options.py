"""Options and arguments that several commands share, and what reads their values."""

from __future__ import annotations

import os
import re
import sys
from locale import getencoding
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from wellworn.interfaces.cli.output import note
from wellworn.kit.clock import SystemClock, end_of, from_iso, to_iso

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_SPAN = re.compile(r"([1-9][0-9]{0,8})([smhdw])")


RoleOption: TypeAlias = Literal["reader", "contributor", "admin"]
WaitFor: TypeAlias = Literal["words", "embedded"]
"""By what documents or thoughts are to be found when a command ends."""


def parse_duration(text: str) -> int:
    """Read a length of time such as 30d, 12h, 90m or 45s.

    Raises:
        typer.BadParameter: it is none.
    """
    span = _SPAN.fullmatch(text)
    if span is None:
        raise typer.BadParameter(
            "a length of time is a number and one of s, m, h, d, w, such as 30d"
        )
    return int(span[1]) * _SECONDS[span[2]]


def parse_time(text: str) -> str:
    """Read a time, or a length of time before now, as ISO 8601 in UTC; a day stays a day.

    Raises:
        typer.BadParameter: it is none.
    """
    try:
        if _SPAN.fullmatch(text):
            return to_iso(SystemClock().now() - parse_duration(text))
        time = to_iso(from_iso(text))
    except (ValueError, OverflowError) as failure:
        message = (
            f"{text!r} is not a time: use 2026-02-23, 2026-02-23T15:00:00Z, or 2h (2 hours ago)"
        )
        raise typer.BadParameter(message) from failure
    return text if len(text) == len("2026-02-23") else time


def parse_end(text: str) -> str:
    """Read a time, or a length of time from now on, as ISO 8601 in UTC; a day stays a day.

    Raises:
        typer.BadParameter: it is none.
    """
    try:
        if _SPAN.fullmatch(text):
            return to_iso(SystemClock().now() + parse_duration(text))
        return parse_time(text)
    except (typer.BadParameter, ValueError, OverflowError) as failure:
        message = f"{text!r} is not a time: use 2026-12-24, 2026-12-24T15:00:00Z, or 7d (in 7 days)"
        raise typer.BadParameter(message) from failure


Home = Annotated[Path, typer.Option("--home", envvar="WELLWORN_HOME", help="The data folder.")]
Url = Annotated[
    str | None,
    typer.Option(
        "--url", envvar="WELLWORN_URL", help="Address of a running server; none is started."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key",
        envvar="WELLWORN_KEY",
        help="Your key. Prefer the variable: others on the machine can see arguments.",
    ),
]
InSpace = Annotated[
    str | None,
    typer.Option("--space", envvar="WELLWORN_SPACE", help="Id or name of the space to use."),
]
Shared = Annotated[
    bool,
    typer.Option("--shared", help="Use the space that all projects share, not this project."),
]
SpaceName = Annotated[str, typer.Argument(metavar="SPACE", help="Its id or its name.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
Agent = Annotated[
    str, typer.Option("--agent", envvar="WELLWORN_AGENT", help="Id of the agent that is talking.")
]
AgentName = Annotated[
    str | None,
    typer.Option(
        "--agent-name", envvar="WELLWORN_AGENT_NAME", help="The agent's name, for people."
    ),
]
Session = Annotated[
    str | None, typer.Option("--session", help="Continue this session; earlier calls print its id.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A topic; can be repeated.")]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        parser=parse_time,
        metavar="TIME",
        help="Only what is since 2026-02-23, 2026-02-23T15:00Z (UTC), or 7d (7 days ago).",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until",
        parser=parse_time,
        metavar="TIME",
        help="Only thoughts up to this time; a day counts to its end.",
    ),
]
Topic = Annotated[
    str | None,
    typer.Option(metavar="TOPIC_ID", help="Only thoughts of this topic, as `topics` prints it."),
]
State = Annotated[
    Literal["unconfirmed", "outdated"] | None,
    typer.Option(help="Only thoughts that wait to be confirmed, or are not true any more."),
]
Words = Annotated[
    str | None, typer.Option(help="Only thoughts that hold all of these words, in any form.")
]
By = Annotated[
    str | None, typer.Option("--by", help="Only thoughts of this contributor: its id or name.")
]


def require_order(since: str | None, until: str | None) -> None:
    """Refuse a stretch of time that ends before it begins.

    Raises:
        typer.BadParameter: it does.
    """
    if since and until and end_of(until) <= from_iso(since):
        raise typer.BadParameter("--until must be after --since")


def strip_kind(thought_id: str) -> str:
    """Take an id as an outline prints it, too."""
    return thought_id.removeprefix("thought:")


ThoughtId = Annotated[
    str,
    typer.Argument(
        metavar="THOUGHT_ID",
        help="Its id, as recall prints it.",
        callback=strip_kind,
    ),
]


def read_text(text: str) -> str:
    """Return the text of an argument, read from stdin when it is a dash.

    What is not UTF-8 is read as files are, in the encoding of the terminal or a guessed one.
    """
    if text == "-":
        source = getattr(sys.stdin, "buffer", None)
        read = _decode(source.read()) if source else sys.stdin.read()
        return read.replace("\r\n", "\n").strip()
    return text if text.isprintable() else _decode(os.fsencode(text))


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        from wellworn.kit.charset import decode, find_doubt

        decoded = decode(raw, declared=[getencoding()])
        if doubt := find_doubt(decoded.flags):
            note(doubt)
        return decoded.text
