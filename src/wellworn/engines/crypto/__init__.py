"""Crypto: keys that callers carry, sealed records, grants, tokens, and the server's own key."""

from wellworn.engines.crypto.apikeys import REFUSED, ApiKey, KeyPrefix
from wellworn.engines.crypto.grants import (
    Epoch,
    Grant,
    GrantContext,
    SealedInvitation,
    unwrap_data_key,
    wrap_data_key,
)
from wellworn.engines.crypto.identity import Identity, PublicIdentity
from wellworn.engines.crypto.providers import KeyProvider, LocalKey, open_provider
from wellworn.engines.crypto.records import DataKey, RecordBox
from wellworn.engines.crypto.sealing import SecretBox
from wellworn.engines.crypto.settings import CryptoSettings, TokenSettings
from wellworn.engines.crypto.signing import Signer, SigningKey, VerifyKey
from wellworn.engines.crypto.tokens import TokenClaims, TokenVerifier, open_verifier
