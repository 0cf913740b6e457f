"""Everything out, and in again, as one JSON record a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, cast

from fastapi import Body, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from wellworn.client.models import FindableThoughts, Imported
from wellworn.engines.formats import canonical
from wellworn.errors import InvalidInput
from wellworn.interfaces.http.access import Allowed, Caller, Opened
from wellworn.interfaces.http.gate import LINES, LONGEST_IMPORT
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures
from wellworn.interfaces.http.v1.exports import A_LINE, Slots, respond_with_export
from wellworn.interfaces.http.waiting import ACCEPTED, Wait, follow, wait_in_place

router = create_router("transfer")

MOST_LINES = 1_000
Kinds = Annotated[
    tuple[str, ...],
    Query(max_length=100, description="The kinds of records that are to come, here or later."),
]


@router.post(
    "/import",
    responses={
        202: {"model": Imported, "description": "Stored; the embedding goes on."},
        **failures(400, 404, 413, 415),
    },
    max_body_size=LONGEST_IMPORT,
    openapi_extra={"requestBody": {"required": True, "content": {LINES: A_LINE}}},
)
async def import_records(
    app: Opened,
    access: Allowed,
    body: Annotated[bytes, Body(media_type=LINES)],
    *,
    request: Request,
    response: Response,
    kinds: Kinds = (),
    wait: Wait = "words",
) -> Imported:
    """Import up to 1,000 records. Records that are known already are skipped."""
    made = await run_in_threadpool(lambda: app.import_records(access, _records(body), kinds))
    if wait == "embedded":

        async def wait_for_it() -> None:
            await follow(app, lambda: made.count_findable().is_embedded)

        await wait_in_place(request, wait_for_it)
    findable = await run_in_threadpool(made.count_findable)
    if wait == "embedded" and not findable.is_embedded:
        response.status_code = ACCEPTED
    return Imported.of(made.taken, findable=FindableThoughts.of(findable))


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={**failures(), 200: {"content": {LINES: A_LINE}, "description": "All records."}},
)
async def export(
    app: Opened, access: Allowed, caller: Caller, slots: Slots, *, request: Request
) -> StreamingResponse:
    """Stream everything in the space."""
    return await respond_with_export(
        request, access, slots, caller=caller, lines=lambda: map(canonical, app.export(access))
    )


def _records(body: bytes) -> Iterator[dict[str, Any]]:
    lines = [line for line in body.split(b"\n") if line.strip()]
    if len(lines) > MOST_LINES:
        message = f"at most {MOST_LINES} lines a call"
        raise InvalidInput(message)
    for number, line in enumerate(lines, start=1):
        yield _record(number, line)


def _record(number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        message = f"line {number} must be a JSON object"
        raise InvalidInput(message)
    return cast("dict[str, Any]", record)
