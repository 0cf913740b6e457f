"""Commands about credentials: create, list, rotate, revoke."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from wellworn.interfaces.cli.context import SERVER, CommandContext, command, new_group
from wellworn.interfaces.cli.lookup import find_space_id
from wellworn.interfaces.cli.options import RoleOption, Yes, parse_duration
from wellworn.interfaces.cli.output import ask_to_confirm, hand_over
from wellworn.interfaces.cli.space_output import KEEP, format_credential, print_credentials

_KID_IN_KEY = re.compile(r"ww_([a-z2-7]{12})_")

commands = new_group(
    "Make, list, renew and revoke keys.", example="credential create ana --role admin"
)


@command(commands, "credential create ci --role reader --expires 30d", options=SERVER)
def create(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(help="Name of the new member, or a label for your own key.")
    ],
    *,
    role: Annotated[
        RoleOption | None,
        typer.Option(help="The most it may do; by default, contributor, or the same as your key."),
    ] = None,
    reach: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPACE", help="A space it reaches; can be repeated. By default, all of yours."
        ),
    ] = None,
    expires: Annotated[
        int | None,
        typer.Option(
            parser=parse_duration, metavar="30d", help="When it expires; by default, with yours."
        ),
    ] = None,
) -> None:
    """Make a key and print it, only once.

    Without a key of your own, on the server's machine, it belongs to a new member of the default
    space. With one, it is another key of yours, which reaches no further than yours.
    """
    memory = context.memory
    spaces = None if reach is None else [find_space_id(memory, space) for space in reach]
    role_name = role
    issued = memory.create_credential(name, role=role_name, spaces=spaces, lifetime_s=expires)
    credential = issued.credential
    if not context.key:
        # The key is not limited: the role is its new member's, in the only space they are in.
        role_name = role_name or "contributor"
        limits = {"role": role_name, "spaces": ("ks-default",)}
        credential = credential.model_copy(update=limits)
        issued = issued.model_copy(update={"credential": credential})
    context.show(
        issued, lambda issued: hand_over(issued.key, format_credential(credential, role_name), KEEP)
    )


@command(commands, "credential list --json", name="list", options=SERVER)
def list_credentials(context: CommandContext) -> None:
    """List your key and those made from it; without a key, all of them."""
    context.show(context.memory.credentials(), print_credentials)


@command(commands, "credential rotate > new.key && wellworn credential list", options=SERVER)
def rotate(
    context: CommandContext,
    kid: Annotated[str | None, typer.Argument(help="Its number; by default, your own.")] = None,
) -> None:
    """Give a credential a new key; the old key ends.

    The new key is printed only once.
    """
    kid = kid or _read_kid(context.key)
    context.show(
        context.memory.rotate_credential(kid),
        lambda issued: hand_over(issued.key, format_credential(issued.credential), KEEP),
    )


@command(commands, "credential revoke KID", options=SERVER)
def revoke(
    context: CommandContext,
    kid: Annotated[str, typer.Argument(help="Its number, as credential list prints it.")],
    *,
    yes: Yes = False,
) -> None:
    """Revoke a credential and every one made from it, at once."""
    ask_to_confirm(f"Revoke {kid} and every key made from it?", yes=yes)
    count = context.memory.revoke_credential(kid)
    context.show({"revoked": count}, f"revoked: {count}")


def _read_kid(key: str | None) -> str:
    kid = _KID_IN_KEY.match(key or "")
    if kid is None:
        raise typer.BadParameter("name a key by its number, or set WELLWORN_KEY to your own")
    return kid[1]
