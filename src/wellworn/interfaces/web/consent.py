"""The page of consent: a client asks to be let in, and a member says to what, or that it is not.

It takes the session of a browser, so that a key is shown on the page for that alone. Whatever a
client says of itself is shown as what it says, and the way back to it is a link: pages send nobody
elsewhere unasked, and what begins a form may not end at another site (Content Security Policy).

Source: RFC 6749, section 4.1.2, 9207 and 9700, section 4.11.
"""

from __future__ import annotations

from typing import Any

from starlette.datastructures import URL, QueryParams

from wellworn.application.calls import App
from wellworn.domain.spaces import (
    DEFAULT_SPACE,
    NO_SEALED_SPACE,
    ConnectionRequest,
    Mode,
    Principal,
    Role,
    Space,
    no_space,
)
from wellworn.errors import Forbidden, InvalidInput
from wellworn.interfaces.web.requests import Screen
from wellworn.kit.text import show_name


def show_consent(app: App, principal: Principal | None, request: ConnectionRequest) -> Screen:
    """Return the page that asks.

    Raises:
        Forbidden: the member has nothing that a client could be let into.
        SpaceNotFound: the member is not in the space that the client asks for.
    """
    member = _require_key(principal)
    offers = [
        (space, roles)
        for space, role in app.administration.list_spaces(member)
        if (roles := _list_roles(role.limit_to(member.role), request))
        and request.space in {None, space.id}
    ]
    if request.space is not None and not offers:
        raise no_space()
    offers = [(space, roles) for space, roles in offers if space.mode is Mode.OPEN]
    if not offers:
        raise Forbidden(NO_SEALED_SPACE)
    values = {**_describe(request), "offers": offers, "chosen": _choose(offers)}
    return Screen("consent.html", values)


def answer_consent(
    app: App, principal: Principal | None, request: ConnectionRequest, form: QueryParams
) -> Screen:
    """Do what the member says; return the page with the way back to the client.

    Raises:
        InvalidInput: the form does not say what to do.
        Forbidden, SpaceNotFound, Unauthenticated: see `Connections.allow`.
    """
    member, decision = _require_key(principal), form.get("decision")
    if decision == "deny":
        back = _lead_back(request, error="access_denied")
        return Screen("connected.html", {**_describe(request), "back": back, "granted": None})
    named, _, space = form.get("grant", "").partition(" ")
    if decision != "allow" or named not in {*Role} or not space:
        raise InvalidInput("choose what the program may do, and allow or deny it")
    role = Role(named)
    code = app.connections.allow(member, request, space, role)
    values = {"back": _lead_back(request, code=code), "granted": role, "space": space}
    return Screen("connected.html", {**_describe(request), **values})


def _require_key(principal: Principal | None) -> Principal:
    if principal is None or principal.kid is None:
        raise Forbidden("only a member with a key can let a program in; sign in with a key")
    return principal


def _list_roles(most: Role, request: ConnectionRequest) -> list[Role]:
    wanted = most if request.role is None else most.limit_to(request.role)
    return [role for role in Role if wanted.allows(role)]


def _choose(offers: list[tuple[Space, list[Role]]]) -> str:
    """Return what is chosen beforehand: adding, but not administering."""
    space, roles = next((each for each in offers if each[0].id == DEFAULT_SPACE), offers[0])
    return f"{roles[-1].limit_to(Role.CONTRIBUTOR)} {space.id}"


def _describe(request: ConnectionRequest) -> dict[str, Any]:
    parts = URL(request.redirect_uri)
    is_web = parts.scheme == "https"
    is_local = parts.scheme == "http"
    return {
        "client": show_name(request.client_name),
        "site": request.client_site,
        "place": parts.netloc if is_web or is_local else f"{parts.scheme}://{parts.netloc}",
        "is_web": is_web,
        "is_local": is_local,
    }


def _lead_back(request: ConnectionRequest, **told: str) -> str:
    state = {} if request.state is None else {"state": request.state}
    url = URL(request.redirect_uri).include_query_params(**told, **state, iss=request.site)
    return str(url)
