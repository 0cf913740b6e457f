"""The MCP interface: tools over streamable HTTP at `/mcp`, and a bridge to it over stdio.

Importing this package does not load the MCP SDK, which takes longer to import than all the rest of
a server; the endpoint loads it with the first message, and the bridge never does.
"""

from wellworn.interfaces.mcp.endpoint import McpEndpoint, mcp_app
from wellworn.interfaces.mcp.stdio import run

__all__ = ["McpEndpoint", "mcp_app", "run"]
