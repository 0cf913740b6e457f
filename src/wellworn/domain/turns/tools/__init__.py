"""The tools of the coordinator: a module here has `create_tool`, or `open_tools` for several.

What `open_tools` gives is for one turn, and its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wellworn.domain.spaces import Access
from wellworn.domain.turns.tools.tool import ToolContext, ToolServices, TurnTool


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of the coordinator.

    Attributes:
        shared: tools of our own, by name, the same for every turn.
        openers: what gives a turn further tools, as long as it uses them.
    """

    shared: Mapping[str, TurnTool]
    openers: Sequence[Callable[[Access], AbstractContextManager[Mapping[str, TurnTool]]]] = ()

    @contextmanager
    def open(self, access: Access) -> Generator[Mapping[str, TurnTool]]:
        """Give a turn the tools that its caller may have called; ours come before namesakes."""
        tools: dict[str, TurnTool] = {}
        with ExitStack() as opened:
            for opener in self.openers:
                tools |= opened.enter_context(opener(access))
            yield {**tools, **self.shared}


def load_tools(services: ToolServices) -> Toolbox:
    """Create the tools of every module here."""
    modules: list[Any] = [
        import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)
    ]
    tools = [module.create_tool(services) for module in modules if hasattr(module, "create_tool")]
    return Toolbox(
        {tool.description.name: tool for tool in tools},
        [
            partial(module.open_tools, services)
            for module in modules
            if hasattr(module, "open_tools")
        ],
    )
