"""The MCP interface: tools over streamable HTTP at `/mcp`, and a bridge to it over stdio.

Importing this package does not load the MCP SDK, which takes longer to import than all the rest of
a server; the endpoint loads it with the first message, and the bridge never does. For the same
reason the endpoint is imported from `wellworn.interfaces.mcp.endpoint`: the bridge needs no web
framework.
"""

from wellworn.interfaces.mcp.stdio import run, run_by_environment

__all__ = ["run", "run_by_environment"]
