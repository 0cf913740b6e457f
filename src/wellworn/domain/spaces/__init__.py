"""Spaces: who may know what. Credentials, members, spaces open and sealed, and the way in."""

from wellworn.domain.spaces.credentials import Credentials
from wellworn.domain.spaces.doors import Doors, local_access, no_space, shown_in, upkeep_access
from wellworn.domain.spaces.founding import Founded
from wellworn.domain.spaces.limiting import Allowance, CallClass, RateLimits
from wellworn.domain.spaces.models import (
    DEFAULT_SPACE,
    LOCAL,
    UPKEEP,
    Access,
    Credential,
    Invitation,
    Invited,
    Issued,
    Joined,
    Member,
    MemberKind,
    Membership,
    Mode,
    Principal,
    Role,
    Space,
    checked_name,
    lesser,
)
from wellworn.domain.spaces.sealing import Unlocked, locked
from wellworn.domain.spaces.service import Spaces
from wellworn.domain.spaces.settings import SpaceSettings

__all__ = [
    "DEFAULT_SPACE",
    "LOCAL",
    "UPKEEP",
    "Access",
    "Allowance",
    "CallClass",
    "Credential",
    "Credentials",
    "Doors",
    "Founded",
    "Invitation",
    "Invited",
    "Issued",
    "Joined",
    "Member",
    "MemberKind",
    "Membership",
    "Mode",
    "Principal",
    "RateLimits",
    "Role",
    "Space",
    "SpaceSettings",
    "Spaces",
    "Unlocked",
    "checked_name",
    "lesser",
    "local_access",
    "locked",
    "no_space",
    "shown_in",
    "upkeep_access",
]
