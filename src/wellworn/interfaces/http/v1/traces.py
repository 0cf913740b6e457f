"""Serves what the traces of a memory tell, over HTTP."""

from __future__ import annotations

from itertools import chain

from wellworn.application.calls import CallContext
from wellworn.client.calls import TraceCalls
from wellworn.client.models import Convergence
from wellworn.domain.audit import Action
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve
from wellworn.kit.clock import from_iso

decisions = create_router("decisions")
convergence = create_router("convergence")
sessions = create_router("sessions")


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
    thoughts = call.services.thoughts
    found = thoughts.convergence.find(
        call.access, since=0.0 if since is None else from_iso(since), limit=limit
    )
    gathered = thoughts.paths.find_gathered(call.access)
    shown = chain.from_iterable(region.thoughts for region in gathered.regions)
    call.touch(each.thought.thought_id for each in found.converged)
    call.touch(each.thought_id for each in shown)
    return Convergence.of(found, gathered=gathered)


@serve(sessions, TraceCalls.sessions, Action.THOUGHT_LISTED)
def list_sessions(call: CallContext, *, limit: int) -> object:
    return call.services.thoughts.paths.list_sessions(call.access, limit=limit)


@serve(sessions, TraceCalls.trajectory, Action.THOUGHT_LISTED)
def follow(call: CallContext, session_id: str) -> object:
    return call.services.thoughts.paths.follow(call.access, session_id)
