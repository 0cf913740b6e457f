"""Makes a server one of several over one database: what they agree on, and the points they share.

A server of another key could not open what the others closed, and one of another encoder would find
nothing by meaning; neither is let in.
"""

from __future__ import annotations

from typing import Final

from wellworn.engines.crypto import KeyProvider
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import StoredVectorIndex
from wellworn.errors import InvalidInput, StoreInUse
from wellworn.kit.text import fingerprint

_OTHER_KEY: Final = (
    "this folder's server.key is not the one that this database was written with: copy that of"
    " another server's folder here, or that of a backup"
)
_OTHER_ENCODER: Final = (
    "the vectors of this database were made by the encoder {}, and this server has {}: give it the"
    " same settings, and copy index/MODEL and what lies beside it from another server's folder"
)
_OTHER_VECTORS: Final = (
    "the other servers of this database compare vectors in another way than {}: give this server"
    " the same WELLWORN_STORAGE__VECTORS, or end them first and start all with the new one"
)


def share_memory(
    database: Database,
    indexes: dict[str, StoredVectorIndex],
    *,
    encoder: str,
    key: KeyProvider,
    vectors: str,
    changes_encoder: bool,
    gives: bool = False,
) -> None:
    """Join the servers of a database, and take in what they have, or give them what is here.

    Raises:
        InvalidInput: this server's key, encoder or way to compare vectors is another than theirs,
            or PostgreSQL has no pgvector.
        StoreInUse: it changes the encoder, and other servers are there.
    """
    mark = fingerprint(key.derive("servers").hex())
    if database.agree("key", mark) != mark:
        raise InvalidInput(_OTHER_KEY)
    agreed = database.agree("encoder", encoder, changes=changes_encoder)
    if agreed != encoder:
        raise InvalidInput(_OTHER_ENCODER.format(agreed, encoder))
    try:
        database.agree("vectors", vectors, changes=True)
    except StoreInUse as error:
        raise InvalidInput(_OTHER_VECTORS.format(vectors)) from error
    for kind, index in indexes.items():
        index.share(database, kind, fingerprint(encoder)[:12], gives=gives)
    database.catch_up()
