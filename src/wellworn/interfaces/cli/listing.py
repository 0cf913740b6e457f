"""Credentials, spaces, members and audit trails as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import say
from wellworn.interfaces.cli.rendering import day, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wellworn.client.models import (
        AuditEntry,
        Credential,
        Invitation,
        Members,
        Membership,
        RolledBack,
        Space,
    )


def credentials(found: Sequence[Credential]) -> None:
    """Print credentials, one a line."""
    if not found:
        say("no credentials yet; wellworn credential create NAME makes one")
    for one in found:
        say(about_credential(one))


def about_credential(one: Credential) -> str:
    """Return what a credential is, in a line."""
    facts = [one.kid, one_line(one.label), one.role, _reach(one), _life(one)]
    facts.append(f"used {day(one.last_used_at)}" if one.last_used_at else "never used")
    if one.parent:
        facts.append(f"made from {one.parent}")
    return "  ".join(facts)


def spaces(found: Sequence[Space]) -> None:
    """Print spaces, one a line."""
    if not found:
        say("no spaces; wellworn space create NAME makes one")
    for one in found:
        say(f"{one.id}  {one_line(one.name)}  {_mode(one)}  {one.role}")


def about_space(one: Space) -> str:
    """Return a space's name, id and kind."""
    return f"{one_line(one.name)} ({one.id}, {_mode(one)})"


def space(one: Space) -> None:
    """Print what a space is."""
    facts = {
        "name": one_line(one.name),
        "id": one.id,
        "kind": _mode(one),
        "your role": one.role,
        "made": f"{day(one.created_at)} by {one.created_by}",
    }
    for name, value in facts.items():
        say(f"{name:>10}  {value}")


def members(found: Members) -> None:
    """Print members and open invitations, one a line."""
    for one in found.members:
        since = f"since {day(one.granted_at)}"
        say(f"{one.member_id}  {one_line(one.name)}  {one.role}  {since}  {one.fingerprint}")
    for each in found.invitations:
        say(about(each))


def about(one: Membership | Invitation) -> str:
    """Return a member's name and id, or an invitation's id and terms."""
    from wellworn.client.models import Invitation

    if isinstance(one, Invitation):
        return f"invitation {one.id}, {terms(one)}"
    return f"{one_line(one.name)} ({one.member_id}, {one.role})"


def terms(one: Invitation) -> str:
    """Return what an invitation is good for."""
    return f"as {one.role}, until {day(one.expires_at)}"


def taken_back(done: RolledBack) -> str:
    """Return what a rollback reaches, counted."""
    return (
        f"{done.thoughts} thoughts, {done.derived} built on them,"
        f" {done.queries} queries and {done.uses} uses"
    )


def trail(entries: Sequence[AuditEntry]) -> None:
    """Print what was done, one entry a line."""
    if not entries:
        say("no further entries")
    for one in entries:
        by = one_line(one.principal) + (f" ({one.credential})" if one.credential else "")
        facts = [f"{one.seq:>6}", one.at[:19].replace("T", " "), by, one.action, one.outcome]
        facts.append(" ".join(one.targets))
        say("  ".join(facts).rstrip())


def _mode(one: Space) -> str:
    return f"{one.mode}, key {one.epoch}" if one.epoch else one.mode


def _reach(one: Credential) -> str:
    return "all spaces" if one.spaces is None else ",".join(one.spaces) or "no space"


def _life(one: Credential) -> str:
    if one.revoked_at:
        return f"revoked {day(one.revoked_at)}"
    return f"until {day(one.expires_at)}" if one.expires_at else "without end"
