"""Curation, the digest, sleep, the context of an agent and what its sessions leave, over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wellworn.application.calls import CallContext, ContextOrder, CurationOrder
from wellworn.client.calls import CurationCalls, ThoughtCalls
from wellworn.client.fields import SaidStatement
from wellworn.domain.audit import Action
from wellworn.domain.memory import CaptureOutcome, Excerpt, Statement
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import CurationReason, parse_filter
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import serve
from wellworn.kit.clock import from_iso

router = create_router("curation")
digest = create_router("digest")
context = create_router("context")
capture = create_router("capture")
sleep = create_router("sleep")
bridges = create_router("bridges")

_FILTERS = ("since", "until", "by", "words", "tag", "topic", "state", "candidates", "held")


@serve(router, CurationCalls.curation, Action.THOUGHT_LISTED)
def list_candidates(
    call: CallContext, *, reason: str | None, older_than_days: int, limit: int
) -> object:
    reasons = [CurationReason(reason)] if reason else list(CurationReason)
    found = call.services.thoughts.curator.list_candidates(
        call.access, older_than_days=older_than_days, reasons=reasons, limit=limit
    )
    call.touch(each.thought.thought_id for each in found.candidates)
    return found


@serve(router, CurationCalls.curate)
def curate(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.curate(access, CurationOrder(**asked))


@serve(router, CurationCalls.curate_matching)
def curate_matching(app: Opened, access: Allowed, expected: int | None, **asked: Any) -> object:
    wanted = parse_filter(**{name: asked.pop(name) for name in _FILTERS})
    order = CurationOrder(thought_ids=(), **asked)
    return app.curate_matching(access, order, wanted, expected=expected)


@serve(router, CurationCalls.take_back)
def take_back(app: Opened, access: Allowed, done_at: str, **asked: Any) -> object:
    return app.take_back(access, from_iso(done_at), **asked)


@serve(digest, CurationCalls.digest)
def read_digest(app: Opened, access: Allowed, since: str | None) -> object:
    return app.digest(access, None if since is None else from_iso(since))


@serve(context, ThoughtCalls.context)
def pack_context(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.pack_context(access, ContextOrder(**asked))


@serve(capture, ThoughtCalls.capture, Action.MEMORY_REMEMBERED, Role.CONTRIBUTOR)
def keep_statements(
    call: CallContext,
    statements: Sequence[SaidStatement],
    before: str | None,
    after: str | None,
    **asked: Any,
) -> object:
    said = Excerpt([Statement(**each) for each in statements], before or "", after or "")
    captured = call.services.memory.capturing.capture(call.access, said, **asked)
    call.said = captured.list_ids(CaptureOutcome.KEPT)
    call.touch(captured.list_ids(CaptureOutcome.KEPT, CaptureOutcome.KNOWN))
    call.hold(captured.held)
    call.counts["contributed"] = len(call.said)
    return captured


@serve(sleep, CurationCalls.overviews, Action.THOUGHT_LISTED)
def list_overviews(call: CallContext, limit: int) -> object:
    rest = call.services.thoughts.sleeper.tell(call.access, limit=limit)
    call.touch(rest.list_shown())
    return rest


@serve(bridges, CurationCalls.bridges, Action.THOUGHT_LISTED)
def list_bridges(call: CallContext) -> object:
    found = call.services.thoughts.bridges.tell(call.access)
    call.touch(found.list_shown())
    return found


@serve(bridges, CurationCalls.decide_bridges, Action.SPACE_CHANGED, Role.ADMIN)
def decide_bridges(call: CallContext, take: Sequence[str], decline: Sequence[str]) -> object:
    call.touch([*take, *decline])
    call.services.thoughts.bridges.decide(call.access, take=take, decline=decline)
    found = call.services.thoughts.bridges.tell(call.access)
    call.services.thoughts.sightings.note(call.access, found.list_shown())
    return found


@serve(sleep, CurationCalls.sleep)
def let_sleep(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.sleep.sleep(access, **asked)
