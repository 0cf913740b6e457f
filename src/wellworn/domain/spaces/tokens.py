"""The token of an invitation, as its bearer sends it."""

from __future__ import annotations

from wellworn.engines.crypto import ApiKey, KeyPrefix
from wellworn.errors import CredentialNotFound, Unauthenticated


def parse_token(text: str) -> ApiKey:
    """Read a token.

    Raises:
        CredentialNotFound: it is none.
    """
    try:
        return ApiKey.parse(text, KeyPrefix.INVITATION)
    except Unauthenticated:
        raise no_invitation() from None


def no_invitation() -> CredentialNotFound:
    """Return the one answer for every token that lets nobody in."""
    return CredentialNotFound("this invitation is unknown, used, withdrawn or expired")
