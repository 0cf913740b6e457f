"""Serves what the traces of a memory tell, over HTTP."""

from __future__ import annotations

from itertools import chain

from wellworn.application.calls import CallContext
from wellworn.client.calls import TraceCalls
from wellworn.domain.audit import Action
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve
from wellworn.kit.clock import from_iso

decisions = create_router("decisions")
convergence = create_router("convergence")


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
    call.touch(each.thought_id for each in chain.from_iterable(judged))
    return found


@serve(convergence, TraceCalls.convergence, Action.THOUGHT_LISTED)
def list_converged(call: CallContext, *, since: str | None, limit: int) -> object:
    found = call.services.thoughts.convergence.find(
        call.access, since=0.0 if since is None else from_iso(since), limit=limit
    )
    call.touch(each.thought.thought_id for each in found.converged)
    return found
