"""Commands about a space itself: create, list, show, seal, rotate, reseal, delete, rollback.

Those about who belongs to it are in `wellworn.interfaces.cli.sharing`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from wellworn.interfaces.cli import listing, sharing
from wellworn.interfaces.cli.connect import connect
from wellworn.interfaces.cli.credential import KEEP
from wellworn.interfaces.cli.naming import member_id, space_id, space_of
from wellworn.interfaces.cli.options import (
    DEFAULT_HOME,
    Home,
    Json,
    Key,
    SpaceName,
    Url,
    Yes,
    moment,
)
from wellworn.interfaces.cli.output import emit, hand_over, note, say


def register(app: typer.Typer) -> None:
    """Add the commands of this module and of `sharing`, as `wellworn space …`."""
    group = typer.Typer(
        help="Make spaces, share them, seal them, delete them.",
        epilog="Example: wellworn space create team --sealed --as ana",
        rich_markup_mode=None,
        no_args_is_help=False,
    )
    group.command(epilog="Example: wellworn space create team --sealed --as ana")(create)
    group.command("list", epilog="Example: wellworn space list --json")(listed)
    group.command(epilog="Example: wellworn space show team")(show)
    sharing.register(group)
    group.command(epilog="Example: wellworn space seal team")(seal)
    group.command(epilog="Example: wellworn space rotate team")(rotate)
    group.command(epilog="Example: wellworn space reseal team")(reseal)
    group.command(epilog="Example: wellworn space delete team")(delete)
    group.command(epilog="Example: wellworn space rollback team mallory --since 2h --dry-run")(
        rollback
    )
    app.add_typer(group, name="space")


def create(
    name: Annotated[str, typer.Argument(help="What people call it.")],
    *,
    sealed: Annotated[
        bool, typer.Option("--sealed", help="Nothing in it can be read without a member's key.")
    ] = False,
    member_name: Annotated[
        str, typer.Option("--as", help="Name of the member that is made when you have no key.")
    ] = "owner",
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Make a space with you as its admin.

    With a key of yours it prints the space's id. Without one, on the machine of the server, you
    become a new member: it prints your key, this once, and the id on stderr.
    """
    with connect(home, url, key=key) as memory:
        made = memory.create_space(name, sealed=sealed, member_name=member_name)
    if as_json:
        emit(made)
    elif made.issued is None:
        say(made.space.id)
    else:
        hand_over(made.issued.key, f"your key to {listing.about_space(made.space)}", KEEP)


def listed(
    home: Home = DEFAULT_HOME, url: Url = None, key: Key = None, as_json: Json = False
) -> None:
    """List the spaces that you may enter."""
    with connect(home, url, key=key) as memory:
        found = memory.spaces()
    emit(found) if as_json else listing.spaces(found)


def show(
    space: SpaceName,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Print what a space is."""
    with connect(home, url, key=key) as memory:
        found = space_of(memory, space)
    emit(found) if as_json else listing.space(found)


def seal(
    space: SpaceName,
    *,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Turn an open space into a sealed one, for good.

    All other members leave it by that: invite them again.
    """
    with connect(home, url, key=key) as memory:
        found = space_of(memory, space)
        if not yes:
            _ask(f"Seal {listing.about_space(found)}? All members but you leave it.")
        sealed = memory.seal(found.id)
    emit(sealed) if as_json else say(f"sealed: {listing.about_space(sealed)}")


def rotate(
    space: SpaceName,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Give a sealed space a new key and seal all it holds anew; open invitations end."""
    with connect(home, url, key=key) as memory:
        rotated = memory.rotate(space_id(memory, space))
    emit(rotated) if as_json else say(f"rotated: {listing.about_space(rotated)}")


def reseal(
    space: SpaceName,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Write all that a sealed space holds anew under its present key."""
    with connect(home, url, key=key) as memory:
        resealed = memory.reseal(space_id(memory, space))
    emit(resealed) if as_json else say(f"resealed: {listing.about_space(resealed)}")


def delete(
    space: SpaceName,
    *,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Delete a space with all it holds, for good; of a sealed one the keys go too."""
    with connect(home, url, key=key) as memory:
        found = space_of(memory, space)
        if not yes:
            _ask(f"Delete {listing.about_space(found)}? Nothing in it can be had back.")
        memory.delete_space(found.id)
    emit({"deleted": found.id}) if as_json else say(f"deleted: {found.id}")


def rollback(
    space: SpaceName,
    owner: Annotated[
        str, typer.Argument(help="Member's id or name; in a space without keys, an agent's id.")
    ],
    *,
    since: Annotated[
        str,
        typer.Option(parser=moment, metavar="TIME", help="ISO 8601 (UTC), or 2h: two hours ago."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Yes = False,
    home: Home = DEFAULT_HOME,
    url: Url = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Take back everything that one member wrote and wore since a moment.

    What others built on it goes too; you are told how much before you are asked.
    """
    with connect(home, url, key=key) as memory:
        found = space_of(memory, space)
        author = member_id(memory, found.id, owner)
        done = memory.roll_back(found.id, author, since=since, dry_run=True)
        if not dry_run:
            if not yes:
                note(f"in {listing.about_space(found)}, by {author} since {since}:")
                _ask(f"Take back {listing.taken_back(done)}? They cannot be had back.")
            done = memory.roll_back(found.id, author, since=since)
    if as_json:
        emit(done)
    else:
        say(f"{'would take' if done.dry_run else 'took'} back {listing.taken_back(done)}")


def _ask(question: str) -> None:
    typer.confirm(question, abort=True, err=True)
