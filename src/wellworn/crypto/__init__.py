"""Crypto: keys that callers carry, sealed records, grants, tokens, and the server's own key."""

from wellworn.crypto.apikeys import REFUSED, ApiKey, KeyPrefix
from wellworn.crypto.framing import framed
from wellworn.crypto.grants import Epoch, Grant, GrantContext, Invitation, unwrap, wrap
from wellworn.crypto.identity import Identity, PublicIdentity
from wellworn.crypto.providers import KeyProvider, LocalKey, open_provider
from wellworn.crypto.records import DataKey, RecordBox, padded_length
from wellworn.crypto.sealing import Box
from wellworn.crypto.settings import CryptoSettings, KeySettings, TokenSettings
from wellworn.crypto.signing import Signer, SigningKey, Verifier, VerifyKey
from wellworn.crypto.tokens import Claims, TokenVerifier, open_verifier

__all__ = [
    "REFUSED",
    "ApiKey",
    "Box",
    "Claims",
    "CryptoSettings",
    "DataKey",
    "Epoch",
    "Grant",
    "GrantContext",
    "Identity",
    "Invitation",
    "KeyPrefix",
    "KeyProvider",
    "KeySettings",
    "LocalKey",
    "PublicIdentity",
    "RecordBox",
    "Signer",
    "SigningKey",
    "TokenSettings",
    "TokenVerifier",
    "Verifier",
    "VerifyKey",
    "framed",
    "open_provider",
    "open_verifier",
    "padded_length",
    "unwrap",
    "wrap",
]
