"""Write what the bridge of MCP answers before its server is up: the server's own answers.

    python scripts/build_offer.py

To be run when a tool, a resource, a prompt or the instructions change; a test says so.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from wellworn.engines import daemon
from wellworn.interfaces.mcp import offer
from wellworn.interfaces.mcp.relay import Relay

CLIENT = {"name": "build", "version": "0"}
GREETING = {"protocolVersion": offer.VERSIONS[-1], "capabilities": {}, "clientInfo": CLIENT}


def main() -> None:
    """Start a server over an empty memory, ask it, and write its answers beside the bridge."""
    with tempfile.TemporaryDirectory() as home:
        relay = Relay(lambda: daemon.ensure_daemon(Path(home)).url)
        results = {}
        for method in offer.METHODS:
            params = {"params": GREETING} if method == "initialize" else {}
            request = {"jsonrpc": "2.0", "id": 1, "method": method, **params}
            results[method] = relay.ask(request)["result"]
        daemon.stop_daemon(Path(home))
    path = Path(offer.__file__).with_name("offer.json")
    path.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
