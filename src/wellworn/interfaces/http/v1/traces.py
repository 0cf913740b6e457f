"""What the traces of a memory tell, over HTTP."""

from __future__ import annotations

from itertools import chain

from wellworn.application.calls import CallContext
from wellworn.client.calls import TraceCalls
from wellworn.domain.audit import Action
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve

decisions = create_router("decisions")


@serve(decisions, TraceCalls.decisions, Action.THOUGHT_LISTED)
def list_decisions(
    call: CallContext,
    *,
    query_id: str | None,
    session_id: str | None,
    thought_id: str | None,
    limit: int,
) -> object:
    found = call.services.thoughts.decisions.list_decisions(
        call.access,
        query_id=query_id,
        session_id=session_id,
        thought_id=thought_id,
        limit=limit,
    )
    judged = (chain(each.shown, each.withheld) for each in found.decisions)
    call.touch(dict.fromkeys(each.thought_id for each in chain.from_iterable(judged)))
    return found
