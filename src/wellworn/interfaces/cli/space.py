"""Commands about spaces, and about who belongs to them."""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import space_output
from wellworn.interfaces.cli.context import SERVER, CommandContext, command, new_group
from wellworn.interfaces.cli.failures import InvitationEnded
from wellworn.interfaces.cli.lookup import (
    find_member_id,
    find_member_or_invitation,
    find_space,
    find_space_id,
)
from wellworn.interfaces.cli.options import (
    RoleOption,
    SpaceName,
    Yes,
    parse_duration,
    parse_time,
    read_text,
)
from wellworn.interfaces.cli.output import ask_to_confirm, emit, hand_over, note, say
from wellworn.interfaces.cli.space_output import KEEP, format_space

commands = new_group(
    "Make, share, seal and delete spaces.",
    example="space create team --sealed --as ana",
)


@command(commands, "space create team --sealed --as ana", options=SERVER)
def create(
    context: CommandContext,
    name: Annotated[str, typer.Argument(help="Its name, for people.")],
    *,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="Encrypt it: unreadable without a member's key.")
    ] = False,
    member_name: Annotated[
        str, typer.Option("--as", help="Name of the new member, if you have no key.")
    ] = "owner",
    unconfirmed_hours: Annotated[
        int,
        typer.Option(
            min=0, max=8760, help="Hours for which members' thoughts wait for confirmation."
        ),
    ] = 0,
) -> None:
    """Make a space with you as its admin.

    With a key of yours, prints the space's id. Without one, on the server's machine, you become a
    new member: prints your key, only once, and the id on stderr.
    """
    created = context.memory.create_space(
        name, sealed=sealed, member_name=member_name, unconfirmed_hours=unconfirmed_hours
    )
    if context.as_json:
        emit(created)
    elif created.issued is None:
        say(created.space.id)
    else:
        hand_over(created.issued.key, f"your key to {format_space(created.space)}", KEEP)


@command(commands, "space list --json", name="list", options=SERVER)
def list_spaces(context: CommandContext) -> None:
    """List the spaces that you may enter."""
    context.show(context.memory.spaces(), space_output.print_spaces)


@command(commands, "space show team", options=SERVER)
def show(context: CommandContext, name: SpaceName) -> None:
    """Print a space, and your role in it."""
    context.show(find_space(context.memory, name), space_output.print_space)


@command(commands, "space change team --unconfirmed-hours 48", options=SERVER)
def change(
    context: CommandContext,
    name: SpaceName,
    *,
    unconfirmed_hours: Annotated[
        int,
        typer.Option(
            min=0, max=8760, help="Hours for which members' thoughts wait for confirmation."
        ),
    ],
) -> None:
    """Change a space's policy, for what is said from now on."""
    memory = context.memory
    changed = memory.change_space(find_space_id(memory, name), unconfirmed_hours=unconfirmed_hours)
    context.show(changed, space_output.print_space)


@command(commands, "space invite team --role reader --expires 2d", options=SERVER)
def invite(
    context: CommandContext,
    name: SpaceName,
    *,
    role: Annotated[RoleOption, typer.Option(help="Role of whoever joins.")] = "contributor",
    expires: Annotated[
        int | None,
        typer.Option(
            parser=parse_duration, metavar="7d", help="When it expires: by default 7d, at most 90d."
        ),
    ] = None,
) -> None:
    """Print a token, only once, that lets one bearer join."""
    memory = context.memory
    life = {} if expires is None else {"lifetime_s": expires}
    invited = memory.invite(find_space_id(memory, name), role=role, **life)
    if context.as_json:
        emit(invited)
        return
    terms = space_output.format_terms(invited.invitation)
    hand_over(
        invited.token,
        f"invitation {invited.invitation.id} to {invited.space}, {terms}",
        "give it to one agent over a private channel: wellworn space join TOKEN",
    )


@command(commands, "space join - --as ben < token", options=SERVER)
def join(
    context: CommandContext,
    token: Annotated[
        str, typer.Argument(help="The token that invite printed; - reads it from stdin.")
    ],
    *,
    member_name: Annotated[
        str, typer.Option("--as", help="Name of the new member, if you have no key.")
    ] = "agent",
) -> None:
    """Accept an invitation.

    With a key of yours, prints the space's id. Without one, you become a new member: prints your
    key, only once, and the id on stderr.
    """
    from wellworn.client import WellwornClientError

    try:
        joined = context.memory.join(read_text(token), name=member_name)
    except WellwornClientError as refusal:
        if refusal.code != "CREDENTIAL_NOT_FOUND":
            raise
        raise InvitationEnded(refusal.message) from refusal
    if context.as_json:
        emit(joined)
    elif joined.issued is None:
        say(joined.space)
    else:
        role = joined.membership.role
        hand_over(joined.issued.key, f"your key to {joined.space}, as its {role}", KEEP)


@command(commands, "space members team", options=SERVER)
def members(context: CommandContext, name: SpaceName) -> None:
    """List the members of a space.

    Admins also see the open invitations. Compare fingerprints with the people themselves before
    you trust a sealed space with much.
    """
    memory = context.memory
    context.show(memory.members(find_space_id(memory, name)), space_output.print_members)


@command(commands, "space appoint team ben reader", options=SERVER)
def appoint(
    context: CommandContext,
    name: SpaceName,
    member: Annotated[str, typer.Argument(help="A member's id or name.")],
    role: Annotated[RoleOption, typer.Argument(help="Their new role.")],
) -> None:
    """Give a member another role.

    All their keys follow at once. A sealed space gets a new key when the new role is lesser; the
    command names the invitations that this ends.
    """
    memory = context.memory
    space = find_space(memory, name)
    appointed = memory.appoint(space.id, find_member_id(memory, space.id, member), role)
    context.show(appointed, space_output.format_membership(appointed))
    if appointed.ended_invitations and not context.as_json:
        why = "the space has a new key; " if space.mode == "sealed" else ""
        note(f"{why}invitations that have ended: {' '.join(appointed.ended_invitations)}")


@command(commands, "space revoke team ben", options=SERVER)
def revoke(
    context: CommandContext,
    name: SpaceName,
    whom: Annotated[
        str,
        typer.Argument(
            metavar="MEMBER_OR_INVITATION", help="A member's id or name, or an invitation's id."
        ),
    ],
    *,
    yes: Yes = False,
) -> None:
    """End a membership, or withdraw an invitation.

    A sealed space gets a new key when a member goes. What a member has read stays read.
    """
    from wellworn.client.models import Membership

    memory = context.memory
    space = find_space(memory, name)
    ended = find_member_or_invitation(memory, space.id, whom)
    described = space_output.format_membership(ended)
    ask_to_confirm(f"Revoke {described} in {format_space(space)}?", yes=yes)
    if isinstance(ended, Membership):
        ended_id = ended.member_id
        memory.revoke_member(space.id, ended_id)
    else:
        ended_id = ended.id
        memory.withdraw_invitation(space.id, ended_id)
    context.show({"revoked": ended_id}, f"revoked: {ended_id}")
    if isinstance(ended, Membership) and space.mode == "sealed" and not context.as_json:
        note("the space has a new key; open invitations have ended")


@command(commands, "space leave team", options=SERVER)
def leave(context: CommandContext, name: SpaceName, *, yes: Yes = False) -> None:
    """End your own membership; only a new invitation leads back.

    The last admin cannot leave: appoint another one first, or delete the space.
    """
    space = find_space(context.memory, name)
    ask_to_confirm(f"Leave {format_space(space)}? Only a new invitation leads back.", yes=yes)
    left = context.memory.leave(space.id)
    context.show(left, f"left: {left.left}")
    if space.mode == "sealed" and not left.key_renewed and not context.as_json:
        note("the space keeps its key; ask an admin to renew it: wellworn space rotate")


@command(commands, "space seal team", options=SERVER)
def seal(context: CommandContext, name: SpaceName, *, yes: Yes = False) -> None:
    """Seal an open space.

    All other members leave it: invite them again.
    """
    space = find_space(context.memory, name)
    ask_to_confirm(f"Seal {format_space(space)}? All members except you leave it.", yes=yes)
    sealed = context.memory.seal(space.id)
    context.show(sealed, f"sealed: {format_space(sealed)}")


@command(commands, "space unseal team", options=SERVER)
def unseal(context: CommandContext, name: SpaceName, *, yes: Yes = False) -> None:
    """Make a sealed space open.

    Members stay, and open invitations end. A space that was created sealed gets another id.
    """
    space = find_space(context.memory, name)
    readable = (
        "all thoughts, documents, questions and traces in it become readable to anybody who can "
        "read the server's disk, database or backups"
    )
    ask_to_confirm(f"Unseal {format_space(space)}? Then {readable}.", yes=yes)
    opened = context.memory.unseal(space.id)
    context.show(opened, f"unsealed: {format_space(opened)}")
    if opened.id != space.id and not context.as_json:
        note(f"its id is now {opened.id}; keys, names and members stay as they were")


@command(commands, "space rotate team", options=SERVER)
def rotate(context: CommandContext, name: SpaceName) -> None:
    """Give a sealed space a new key and seal it again.

    Open invitations end.
    """
    rotated = context.memory.rotate(find_space_id(context.memory, name))
    context.show(rotated, f"rotated: {format_space(rotated)}")


@command(commands, "space reseal team", options=SERVER)
def reseal(context: CommandContext, name: SpaceName) -> None:
    """Write all content of a sealed space again under its present key."""
    resealed = context.memory.reseal(find_space_id(context.memory, name))
    context.show(resealed, f"resealed: {format_space(resealed)}")


@command(commands, "space delete team", options=SERVER)
def delete(context: CommandContext, name: SpaceName, *, yes: Yes = False) -> None:
    """Delete a space and all its content for good.

    The keys of a sealed space are deleted too.
    """
    space = find_space(context.memory, name)
    ask_to_confirm(f"Delete {format_space(space)}? Nothing in it can be recovered.", yes=yes)
    context.memory.delete_space(space.id)
    context.show({"deleted": space.id}, f"deleted: {space.id}")


@command(commands, "space rollback team mallory --since 2h --dry-run", options=SERVER)
def rollback(
    context: CommandContext,
    name: SpaceName,
    owner: Annotated[
        str, typer.Argument(help="A member's id or name; in a space without keys, an agent's id.")
    ],
    *,
    since: Annotated[
        str,
        typer.Option(
            parser=parse_time, metavar="TIME", help="ISO 8601 (UTC), or 2h: two hours ago."
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would be removed.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Undo everything that one member wrote since a time.

    The trails it left, and what others built on it, are removed too. Before you confirm, you see
    how much.
    """
    memory = context.memory
    space = find_space(memory, name)
    author = find_member_id(memory, space.id, owner)
    result = memory.roll_back(space.id, author, since=since, dry_run=True)
    if not dry_run:
        if not yes:
            note(f"in {format_space(space)}, by {author} since {since}:")
        extent = space_output.format_rollback(result)
        ask_to_confirm(f"Remove {extent}? They cannot be recovered.", yes=yes)
        result = memory.roll_back(space.id, author, since=since)
    verb = "would remove" if result.dry_run else "removed"
    context.show(result, f"{verb} {space_output.format_rollback(result)}")
