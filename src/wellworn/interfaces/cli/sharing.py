"""Commands about who belongs to a space: invite, join, members, appoint, revoke."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import listing
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.credential import KEEP
from wellworn.interfaces.cli.naming import belonging, member_id, space_id, space_of
from wellworn.interfaces.cli.options import (
    DEFAULT_HOME,
    Home,
    Json,
    Key,
    Role,
    SpaceName,
    Url,
    Yes,
    seconds,
    worded,
)
from wellworn.interfaces.cli.output import emit, hand_over, note, say


def register(group: typer.Typer) -> None:
    """Add the commands of this module to `wellworn space …`."""
    group.command(epilog="Example: wellworn space invite team --role reader --expires 2d")(invite)
    group.command(epilog="Example: wellworn space join - --as ben < token")(join)
    group.command(epilog="Example: wellworn space members team")(members)
    group.command(epilog="Example: wellworn space appoint team ben reader")(appoint)
    group.command(epilog="Example: wellworn space revoke team ben")(revoke)


def invite(
    space: SpaceName,
    *,
    role: Annotated[Role, typer.Option(help="What whoever joins may do.")] = Role.CONTRIBUTOR,
    expires: Annotated[
        int | None,
        typer.Option(parser=seconds, metavar="7d", help="When it ends: 7d, or up to 90d."),
    ] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Print a token, this once, with which one bearer may join."""
    with connect(home, url, key=key) as memory:
        made = memory.invite(space_id(memory, space), role=role.value, lifetime_s=expires)
    if as_json:
        emit(made)
        return
    hand_over(
        made.token,
        f"invitation {made.invitation.id} to {made.space}, {listing.terms(made.invitation)}",
        "give it to one agent where nobody listens: wellworn space join TOKEN",
    )


def join(
    token: Annotated[str, typer.Argument(help="As printed by invite; - reads it from stdin.")],
    *,
    member_name: Annotated[
        str, typer.Option("--as", help="Name of the member that is made when you have no key.")
    ] = "agent",
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Accept an invitation.

    With a key of yours it prints the space's id. Without one you become a new member: it prints
    your key, this once, and the id on stderr.
    """
    with connect(home, url, key=key) as memory:
        joined = memory.join(worded(token), name=member_name)
    if as_json:
        emit(joined)
    elif joined.issued is None:
        say(joined.space)
    else:
        about = f"your key to {joined.space}, as its {joined.membership.role}"
        hand_over(joined.issued.key, about, KEEP)


def members(
    space: SpaceName,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """List who belongs to a space and, to its admins, the open invitations.

    Compare fingerprints with the people themselves before you trust a sealed space with much.
    """
    with connect(home, url, key=key) as memory:
        found = memory.members(space_id(memory, space))
    emit(found) if as_json else listing.members(found)


def appoint(
    space: SpaceName,
    member: Annotated[str, typer.Argument(help="A member's id or name.")],
    role: Annotated[Role, typer.Argument(help="What they may do from now on.")],
    *,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Give a member another role.

    All their keys follow at once. A sealed space gets a new key by that; open invitations end.
    """
    with connect(home, url, key=key) as memory:
        place = space_of(memory, space)
        whom = member_id(memory, place.id, member)
        appointed = memory.appoint(place.id, whom, role.value)
    if as_json:
        emit(appointed)
        return
    say(listing.about(appointed))
    if place.mode == "sealed":
        note("the space has a new key; open invitations have ended")


def revoke(
    space: SpaceName,
    whom: Annotated[
        str,
        typer.Argument(
            metavar="MEMBER_OR_INVITATION", help="A member's id or name, or an invitation's id."
        ),
    ],
    *,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """End a membership, or take back an invitation.

    A sealed space gets a new key by that. What a member has read cannot be unread.
    """
    from wellworn.client.models import Membership

    with connect(home, url, key=key) as memory:
        place = space_of(memory, space)
        found = belonging(memory, place.id, whom)
        if not yes:
            asked = f"Revoke {listing.about(found)} in {listing.about_space(place)}?"
            typer.confirm(asked, abort=True, err=True)
        if isinstance(found, Membership):
            memory.revoke_member(place.id, found.member_id)
            ended = found.member_id
        else:
            memory.withdraw_invitation(place.id, found.id)
            ended = found.id
    if as_json:
        emit({"revoked": ended})
        return
    say(f"revoked: {ended}")
    if isinstance(found, Membership) and place.mode == "sealed":
        note("the space has a new key; open invitations have ended")
