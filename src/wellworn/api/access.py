"""From a request to the memory and to what the caller may do there."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from wellworn.bootstrap import App
from wellworn.spaces import Access, local_access


async def get_app(request: Request) -> App:
    return request.app.state.memory_app


async def get_access() -> Access:
    """Return the open loopback door's access; credentials will decide here."""
    return local_access()


Opened = Annotated[App, Depends(get_app)]
Allowed = Annotated[Access, Depends(get_access)]
