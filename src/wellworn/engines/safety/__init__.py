"""Defences of what is shared: no secrets on the way in, nothing hidden or binding on the way out.

All of it is pure text work. Nothing here decides who may do what; it makes text safe to keep and
safe to show, and says what looks like an attempt to command the reader.
"""

from __future__ import annotations

from wellworn.engines.safety.addressing import list_readings
from wellworn.engines.safety.fencing import (
    SHOWN_FROM,
    Fence,
    Quote,
    fence_quotes,
    new_nonce,
    remove_quotes,
)
from wellworn.engines.safety.redaction import SecretCount, SecretFound, redact, redact_document
from wellworn.engines.safety.suspicion import find_suspicions
from wellworn.engines.safety.tally import tally_secrets
from wellworn.kit.neutralising import neutralise
