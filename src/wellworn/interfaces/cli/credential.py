"""Commands about credentials: create, list, rotate, revoke."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from wellworn.interfaces.cli import listing
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.naming import space_id
from wellworn.interfaces.cli.options import (
    DEFAULT_HOME,
    Home,
    Json,
    Key,
    Role,
    Url,
    Yes,
    seconds,
)
from wellworn.interfaces.cli.output import emit, hand_over, say

if TYPE_CHECKING:
    from wellworn.client.models import Issued

KEEP = "keep it: it is told this once, and opens what is yours; set WELLWORN_KEY to it"
_KID_IN_KEY = re.compile(r"ww_([a-z2-7]{12})_")


def register(app: typer.Typer) -> None:
    """Add the commands of this module, as `wellworn credential …`."""
    group = typer.Typer(
        help="Make, list, renew or end keys.",
        epilog="Example: wellworn credential create ana --role admin",
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog="Example: wellworn credential create ci --role reader --expires 30d")(
        create
    )
    group.command("list", epilog="Example: wellworn credential list --json")(listed)
    group.command(
        epilog="Example: wellworn credential rotate > new.key && wellworn credential list"
    )(rotate)
    group.command(epilog="Example: wellworn credential revoke KID")(revoke)
    app.add_typer(group, name="credential")


def create(
    name: Annotated[str, typer.Argument(help="Of the new member, or a label for your own key.")],
    *,
    role: Annotated[
        Role | None, typer.Option(help="The most it may do; contributor, or as yours.")
    ] = None,
    reach: Annotated[
        list[str] | None,
        typer.Option(metavar="SPACE", help="A space it reaches, may be repeated; all of yours."),
    ] = None,
    expires: Annotated[
        int | None, typer.Option(parser=seconds, metavar="30d", help="When it ends; as yours.")
    ] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make a key and print it, this once.

    Without a key of your own, on the machine of the server, it is a new member's of the usual
    space; with one, a further key of yours that reaches no further than it.
    """
    with connect(home, url, key=key) as memory:
        spaces = None if reach is None else [space_id(memory, one) for one in reach]
        made = memory.create_credential(
            name, role=None if role is None else role.value, spaces=spaces, lifetime_s=expires
        )
    _hand_over(made, as_json=as_json)


def listed(
    home: Home = DEFAULT_HOME, url: Url = None, key: Key = None, as_json: Json = False
) -> None:
    """List your key and those made from it; without one, all."""
    with connect(home, url, key=key) as memory:
        found = memory.credentials()
    emit(found) if as_json else listing.credentials(found)


def rotate(
    kid: Annotated[str | None, typer.Argument(help="Its number; without it, your own.")] = None,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Give a credential a new key and print it, this once; the old key ends."""
    wanted = kid or _kid_in(key)
    with connect(home, url, key=key) as memory:
        made = memory.rotate_credential(wanted)
    _hand_over(made, as_json=as_json)


def revoke(
    kid: Annotated[str, typer.Argument(help="Its number, as printed by credential list.")],
    *,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """End a credential and every one made from it, at once."""
    if not yes:
        typer.confirm(f"End {kid} and every key made from it?", abort=True, err=True)
    with connect(home, url, key=key) as memory:
        ended = memory.revoke_credential(kid)
    emit({"revoked": ended}) if as_json else say(f"revoked: {ended}")


def _hand_over(made: Issued, *, as_json: bool) -> None:
    if as_json:
        emit(made)
        return
    hand_over(made.key, listing.about_credential(made.credential), KEEP)


def _kid_in(key: str | None) -> str:
    found = _KID_IN_KEY.match(key or "")
    if found is None:
        raise typer.BadParameter("say which, or show your own key in WELLWORN_KEY")
    return found[1]
