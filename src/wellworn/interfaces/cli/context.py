"""Gives every command the shared options, a connection when needed, and the output.

A command declares its own parameters and takes a `CommandContext` first; `command` adds the shared
options it accepts to the end of its parameters, where typer finds them.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import typer

from wellworn.engines import daemon
from wellworn.interfaces.cli import lookup, output
from wellworn.interfaces.cli.options import (
    Agent,
    AgentName,
    Home,
    InSpace,
    Json,
    Key,
    Shared,
    Url,
    strip_kind,
)
from wellworn.interfaces.cli.waiting import note_if_slow
from wellworn.kit.project_ids import is_space_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from wellworn.client import Wellworn
    from wellworn.engines.projects import Project

JSON: Final = ("as_json",)
FOLDER: Final = ("home", "as_json")
SERVER: Final = ("home", "url", "key", "as_json")
SPACE: Final = ("home", "url", "key", "space", "as_json")
STREAM: Final = ("home", "url", "key", "space")
AGENT: Final = ("agent", *SPACE)
NAMED_AGENT: Final = ("agent", "agent_name", *SPACE)
TALKING: Final = (*NAMED_AGENT, "shared")

Command = TypeVar("Command", bound="Callable[..., None]")
Value = TypeVar("Value")


@dataclass
class CommandContext:
    """The values of the shared options, and what commands do with them."""

    agent: Agent = "cli"
    agent_name: AgentName = None
    home: Home = Path(daemon.DEFAULT_HOME)
    url: Url = None
    key: Key = None
    space: InSpace = None
    as_json: Json = False
    shared: Shared = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "memory" in vars(self):
            self.memory.close()

    @property
    def folder(self) -> Path:
        """The data folder as an absolute path."""
        return self.home.expanduser().absolute()

    @cached_property
    def project(self) -> Project | None:
        """The project of the working directory; None where the caller or a key decides.

        Raises:
            InvalidInput: the `.wellworn` file is not as it should be.
        """
        from wellworn.engines.projects import find_project

        is_chosen = self.space is not None or self.key or self.shared
        return None if is_chosen else find_project()

    @cached_property
    def space_id(self) -> str:
        """The id of the space to talk to; empty for the caller's usual one.

        Raises:
            SpaceNotFound, typer.BadParameter: no space has the name of `--space`, or several have.
        """
        if self.shared:
            return "ks-default"
        if self.space and not is_space_id(self.space):
            with self._connect("") as memory:
                return lookup.find_space(memory, self.space).id
        return self.space or (self.project.space if self.project else "")

    @cached_property
    def memory(self) -> Wellworn:
        """The client; without `--url` the daemon of the data folder is started when there is none.

        Raises:
            DaemonFailed: it could not be started.
            StoreInUse: a job without the daemon has the folder.
            SpaceNotFound, typer.BadParameter: no space has the name of `--space`, or several have.
        """
        return self._connect(self.space_id)

    @property
    def description(self) -> str:
        """The space the command talks to, and why."""
        if self.space:
            return f"space {self.space}, by --space or WELLWORN_SPACE"
        if self.project is not None:
            return f"project {self.project.name} of {self.project.directory} ({self.space_id})"
        return (
            "the default space of the key" if self.key else "space ks-default, outside any project"
        )

    def note_project(self) -> None:
        """Print to stderr which project the command talks to, if it does."""
        if self.project is not None:
            output.note(self.description)

    def _connect(self, space: str) -> Wellworn:
        from wellworn.client import Wellworn

        address = self.url or self._find_server
        return Wellworn(
            address, agent_id=self.agent, agent_name=self.agent_name, key=self.key, space=space
        )

    def _find_server(self) -> str:
        with note_if_slow(_STILL_STARTING, after_s=_PATIENCE_S):
            return daemon.ensure_daemon(self.folder, on_start=_announce_start).url

    def find_thought_id(self, text: str) -> str:
        """Return the id for its beginning, with or without its kind as an outline prints it.

        Raises:
            ThoughtNotFound, InvalidInput: no id begins so, or several do.
        """
        return lookup.find_thought_id(self.memory, strip_kind(text))

    def show(self, value: Value, text: str | Callable[[Value], object]) -> None:
        """Print a result: as JSON with `--json`, else the text or what the function prints."""
        if self.as_json:
            output.emit(value)
        elif isinstance(text, str):
            output.say(text)
        else:
            text(value)

    def progress(self, title: str) -> AbstractContextManager[output.Advance]:
        """Show a progress bar for the length of the block, unless JSON is wanted."""
        return output.progress(title, quiet=self.as_json)


def new_group(help_text: str | None = None, *, example: str | None = None) -> typer.Typer:
    """Return an empty group of commands."""
    epilog = None if example is None else f"Example: wellworn {example}"
    return typer.Typer(help=help_text, epilog=epilog, rich_markup_mode=None, no_args_is_help=False)


def command(
    group: typer.Typer, example: str, *, name: str | None = None, options: tuple[str, ...] = SPACE
) -> Callable[[Command], Command]:
    """Add a function to a group as a command that accepts the shared `options`, too."""

    def add(function: Command) -> Command:
        def run(**arguments: Any) -> None:
            shared = {option: arguments.pop(option) for option in options}
            with CommandContext(**shared) as context:
                function(context, **arguments)

        run.__name__, run.__doc__ = function.__name__, function.__doc__
        vars(run)["__signature__"] = _combine_parameters(function, options)
        group.command(name, epilog=f"Example: wellworn {example}")(run)
        return function

    return add


def _combine_parameters(
    function: Callable[..., None], options: tuple[str, ...]
) -> inspect.Signature:
    """Return the parameters of a command without its context, followed by the shared options."""
    _context, *own = inspect.signature(function, eval_str=True).parameters.values()
    shared = inspect.signature(CommandContext, eval_str=True).parameters
    combined = (*own, *(shared[option] for option in options))
    return inspect.Signature(
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in combined]
    )


_PATIENCE_S = 5.0
_STILL_STARTING = "still starting: the first start on a machine loads and compiles the most"


def _announce_start() -> None:
    output.note("starting the memory server (it ends by itself when nobody uses it)")
