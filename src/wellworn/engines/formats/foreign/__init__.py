"""What other programs keep as memory, read as records: a reader for each program.

None of them needs the program, and none disturbs it. A new one is a line in `PROGRAMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from wellworn.engines.formats.foreign import (
    basic_memory,
    chats,
    graphiti,
    hindsight,
    letta,
    mcp_memory_service,
    mem0,
    mempalace,
)
from wellworn.engines.formats.foreign.files import read_first_value
from wellworn.engines.formats.foreign.memories import ForeignMemory, list_records
from wellworn.engines.formats.lines import Tell, refuse


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose memory can be read.

    Attributes:
        read: yields its memories.
        is_place: tells whether a file or folder is its own.
        is_value: tells whether its files begin with a value of JSON like this one.
    """

    read: Callable[[Path, Tell], Iterator[ForeignMemory]]
    is_place: Callable[[Path], bool] = lambda _: False
    is_value: Callable[[dict[str, Any]], bool] = lambda _: False


PROGRAMS: Final = {
    mem0.NAME: Program(mem0.read_mem0, mem0.is_mem0),
    mcp_memory_service.NAME: Program(
        mcp_memory_service.read_mcp_memory_service, mcp_memory_service.is_mcp_memory_service
    ),
    mempalace.NAME: Program(mempalace.read_mempalace, mempalace.is_mempalace),
    hindsight.NAME: Program(hindsight.read_hindsight, hindsight.is_hindsight),
    basic_memory.NAME: Program(basic_memory.read_basic_memory, basic_memory.is_basic_memory),
    letta.NAME: Program(letta.read_letta, is_value=letta.is_letta),
    graphiti.NAME: Program(graphiti.read_graphiti, is_value=graphiti.is_graphiti),
    chats.CHATGPT: Program(chats.read_chats, is_value=chats.is_conversation_of_chatgpt),
    chats.CLAUDE: Program(chats.read_chats, is_value=chats.is_conversation_of_claude),
}


def read_foreign(
    name: str, path: Path, tell: Tell = refuse, *, author: str = ""
) -> Iterator[dict[str, Any]]:
    """Yield the records of what a program of `PROGRAMS` keeps at a path.

    `tell` is told what is left out; `author` is who said what the program names nobody for.

    Raises:
        InvalidInput: a file cannot be read.
    """
    memories = PROGRAMS[name].read(path, tell)
    named = (each if each.author else replace(each, author=author) for each in memories)
    yield from list_records(named, tell)


def recognise_place(path: Path) -> str | None:
    """Return the program whose file or folder this is without a doubt; None for any other."""
    return next((name for name, program in PROGRAMS.items() if program.is_place(path)), None)


def recognise_value(value: dict[str, Any]) -> str | None:
    """Return the program whose files begin with a value of JSON like this one."""
    return next((name for name, program in PROGRAMS.items() if program.is_value(value)), None)


def read_opening(path: Path) -> dict[str, Any]:
    """Return the value that a file, or the first file of conversations in a folder, begins with."""
    return read_first_value(next(iter(chats.list_files(path, lambda _: None)), path), chats.FILE)
