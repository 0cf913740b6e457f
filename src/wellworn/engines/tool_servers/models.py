"""Offers and answers of servers of tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool as its server describes it, in the server's own words.

    Attributes:
        schema: JSON schema of its arguments.
        is_read_only: whether the server declares that it changes nothing.
    """

    name: str
    purpose: str
    schema: Mapping[str, Any]
    is_read_only: bool


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A tool's answer.

    Attributes:
        is_error: whether the tool says that it failed; the text says why then.
        left_out: how many parts of the answer are no text, and so were left out.
    """

    text: str
    is_error: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class ServerFailure:
    """Why there is no answer, in a sentence without its end."""

    message: str


@dataclass(slots=True)
class ServerRequest:
    """A question to a server.

    Attributes:
        until: when it takes too long, in seconds of the monotonic clock.
        tool: what to call, as it was offered; None to be told what there is.
        texts: the arguments of the call.
        is_repeatable: whether nothing was called yet, so that it may be asked once more.
    """

    until: float
    tool: ServerTool | None = None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    is_repeatable: bool = True
