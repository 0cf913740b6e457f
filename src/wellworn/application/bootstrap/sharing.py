"""Makes a server one of several over one database: what they agree on, and the points they share.

A server of another key could not open what the others closed, and one of another encoder would find
nothing by meaning; neither is let in.
"""

from __future__ import annotations

from typing import Final

from wellworn.engines.crypto import KeyProvider
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.errors import InvalidInput
from wellworn.kit.text import fingerprint

_OTHER_KEY: Final = (
    "this folder's server.key is not the one that this database was written with: copy that of"
    " another server's folder here, or that of a backup"
)
_OTHER_ENCODER: Final = (
    "the vectors of this database were made by the encoder {}, and this server has {}: give it the"
    " same settings, and copy index/MODEL and what lies beside it from another server's folder"
)


def share_memory(
    database: Database,
    indexes: dict[str, StoredVectorIndex],
    *,
    encoder: str,
    key: KeyProvider,
    changes_encoder: bool,
    gives: bool = False,
) -> None:
    """Join the servers of a database, and take in what they have, or give them what is here.

    Raises:
        InvalidInput: this server's key or encoder is another than theirs.
        StoreInUse: it changes the encoder, and other servers are there.
    """
    mark = fingerprint(key.derive("servers").hex())
    if database.agree("key", mark) != mark:
        raise InvalidInput(_OTHER_KEY)
    agreed = database.agree("encoder", encoder, changes=changes_encoder)
    if agreed != encoder:
        raise InvalidInput(_OTHER_ENCODER.format(agreed, encoder))
    for kind, index in indexes.items():
        index.share(database, kind, fingerprint(encoder)[:12], gives=gives)
    database.catch_up()
