"""Single thoughts, their provenance and contributors, and a search that leaves no trace."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from wellworn.client import models as shapes
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import Origin
from wellworn.domain.thoughts.truth import parse_scope
from wellworn.interfaces.fields import AgentId, Moment, PromptText, Tag, Uuid, UuidBeginning
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.v1.documented import failures
from wellworn.interfaces.http.wire import EraseRequest
from wellworn.kit.text import preview

router = create_router("thoughts")

ThoughtId = Annotated[Uuid, Path(description="UUID of a thought.")]
Since = Annotated[Moment | None, Query(description="Only what was said since then.")]
Until = Annotated[
    Moment | None, Query(description="Only what was said up to then; a day counts to its end.")
]
By = Annotated[AgentId | None, Query(description="Only what this contributor said.")]


@router.get("/thoughts", responses=failures(400, 404))
def list_thoughts(  # noqa: PLR0917 - query parameters
    app: Opened,
    access: Allowed,
    since: Since = None,
    until: Until = None,
    by: By = None,
    tag: Annotated[Tag | None, Query(description="Only thoughts with this tag.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[Uuid | None, Query(description="`next_cursor` of the page before.")] = None,
) -> shapes.ThoughtList:
    """List what was said, newest first, whether or not it is still true. Leaves no trail."""
    scope = parse_scope(since=since, until=until, by=by)
    with app.call(access, Action.THOUGHT_LISTED) as call:
        listed = call.services.thoughts.searcher.list_newest(
            call.access, scope, tag=tag, after=cursor, limit=limit + 1
        )
        page = listed[:limit]
        call.touch(thought.thought_id for thought in page)
    return shapes.ThoughtList(
        thoughts=tuple(map(shapes.ListedThought.of, page)),
        next_cursor=page[-1].thought_id if len(listed) > limit else None,
    )


@router.get("/thoughts/{thought_id}", responses=failures(400, 404))
def read_thought(
    thought_id: Annotated[
        UuidBeginning, Path(description="UUID of a thought, or at least its first 6 characters.")
    ],
    app: Opened,
    access: Allowed,
) -> shapes.Thought:
    """Return a thought with its whole trace."""
    thought_id = app.guard.thought_ids.complete(access, thought_id)
    with app.call(access, Action.THOUGHT_READ, targets=[thought_id]) as call:
        return shapes.Thought.of(call.services.thoughts.get_record(call.access, thought_id))


@router.get("/thoughts/{thought_id}/provenance", responses=failures(400, 404))
def trace_provenance(
    thought_id: ThoughtId,
    app: Opened,
    access: Allowed,
    depth: Annotated[int, Query(ge=1, le=20, description="Most steps in each direction.")] = 20,
) -> shapes.Provenance:
    """Return what a thought came from and what was built on it."""
    with app.call(access, Action.THOUGHT_READ, targets=[thought_id]) as call:
        chain = call.services.thoughts.get_provenance(call.access, thought_id, depth=depth)
    return shapes.Provenance(
        thought_id=chain.thought_id,
        came_from=tuple(_link(origin, "came_from") for origin in chain.came_from),
        built_into=tuple(_link(origin, "built_into") for origin in chain.built_into),
    )


def _link(origin: Origin, direction: str) -> shapes.Link:
    beyond = tuple(_link(further, direction) for further in origin.beyond)
    return shapes.Link.of(origin, **{"came_from": None, "built_into": None, direction: beyond})


@router.get("/held", responses=failures(400, 404))
def list_held(app: Opened, access: Allowed) -> shapes.HeldThoughts:
    """List thoughts that read like orders and are held back until an admin decides."""
    with app.call(access, Action.THOUGHT_LISTED, Role.ADMIN) as call:
        thoughts = call.services.thoughts.list_held(call.access)
        call.touch(thought.thought_id for thought in thoughts)
    return shapes.HeldThoughts(held=tuple(map(shapes.HeldThought.of, thoughts)))


@router.post("/thoughts/{thought_id}/release", responses=failures(400, 404))
def release(thought_id: ThoughtId, app: Opened, access: Allowed) -> shapes.Released:
    """Release a held thought, so that it is found like any other."""
    with app.call(access, Action.QUARANTINE_RELEASED, Role.ADMIN, targets=[thought_id]) as call:
        call.services.thoughts.release(call.access, thought_id)
    return shapes.Released(released=thought_id)


@router.delete("/thoughts/{thought_id}", responses=failures(400, 404, 413, 415))
def erase(thought_id: ThoughtId, body: EraseRequest, app: Opened, access: Allowed) -> shapes.Erased:
    """Erase a thought's text and vectors. The shape of its trace stays."""
    erased_at = app.forget(access, thought_id, agent_id=body.agent_id, reason=body.reason or None)
    return shapes.Erased.model_validate({"thought_id": thought_id, "erased_at": erased_at})


@router.delete(
    "/thoughts/{thought_id}/replaces/{replaced_id}", responses=failures(400, 404, 413, 415)
)
def withdraw_replacement(
    thought_id: ThoughtId,
    replaced_id: ThoughtId,
    app: Opened,
    access: Allowed,
    agent_id: Annotated[AgentId, Query(description="Who takes it back.")],
) -> shapes.Withdrawn:
    """Withdraw a replacement, stated or inferred. Both thoughts are true again."""
    with app.call(
        access,
        Action.REPLACEMENT_WITHDRAWN,
        Role.CONTRIBUTOR,
        targets=[thought_id, replaced_id],
    ) as call:
        call.services.thoughts.withdraw_replacement(
            call.access, thought_id, replaced_id, agent_id=agent_id
        )
    return shapes.Withdrawn(thought_id=thought_id, replaced_id=replaced_id)


@router.get("/contributors/{contributor_id:path}", responses=failures(400, 404))
def read_contributor(
    contributor_id: Annotated[AgentId, Path()], app: Opened, access: Allowed
) -> shapes.Contributor:
    """Summarize what one agent contributed and how often it was read."""
    with app.call(access, Action.THOUGHT_LISTED) as call:
        return shapes.Contributor.of(
            call.services.thoughts.get_contributor(call.access, contributor_id)
        )


@router.get("/search", responses=failures(400))
def search(  # noqa: PLR0913 - query parameters
    q: Annotated[PromptText, Query(description="What to look for.")],
    app: Opened,
    access: Allowed,
    *,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
    filter_tags: Annotated[list[Tag], Query(max_length=20)] = [],  # noqa: B006 - FastAPI copies it
    as_of: Annotated[Moment | None, Query(description="As it was at this time.")] = None,
    since: Since = None,
    until: Until = None,
    by: By = None,
    history: Annotated[bool, Query(description="Also what was true before.")] = False,
) -> shapes.Findings:
    """Search without leaving a trace: no access is counted and nothing is logged."""
    scope = parse_scope(as_of=as_of, since=since, until=until, by=by, history=history)
    thoughts = app.look_up(access, q, limit=limit, filter_tags=filter_tags, scope=scope)
    return shapes.Findings(
        results=tuple(
            shapes.Found.of(
                thought,
                title=preview(" ".join(thought.content.split())),
                content_preview=preview(thought.content),
                contributor=thought.contributor_name,
                why=thought.parts,
            )
            for thought in thoughts
        )
    )
