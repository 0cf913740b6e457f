"""A real server for each story, and a shared memory in which another agent has said something.

Frameworks other than pydantic-ai are installed and run by `make frameworks`; what is not installed
is skipped. Models are scripted: nothing reaches out.
"""

from __future__ import annotations

import pytest

from journeys.conftest import home, serve, server  # noqa: F401 - fixtures are found by name
from wellworn.client import AsyncWellworn, Wellworn

STAGING = "Staging refuses connections after 100 clients. Restart the pooler."
PROMPT = "staging is refusing my connections again"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def other(server):  # noqa: F811 - the fixture above
    """Another agent of the same memory."""
    with Wellworn(server.url, agent_id="ben") as memory:
        yield memory


@pytest.fixture
def known(other):
    """What the other agent said: its id."""
    return other.remember(STAGING).thought_id


@pytest.fixture
async def memory(server, anyio_backend):  # noqa: F811 - the fixture above
    async with AsyncWellworn(server.url, agent_id="ana") as memory:
        yield memory
