"""Tools of other MCP servers, called with texts; each answer is bounded in time and size."""

from wellworn.engines.tool_servers.arguments import list_parameters, list_required, list_values
from wellworn.engines.tool_servers.models import ServerFailure, ServerTool, ToolOutput
from wellworn.engines.tool_servers.sessions import ToolServers, ToolSessions
from wellworn.engines.tool_servers.settings import McpSettings, ToolServer
