"""Routes of declared calls: a function answers, and its declaration says all the rest.

    @serve(router, OutlineCalls.outline)
    def browse(app: Opened, access: Allowed, **asked: Any) -> object:
        return app.outline(access, **asked)

    @serve(router, KnowledgeCalls.decide, Action.KNOWLEDGE_DECIDED, Role.ADMIN, about="conflict_id")
    def decide(call: CallContext, conflict_id: int, resolution: str, reason: str) -> object:
        return call.services.discovery.decide(call.access, conflict_id, resolution, reason=reason)

The function takes what a request is worth (the memory, who calls) by FastAPI's dependencies, or
else the call that an action opens in the space, and by name what the caller passed. What it returns
becomes the declared answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query

from wellworn.client.fields import RequestBody
from wellworn.client.models import ErrorAnswer
from wellworn.client.operations import Operation, read_operation
from wellworn.domain.audit import Action
from wellworn.domain.spaces import Role
from wellworn.interfaces.http.access import Allowed, Opened

_REASONS = {
    400: "A field is missing, empty, too long or of the wrong type.",
    404: "Nothing of that id is known, or nothing that this caller may know of.",
    409: "The source is being synced by another call.",
    413: "The body is too large.",
    415: "The body has another content type.",
    503: "The server is too busy, or a part fails; see Retry-After.",
}
_ANYWHERE = {
    401: "No credential, or none that is valid now.",
    403: "Addressed by a foreign host name, or the role is too small.",
    423: "The space is sealed, and the credential cannot unlock it.",
    429: "Too many calls; see Retry-After.",
}
_Function = TypeVar("_Function", bound=Callable[..., object])
_ENTERED = "space"
"""The part of a path that `Entered` makes the caller's Access of; a function has no use for it."""
_BY_NAME, _THE_REST = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD


def serve(
    router: APIRouter,
    declared: Callable[..., object],
    action: Action | None = None,
    role: Role = Role.READER,
    *,
    about: str = "",
) -> Callable[[_Function], _Function]:
    """Let a function answer a declared call, below a router of its prefix.

    Args:
        router: of one noun.
        declared: the method of the client.
        action: what the function does in the space, which it is let into by `App.call`.
        role: the least that may do it.
        about: name of the parameter that holds the id which it is about.
    """
    operation = read_operation(declared)

    def add(function: _Function) -> _Function:
        endpoint = _guard(function, action, role, about) if action else function
        router.add_api_route(
            operation.path.removeprefix(router.prefix),
            _make_endpoint(operation, endpoint),
            methods=[operation.method],
            response_model=operation.answer,
            description=operation.description,
            responses=failures(*operation.statuses),
        )
        return function

    return add


def _guard(
    function: Callable[..., object], action: Action, role: Role, about: str
) -> Callable[..., object]:
    def guarded(app: Opened, access: Allowed, **asked: Any) -> object:
        targets = [str(asked[about])] if about else []
        with app.call(access, action, role, targets=targets) as call:
            return function(call, **asked)

    guarded.__name__ = function.__name__
    return guarded


def _make_endpoint(operation: Operation, function: Callable[..., object]) -> Callable[..., object]:
    """Return a function as FastAPI reads one, with a parameter for each part of the request."""

    def answer(*, body: RequestBody | None = None, **values: Any) -> object:
        fields = body.to_values() if body else {}
        return operation.wrap(function(**values, **fields))

    answer.__name__ = function.__name__
    taken = [
        parameter.replace(kind=_BY_NAME)
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
        if name not in operation.parameters and parameter.kind is not _THE_REST
    ]
    answer.__dict__["__signature__"] = inspect.Signature([*taken, *_list_parameters(operation)])
    return answer


def _list_parameters(operation: Operation) -> Iterator[inspect.Parameter]:
    for name, parameter in operation.parameters.items():
        is_passed_on = operation.names_on_wire[name] != _ENTERED
        if is_passed_on and (name in operation.in_path or operation.request is None):
            kind = Path if name in operation.in_path else Query
            said = operation.describe(name)
            place = kind(description=said.description, alias=said.alias)
            annotation = Annotated[said.annotation, *said.metadata, place]  # type: ignore[valid-type]
            yield parameter.replace(kind=_BY_NAME, annotation=annotation)
    if operation.request is not None:
        yield inspect.Parameter("body", _BY_NAME, annotation=operation.request)


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documented failures of a route; the last of them can happen anywhere."""
    documented: dict[int | str, dict[str, Any]] = {
        status: {"model": ErrorAnswer, "description": _REASONS[status]} for status in statuses
    }
    documented |= {
        status: {"model": ErrorAnswer, "description": reason}
        for status, reason in _ANYWHERE.items()
    }
    documented[500] = {"model": ErrorAnswer, "description": "A part failed; nothing was written."}
    return documented
