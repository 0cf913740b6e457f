"""Crypto: keys that callers carry, sealed records, grants, tokens, and the server's own key."""

from wellworn.engines.crypto.apikeys import REFUSED, ApiKey, KeyPrefix
from wellworn.engines.crypto.framing import framed
from wellworn.engines.crypto.grants import Epoch, Grant, GrantContext, Invitation, unwrap, wrap
from wellworn.engines.crypto.identity import Identity, PublicIdentity
from wellworn.engines.crypto.providers import KeyProvider, LocalKey, open_provider
from wellworn.engines.crypto.records import DataKey, RecordBox, padded_length
from wellworn.engines.crypto.sealing import Box
from wellworn.engines.crypto.settings import CryptoSettings, KeySettings, TokenSettings
from wellworn.engines.crypto.signing import Signer, SigningKey, Verifier, VerifyKey
from wellworn.engines.crypto.tokens import Claims, TokenVerifier, open_verifier

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
