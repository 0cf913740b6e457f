"""Limits what one user can do to the truth of what others said."""

from __future__ import annotations

from collections.abc import Sequence

from wellworn.domain.spaces import Access
from wellworn.domain.thoughts.store import rows
from wellworn.domain.thoughts.store.replacements import StoredLink, count_objections
from wellworn.engines.storage.sql import Transaction
from wellworn.errors import Forbidden, RateLimited

MOST_OBJECTIONS_A_DAY = 20
"""The most thoughts of others one user may call outdated or wrong in 24 hours."""
_DAY_S = 24 * 3600.0


def require_restraint(
    transaction: Transaction, access: Access, seq: int, user: str, *, now: float
) -> None:
    """Refuse to call many thoughts of others outdated or wrong; admins may.

    Raises:
        RateLimited: the user did so twenty times in a day.
    """
    is_own = rows.load_authorships(transaction, [seq])[seq].author == user
    if is_own or access.is_admin_member:
        return
    made = count_objections(transaction, access, user, since=now - _DAY_S)
    if made >= MOST_OBJECTIONS_A_DAY:
        message = (
            f"{MOST_OBJECTIONS_A_DAY} thoughts of others were called outdated or wrong today;"
            " ask an admin of the space, or continue tomorrow"
        )
        raise RateLimited(message, retry_after_s=int(_DAY_S), limit=MOST_OBJECTIONS_A_DAY)


def select_withdrawable(
    transaction: Transaction, access: Access, links: Sequence[StoredLink], user: str
) -> Sequence[StoredLink]:
    """Return the links that a user may withdraw.

    A stated one may who stated it, for themselves alone, who wrote one of its thoughts, and admins.
    Without members anybody may, and an inferred link anybody may withdraw.

    Raises:
        Forbidden: the user is none of them.
    """
    if access.owner is None or access.is_admin_member:
        return links
    ends = sorted({end for link in links for end in (link.newer, link.older)})
    authors = {row.author for row in rows.load_authorships(transaction, ends).values()}
    own = [link for link in links if not link.is_stated or user in {link.made_by, *authors}]
    if not own:
        message = (
            "only who said that one thought replaces the other, who wrote one of them, or an admin"
            " can withdraw it"
        )
        raise Forbidden(message)
    return own
