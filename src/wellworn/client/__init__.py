"""The Python client: a shared memory in a few typed calls.

    with Wellworn(agent_id="agent-dev-002", agent_name="DEV Agent") as memory:
        memory.remember("Role boundaries prevent coordination collapse.")
        for source in memory.recall("what prevents collapse?").sources:
            print(source.contributor, source.created_at, source.content)

`AsyncWellworn` has the same methods, to be awaited.
Without an address it finds the server of the data folder, or starts it.
`wellworn.client.models` has the rest of the results.
"""

from __future__ import annotations

from wellworn.client.client import Ask, AsyncWellworn, Wellworn
from wellworn.client.errors import WellwornClientError
from wellworn.client.models import (
    Erased,
    Health,
    Highway,
    Imported,
    Provenance,
    Reply,
    Thought,
)

__all__ = [
    "Ask",
    "AsyncWellworn",
    "Erased",
    "Health",
    "Highway",
    "Imported",
    "Provenance",
    "Reply",
    "Thought",
    "Wellworn",
    "WellwornClientError",
]
