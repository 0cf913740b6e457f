"""Defines a tool: how it is listed, and the call behind it.

Source: Model Context Protocol, tools (annotations, structured content).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from wellworn.domain.spaces import Access
from wellworn.interfaces.mcp import arguments as takes
from wellworn.interfaces.mcp.caller import Caller

if TYPE_CHECKING:
    from wellworn.application.calls import App

ToolAnswer = tuple[BaseModel, str | None]
"""A result and the text to read; without a text, the result itself is read."""
Call = Callable[["App", Access, Caller, Any], ToolAnswer]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is listed, and `call`, which answers it.

    Attributes:
        is_slow: of a tool whose calls can take minutes: whether one with these arguments can, so
            that it must not hold up short ones.
    """

    name: str
    title: str
    description: str
    takes: type[takes.Arguments]
    call: Call
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    is_slow: Callable[[Any], bool] | None = None
