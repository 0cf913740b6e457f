"""The tools of the coordinator; every module here that has `create_tool` is one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wellworn.domain.turns.tools.tool import ToolContext, ToolServices, TurnTool

__all__ = ["ToolContext", "ToolServices", "TurnTool", "load_tools"]


def load_tools(services: ToolServices) -> dict[str, TurnTool]:
    """Create every tool, by name."""
    modules: list[Any] = [
        import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)
    ]
    tools: list[TurnTool] = [
        module.create_tool(services) for module in modules if hasattr(module, "create_tool")
    ]
    return {tool.description.name: tool for tool in tools}
