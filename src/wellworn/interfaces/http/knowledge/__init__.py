"""Knowledge over HTTP, at the specification's routes below `/api/knowledge`.

Words of documents are told as they are stored, so that every span can be counted in them; they are
made harmless where they are shown: by the MCP interface and in the terminal.
"""

from wellworn.interfaces.http.knowledge import documents, sources, terms, webhooks

ROUTERS = [noun.router for noun in (sources, webhooks, documents, terms)]
