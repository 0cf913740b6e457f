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

from wellworn.client.client import Ask as Ask
from wellworn.client.client import AsyncWellworn as AsyncWellworn
from wellworn.client.client import Wellworn as Wellworn
from wellworn.client.errors import WellwornClientError as WellwornClientError
from wellworn.client.models import Erased as Erased
from wellworn.client.models import Health as Health
from wellworn.client.models import Highway as Highway
from wellworn.client.models import Imported as Imported
from wellworn.client.models import Provenance as Provenance
from wellworn.client.models import Reply as Reply
from wellworn.client.models import Thought as Thought
