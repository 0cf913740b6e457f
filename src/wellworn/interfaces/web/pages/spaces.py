"""Spaces: who belongs to this one and with which keys, and whether it is sealed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.datastructures import URL

from wellworn.client import models as shapes
from wellworn.client.fields import Label, Moment, Number, Offset
from wellworn.domain.spaces import Role
from wellworn.errors import InvalidInput
from wellworn.interfaces.web.qr import draw_code
from wellworn.interfaces.web.requests import (
    JOIN,
    Field,
    PageRequest,
    PageTable,
    Screen,
    WayOn,
    format_command,
)
from wellworn.kit.clock import from_iso
from wellworn.kit.project_ids import is_project_id

table = PageTable()

_A_DAY_S: Final = 24 * 3600
_MOST_DAYS: Final = 90
_NAME: Final = Field[str]("name", Label)
_ID: Final = Field[str]("id", Label)
_SINCE: Final = Field[str]("since", Moment)
_DAYS: Final = Field[int]("days", Number)
_HOURS: Final = Field[int]("hours", Offset)


@table.get("/spaces")
def show_spaces(request: PageRequest) -> Screen:
    """Return this space with its members and keys, and the others that the caller may enter."""
    return _show(
        request,
        command=f"wellworn space members {request.access.space}",
        call=f"GET /api/v1/spaces/{request.access.space}/members",
    )


def _show(request: PageRequest, *, command: str, call: str, **told: object) -> Screen:
    administration, access = request.app.administration, request.access
    members, invitations = administration.members(access)
    entered = [
        shapes.Space.of(space, role=role)
        for space, role in administration.list_spaces(access.credential)
    ]
    credentials = request.app.credentials.list_credentials(access.credential)
    living = [each for each in credentials if each.revoked_at is None]
    values = {
        "space": shapes.Space.of(administration.get(access), role=access.role),
        "members": list(map(shapes.Membership.of, members)),
        "invitations": list(map(shapes.Invitation.of, invitations)),
        "spaces": [space for space in entered if not is_project_id(space.id)],
        "projects": [space for space in entered if is_project_id(space.id)],
        "roles": [role.value for role in Role],
        "keys": _plant(list(map(shapes.Credential.of, living))),
        "ended": len(credentials) - len(living),
        "names": {each.member.id: each.member.name for each in members},
        "own_kid": access.credential.kid if access.credential else None,
        "invited": None,
        "issued": None,
    }
    return Screen("spaces.html", {**values, **told}, command=command, call=call)


@dataclass(frozen=True, slots=True)
class KeyNode:
    """A credential with those that were made from it."""

    key: shapes.Credential
    made: list[KeyNode]


def _plant(keys: list[shapes.Credential]) -> list[KeyNode]:
    """Return credentials as trees; one whose parent is not shown begins a tree."""
    nodes = {key.kid: KeyNode(key, []) for key in keys}
    roots: list[KeyNode] = []
    for node in nodes.values():
        parent = nodes.get(node.key.parent or "")
        (parent.made if parent else roots).append(node)
    return roots


def _read_role(request: PageRequest) -> Role:
    role = request.form.get("role", "")
    if role not in {*Role}:
        raise InvalidInput(f"role must be one of: {', '.join(Role)}")
    return Role(role)


@table.post("/spaces/invite")
def invite(request: PageRequest) -> Screen:
    """Make an invitation; its token is shown this once."""
    role, days = _read_role(request), _DAYS.read(request.form) or 7
    if days > _MOST_DAYS:
        raise InvalidInput(f"an invitation lasts at most {_MOST_DAYS} days")
    invited = request.app.administration.invite(request.access, role, lifetime_s=days * _A_DAY_S)
    # What follows the sign stays in the browser: no server and no proxy logs it.
    link = str(URL(request.origin + JOIN).replace(fragment=invited.token))
    return _show(
        request,
        command=f"wellworn space invite {request.access.space} --role {role} --expires {days}d",
        call=f"POST /api/v1/spaces/{request.access.space}/invitations",
        invited=shapes.Invited.of(invited),
        link=link,
        code=draw_code(link),
    )


@table.post("/spaces/keys")
def issue(request: PageRequest) -> Screen:
    """Make a key; it is shown this once."""
    name, role = _NAME.require(request.form), _read_role(request)
    issued = request.app.administration.issue(request.access.credential, name, role=role)
    return _show(
        request,
        command=format_command("credential", "create", name, role=role.value),
        call="POST /api/v1/credentials",
        issued=shapes.Issued.of(issued),
    )


@table.post("/spaces/appoint")
def appoint(request: PageRequest) -> WayOn:
    """Give a member another role."""
    member_id = _ID.require(request.form)
    request.app.administration.appoint(request.access, member_id, _read_role(request))
    return WayOn(f"{request.base}/spaces")


@table.post("/spaces/policy")
def change_policy(request: PageRequest) -> WayOn:
    """Change for how long what members say waits for confirmation."""
    hours = _HOURS.read(request.form) or 0
    request.app.administration.change(request.access, unconfirmed_hours=hours)
    return WayOn(f"{request.base}/spaces")


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is asked for once more before it is done.

    Attributes:
        question: what would be done, with `{name}` of whom it is done to.
        act: does it, and returns the address to go on to, or None for the page of spaces.
        command: the command line that does the same, before the id.
    """

    question: str
    verb: str
    consequence: str
    act: Callable[[PageRequest, Mapping[str, str]], str | None]
    command: tuple[str, ...]
    call: str


def _remove(request: PageRequest, asked: Mapping[str, str]) -> None:
    request.app.administration.revoke(request.access, _ID.require(asked))


def _withdraw(request: PageRequest, asked: Mapping[str, str]) -> None:
    request.app.administration.withdraw(request.access, _ID.require(asked))


def _revoke_key(request: PageRequest, asked: Mapping[str, str]) -> None:
    request.app.administration.revoke_credential(request.access.credential, _ID.require(asked))


def _seal(request: PageRequest, _asked: Mapping[str, str]) -> None:
    request.app.administration.seal(request.access)


def _rotate(request: PageRequest, _asked: Mapping[str, str]) -> None:
    request.app.administration.rotate(request.access)


def _unseal(request: PageRequest, _asked: Mapping[str, str]) -> str:
    space, _ = request.app.administration.unseal(request.access)
    return f"/ui/{space.id}/spaces"


def _leave(request: PageRequest, _asked: Mapping[str, str]) -> str:
    request.app.administration.leave(request.access)
    return "/ui"


def _roll_back(request: PageRequest, asked: Mapping[str, str]) -> None:
    since = from_iso(_SINCE.require(asked))
    request.app.administration.roll_back(request.access, _ID.require(asked), since=since)


DEEDS: Final = {
    "remove": Deed(
        "Remove {name} from this space?",
        "Remove",
        "Their keys open it no more, at once. A sealed space gets a new key. What they have read "
        "stays read, and what they said stays here.",
        _remove,
        ("space", "revoke"),
        "DELETE /api/v1/spaces/{space}/members/{id}",
    ),
    "withdraw": Deed(
        "Withdraw this invitation?",
        "Withdraw",
        "Nobody can join with it any more.",
        _withdraw,
        ("space", "revoke"),
        "DELETE /api/v1/spaces/{space}/invitations/{id}",
    ),
    "revoke": Deed(
        "Revoke the key {name}?",
        "Revoke",
        "It ends at once, with every key that was made from it, every browser signed in with one "
        "of them, and the invitations that they made. This cannot be undone.",
        _revoke_key,
        ("credential", "revoke"),
        "DELETE /api/v1/credentials/{id}",
    ),
    "rollback": Deed(
        "Take back what {name} wrote?",
        "Take back",
        "It is removed for good: thoughts, documents and decisions, the trails they wore, and "
        "what others built on them. It cannot be recovered.",
        _roll_back,
        ("space", "rollback"),
        "POST /api/v1/spaces/{space}/rollback",
    ),
    "seal": Deed(
        "Seal this space?",
        "Seal",
        "From then on nothing of it can be read on the server's disk; only members' keys open it. "
        "Everybody but you leaves it: invite them again.",
        _seal,
        ("space", "seal"),
        "POST /api/v1/spaces/{space}/seal",
    ),
    "unseal": Deed(
        "Unseal this space?",
        "Unseal",
        "All thoughts, documents, questions and traces in it become readable to anybody who can "
        "read the server's disk, database or backups. Members stay; open invitations end.",
        _unseal,
        ("space", "unseal"),
        "POST /api/v1/spaces/{space}/unseal",
    ),
    "rotate": Deed(
        "Give this space a new key?",
        "Renew the key",
        "Everything in it is encrypted again. Open invitations end.",
        _rotate,
        ("space", "rotate"),
        "POST /api/v1/spaces/{space}/rotate",
    ),
    "leave": Deed(
        "Leave this space?",
        "Leave",
        "Only a new invitation leads back. The last admin cannot leave.",
        _leave,
        ("space", "leave"),
        "POST /api/v1/spaces/{space}/leave",
    ),
}


def _find_deed(asked: Mapping[str, str]) -> Deed:
    deed = DEEDS.get(asked.get("do", ""))
    if deed is None:
        raise InvalidInput(f"do must be one of: {', '.join(DEEDS)}")
    return deed


@table.get("/spaces/confirm")
def confirm(request: PageRequest) -> Screen:
    """Show what is about to be done, and how much it takes; nothing is done yet."""
    asked = request.query
    deed, id_ = _find_deed(asked), _ID.read(asked) or ""
    values: dict[str, Any] = {"deed": deed, "name": _find_name(request, id_), "extent": None}
    words = [*deed.command]
    if deed.command[0] == "space":
        words.append(request.access.space)
    words += [id_] if id_ else []
    if deed is DEEDS["rollback"]:
        since = _SINCE.require(asked)
        extent = request.app.administration.roll_back(
            request.access, _ID.require(asked), since=from_iso(since), dry_run=True
        )
        values |= {"extent": shapes.RolledBack.of(extent), "since": since}
        command = format_command(*words, since=since)
    else:
        command = format_command(*words)
    call = deed.call.format(space=request.access.space, id=id_)
    return Screen("deed.html", values, command=command, call=call)


def _find_name(request: PageRequest, id_: str) -> str:
    """Return how people call what has an id: a member, or a key; else the id."""
    members, _ = request.app.administration.members(request.access)
    keys = request.app.credentials.list_credentials(request.access.credential)
    names = {each.member.id: each.member.name for each in members}
    names |= {each.kid: each.label for each in keys}
    return names.get(id_, id_)


@table.post("/spaces/do")
def act(request: PageRequest) -> WayOn:
    """Do what was asked once more."""
    to = _find_deed(request.form).act(request, request.form)
    return WayOn(to or f"{request.base}/spaces")
