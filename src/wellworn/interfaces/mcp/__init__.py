"""The MCP interface: tools over streamable HTTP at `/mcp`, and a bridge to it over stdio.

Importing this package loads neither the MCP SDK, which takes longer to import than all the rest of
a server, nor the web framework: the endpoint loads the first with the first message, and the bridge
needs neither.
"""

from typing import TYPE_CHECKING, Any

from wellworn.interfaces.mcp.stdio import run, run_by_environment

if TYPE_CHECKING:
    from wellworn.interfaces.mcp.authorization import AuthorizationEndpoint
    from wellworn.interfaces.mcp.endpoint import McpEndpoint, authorization_app, mcp_app

__all__ = [
    "AuthorizationEndpoint",
    "McpEndpoint",
    "authorization_app",
    "mcp_app",
    "run",
    "run_by_environment",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    from wellworn.interfaces.mcp import endpoint  # noqa: PLC0415 - it loads a web framework

    return getattr(endpoint, name)
