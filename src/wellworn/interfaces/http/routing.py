"""Makes routers that need no wiring: each declares its routes, an app includes them.

FastAPI makes the routes of an included router again at the first request, and looks for the route
of a request among them twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.convertors import Convertor, register_url_convertor

from wellworn.errors import InvalidInput
from wellworn.interfaces.http.gate import LONGEST_BODY

PREFIX = "/api/v1"
KNOWLEDGE_PREFIX = "/api/knowledge"


def create_router(tag: str, *, prefix: str = PREFIX) -> APIRouter:
    """Return a router of one noun, whose routes refuse what a route of this API has to refuse."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        dependencies=[Depends(refuse_unknown_parameters)],
        max_body_size=LONGEST_BODY,
    )


async def refuse_unknown_parameters(request: Request) -> None:
    """Let a request pass if its route has all of its query parameters.

    One that is misspelt would be dropped in silence, and more be answered than was asked for.

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


class IdConvertor(Convertor[str]):
    """A part of a path that is more than lower-case letters; routes say what an id is.

    Where `/turns/research` stands beside the turn of an id, the methods of the turn are not those
    of the word: a method that the word does not have is refused as such, with its own `Allow`.
    """

    regex = "[a-z]*[^a-z/][^/]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


_ID: Final = "id"
register_url_convertor(_ID, IdConvertor())


def format_id(parameter: str) -> str:
    """Return the part of a route's path that an id stands in, as a parameter of this name."""
    return f"{{{parameter}:{_ID}}}"
