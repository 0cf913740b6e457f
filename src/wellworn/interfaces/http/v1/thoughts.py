"""Single thoughts, their provenance and contributors; search, outline and topics: no trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Path, Query

from wellworn.application.calls import CallContext
from wellworn.client import models as shapes
from wellworn.client.calls import OutlineCalls, ThoughtCalls
from wellworn.client.fields import AgentId, Uuid
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.domain.thoughts import NeighbourKind, Origin, Overview, parse_filter
from wellworn.domain.thoughts.truth import parse_end, parse_scope
from wellworn.interfaces.http.access import Allowed, Opened
from wellworn.interfaces.http.routing import create_router
from wellworn.interfaces.http.serving import failures, serve
from wellworn.interfaces.http.wire import EraseRequest
from wellworn.kit.clock import from_iso
from wellworn.kit.text import preview

router = create_router("thoughts")
outline = create_router("outline")

ThoughtId = Annotated[Uuid, Path(description="UUID of a thought.")]


@serve(router, ThoughtCalls.list_thoughts)
def list_thoughts(
    app: Opened, access: Allowed, limit: int, cursor: str | None, *, count: bool, **asked: Any
) -> object:
    wanted = parse_filter(**asked)
    with app.call(access, Action.THOUGHT_LISTED) as call:
        page = call.services.thoughts.selector.list_page(
            call.access, wanted, after=cursor, limit=limit, counts=count
        )
        call.touch(thought.thought_id for thought in page.thoughts)
    return page


@serve(router, ThoughtCalls.thought)
def read_thought(app: Opened, access: Allowed, thought_id: str) -> object:
    return app.read_thought(access, thought_id)


@serve(router, ThoughtCalls.provenance, Action.THOUGHT_READ, about="thought_id")
def trace_provenance(call: CallContext, thought_id: str, depth: int) -> object:
    chain = call.services.thoughts.get_provenance(call.access, thought_id, depth=depth)
    call.touch(chain.list_shown())
    return {
        "thought_id": chain.thought_id,
        "came_from": [_link(origin, "came_from") for origin in chain.came_from],
        "built_into": [_link(origin, "built_into") for origin in chain.built_into],
    }


def _link(origin: Origin, direction: str) -> shapes.Link:
    beyond = tuple(_link(further, direction) for further in origin.beyond)
    return shapes.Link.of(origin, **{"came_from": None, "built_into": None, direction: beyond})


@serve(router, ThoughtCalls.neighbours, Action.THOUGHT_READ, about="thought_id")
def list_neighbours(call: CallContext, thought_id: str, *, kind: str | None, limit: int) -> object:
    kinds = [NeighbourKind(kind)] if kind else list(NeighbourKind)
    found = call.services.thoughts.neighbourhood.list_neighbours(
        call.access, thought_id, kinds=kinds, limit=limit
    )
    call.touch(each.thought.thought_id for each in found.neighbours)
    return found


@serve(router, ThoughtCalls.experiment, Action.SPACE_READ)
def run_experiment(call: CallContext) -> object:
    return call.services.thoughts.needed_next.run_experiment(call.access)


@serve(router, ThoughtCalls.values, Action.THOUGHT_LISTED)
def list_values(call: CallContext, *, since: str | None, limit: int) -> object:
    begin = from_iso(since) if since else 0.0
    return call.services.thoughts.values.list_values(call.access, since=begin, limit=limit)


@serve(router, ThoughtCalls.policy, Action.SPACE_READ)
def read_policy(call: CallContext, questions: int) -> object:
    return _tell_policy(call, questions)


@serve(router, ThoughtCalls.try_policy, Action.SPACE_CHANGED, Role.ADMIN)
def try_policy(call: CallContext, version: int | None) -> object:
    call.services.thoughts.learner.put_on_trial(call.access, version=version)
    return _tell_policy(call, questions=0)


@serve(router, ThoughtCalls.take_policy, Action.SPACE_CHANGED, Role.ADMIN)
def take_policy(call: CallContext, version: int | None) -> object:
    call.services.thoughts.learner.take(call.access, version=version)
    return _tell_policy(call, questions=0)


@serve(router, ThoughtCalls.go_back, Action.SPACE_CHANGED, Role.ADMIN)
def go_back(call: CallContext, version: int | None) -> object:
    call.services.thoughts.learner.go_back(call.access, version=version)
    return _tell_policy(call, questions=0)


def _tell_policy(call: CallContext, questions: int) -> object:
    report = call.services.thoughts.learner.describe(call.access, questions=questions)
    if report.changes is not None:
        shown = [*report.changes.list_shown()]
        call.touch(shown)
        call.services.thoughts.sightings.note(call.access, shown)
    lesson, is_learned = report.lesson, bool(report.lesson.factors)
    bounds = (lesson.gain, lesson.low, lesson.high) if is_learned else (None, None, None)
    return shapes.Policy.of(
        report,
        in_use="learned" if is_learned else "shipped",
        factors=_list_factors(lesson.factors),
        queries=lesson.queries,
        versions=[
            shapes.PolicyVersion.of(
                each,
                factors=_list_factors(each.lesson.factors),
                **{name: getattr(each.lesson, name) for name in ("gain", "low", "high", "queries")},
            )
            for each in report.versions
        ],
        trial=report.trial
        and shapes.PolicyTrial.of(report.trial, **report.trial.preference._asdict()),
        **dict(zip(("gain", "low", "high"), bounds, strict=True)),
    )


def _list_factors(factors: Mapping[str, float]) -> list[shapes.LearnedFactor]:
    return [shapes.LearnedFactor(reason=name, factor=by) for name, by in factors.items()]


@serve(router, ThoughtCalls.held, Action.THOUGHT_LISTED, Role.ADMIN)
def list_held(call: CallContext) -> object:
    thoughts = call.services.thoughts.list_held(call.access)
    call.touch(thought.thought_id for thought in thoughts)
    return thoughts


@serve(router, ThoughtCalls.release, Action.QUARANTINE_RELEASED, Role.ADMIN, about="thought_id")
def release(call: CallContext, thought_id: str) -> object:
    call.services.thoughts.release(call.access, thought_id)
    return thought_id


@serve(router, ThoughtCalls.end, Action.THOUGHT_ENDED, Role.CONTRIBUTOR, about="thought_id")
def end(call: CallContext, thought_id: str, expires_at: str | None, agent_id: str) -> object:
    end = parse_end(expires_at)
    call.services.thoughts.curator.end(call.access, [thought_id], end, agent_id=agent_id)
    return {"thought_id": thought_id, "expires_at": end}


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
        access, Action.REPLACEMENT_WITHDRAWN, Role.CONTRIBUTOR, targets=[thought_id, replaced_id]
    ) as call:
        call.services.thoughts.withdraw_replacement(
            call.access, thought_id, replaced_id, agent_id=agent_id
        )
    return shapes.Withdrawn(thought_id=thought_id, replaced_id=replaced_id)


@serve(router, ThoughtCalls.contributor, Action.THOUGHT_LISTED)
def read_contributor(call: CallContext, contributor_id: str) -> object:
    contributor = call.services.thoughts.get_contributor(call.access, contributor_id)
    call.touch(each.thought_id for each in contributor.most_accessed)
    return contributor


@serve(router, ThoughtCalls.search)
def search(
    app: Opened,
    access: Allowed,
    query: str,
    *,
    limit: int,
    filter_tags: Sequence[str],
    **scope: Any,
) -> object:
    told: list[Overview | None] = []
    thoughts = app.look_up(
        access,
        query,
        limit=limit,
        filter_tags=filter_tags,
        scope=parse_scope(**scope),
        tell=told.append,
    )
    results = [
        shapes.Found.of(
            thought,
            title=preview(" ".join(thought.content.split())),
            content_preview=preview(thought.content),
            contributor=thought.contributor_name,
            why=thought.parts,
        )
        for thought in thoughts
    ]
    return {"results": results, "overview": next(iter(told), None)}


@serve(outline, OutlineCalls.outline)
def browse(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.outline(access, **asked)


@serve(outline, OutlineCalls.read)
def read(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.read(access, **asked)


@serve(outline, OutlineCalls.topics, Action.THOUGHT_LISTED)
def list_topics(call: CallContext, **asked: Any) -> object:
    found = call.services.thoughts.topic_browser.list_topics(call.access, **asked)
    call.touch(found.list_shown())
    return found


@serve(outline, OutlineCalls.topic)
def read_topic(app: Opened, access: Allowed, topic_id: str, **asked: Any) -> object:
    page, passages = app.read_topic(access, topic_id.removeprefix("topic:"), **asked)
    documents = [
        {
            "citation": passage.citation,
            "document_id": passage.document_id,
            "content_preview": preview(" ".join(passage.text.split())),
            "score": passage.score,
        }
        for passage in passages
    ]
    return shapes.TopicPage.of(page, documents=documents)


@serve(outline, OutlineCalls.map)
def draw_map(app: Opened, access: Allowed, **asked: Any) -> object:
    return app.draw_map(access, **asked)


@serve(outline, OutlineCalls.sort_topics)
def sort_topics(app: Opened, access: Allowed) -> object:
    return app.topics.sort(access)
