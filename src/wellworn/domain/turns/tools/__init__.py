"""The tools of the coordinator: a module here has `create_tool`, or `create_tools` for several."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wellworn.domain.turns.tools.tool import ToolContext, ToolServices, TurnTool

__all__ = ["ToolContext", "ToolServices", "TurnTool", "load_tools"]


def load_tools(services: ToolServices) -> dict[str, TurnTool]:
    """Create every tool, by name; tools of our own come before others of their name."""
    modules: list[Any] = [
        import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)
    ]
    single = [module.create_tool(services) for module in modules if hasattr(module, "create_tool")]
    tools: dict[str, TurnTool] = {tool.description.name: tool for tool in single}
    for module in modules:
        if hasattr(module, "create_tools"):
            tools = module.create_tools(services) | tools
    return tools
