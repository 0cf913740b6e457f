"""Credentials, spaces, members and audit trails as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wellworn.interfaces.cli.output import fold_spaces, format_minute, print_table, say

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


KEEP = "keep it: it is shown only once, and unlocks what is yours; set WELLWORN_KEY to it"


def print_credentials(credentials: Sequence[Credential]) -> None:
    """Print credentials, one a line."""
    if not credentials:
        say("no credentials yet; wellworn credential create NAME makes one")
    for credential in credentials:
        say(format_credential(credential))


def format_credential(credential: Credential, role: str | None = None) -> str:
    """Return what a credential is, in a line, with the role that it was given if one was."""
    cap = "as its member" if credential.role == "admin" else credential.role
    used = credential.last_used_at
    reach = "all spaces" if credential.spaces is None else ",".join(credential.spaces)
    facts = [
        credential.kid,
        fold_spaces(credential.label),
        role or cap,
        reach or "no space",
        _format_end(credential),
        f"used {format_minute(used)}" if used else "never used",
    ]
    if credential.parent:
        facts.append(f"made from {credential.parent}")
    return "  ".join(facts)


def print_spaces(spaces: Sequence[Space]) -> None:
    """Print spaces, one a line."""
    if not spaces:
        say("no spaces; wellworn space create NAME makes one")
    for space in spaces:
        say(f"{space.id}  {fold_spaces(space.name)}  {_format_mode(space)}  {space.role}")


def format_space(space: Space) -> str:
    """Return a space's name, id and kind."""
    return f"{fold_spaces(space.name)} ({space.id}, {_format_mode(space)})"


def print_space(space: Space) -> None:
    """Print what a space is."""
    facts = {
        "name": space.name,
        "id": space.id,
        "kind": _format_mode(space),
        "your role": space.role,
        "made": f"{format_minute(space.created_at)} by {space.created_by}",
    }
    if space.unconfirmed_hours:
        facts["policy"] = f"members' thoughts are unconfirmed for {space.unconfirmed_hours} hours"
    print_table(facts, width=10)


def print_members(members: Members) -> None:
    """Print members and open invitations, one a line."""
    for member in members.members:
        name, since = fold_spaces(member.name), format_minute(member.granted_at)
        say(f"{member.member_id}  {name}  {member.role}  since {since}  {member.fingerprint}")
    for invitation in members.invitations:
        say(format_membership(invitation))


def format_membership(membership: Membership | Invitation) -> str:
    """Return a member's name and id, or an invitation's id and terms."""
    from wellworn.client.models import Invitation

    if isinstance(membership, Invitation):
        return f"invitation {membership.id}, {format_terms(membership)}"
    return f"{fold_spaces(membership.name)} ({membership.member_id}, {membership.role})"


def format_terms(invitation: Invitation) -> str:
    """Return what an invitation is good for."""
    return f"as {invitation.role}, until {format_minute(invitation.expires_at)}"


def format_rollback(result: RolledBack) -> str:
    """Return what a rollback reaches, counted."""
    return (
        f"{result.thoughts} thoughts, {result.derived} built on them,"
        f" {result.queries} queries and {result.uses} uses"
    )


def print_audit_entries(entries: Sequence[AuditEntry]) -> None:
    """Print what was done, one entry a line."""
    if not entries:
        say("no further entries; calls without a credential, at the open door, are not recorded")
    for entry in entries:
        who = fold_spaces(entry.principal) + (f" ({entry.credential})" if entry.credential else "")
        time = f"{entry.at[:19].replace('T', ' ')} UTC"
        facts = [f"{entry.seq:>6}", time, who, entry.action, entry.outcome, " ".join(entry.targets)]
        say("  ".join(facts).rstrip())


def _format_mode(space: Space) -> str:
    return f"{space.mode}, key {space.epoch}" if space.epoch else space.mode


def _format_end(credential: Credential) -> str:
    if credential.revoked_at:
        return f"revoked {format_minute(credential.revoked_at)}"
    if credential.expires_at:
        return f"until {format_minute(credential.expires_at)}"
    return "no expiry"
