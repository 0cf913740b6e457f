"""Refuses query parameters that a route does not have, as bodies refuse unknown fields.

A parameter that is misspelt would otherwise be dropped in silence, and more be answered than was
asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from wellworn.errors import InvalidInput


async def refuse_unknown_parameters(request: Request) -> None:
    """Let a request pass if its route has all of its query parameters.

    Raises:
        InvalidInput: a query parameter is unknown.
    """
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    known = sorted(set(_list_parameters(route.dependant)))
    if request.query_params.keys() - set(known):
        takes = f"takes {', '.join(known)}" if known else "takes none"
        message = f"unknown query parameter; this route {takes}"
        raise InvalidInput(message)


def _list_parameters(dependant: Dependant) -> Iterator[str]:
    yield from (parameter.alias for parameter in dependant.query_params)
    for dependency in dependant.dependencies:
        yield from _list_parameters(dependency)
