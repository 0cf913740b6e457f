"""Epochs and grants of sealed spaces as rows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from wellworn.domain.spaces.authority import SignedEpoch, SignedGrant
from wellworn.domain.spaces.tables import space_epochs, space_grants
from wellworn.engines.crypto import Epoch, Grant, PublicIdentity
from wellworn.engines.storage.sql import build_value


def add_epoch(connection: Connection, signed: SignedEpoch) -> None:
    epoch = signed.epoch
    connection.execute(
        insert(space_epochs),
        {
            "space_id": epoch.space,
            "epoch": epoch.epoch,
            "key_check": epoch.key_check,
            "previous_hash": epoch.previous_hash,
            "author": epoch.author,
            "created_at": epoch.created_at,
            "signature": signed.signature,
        },
    )


def add_grant(connection: Connection, signed: SignedGrant) -> None:
    grant = signed.grant
    connection.execute(
        insert(space_grants),
        {
            "space_id": grant.space,
            "epoch": grant.epoch,
            "member_id": grant.member_id,
            "encryption_public": grant.member_public.encryption,
            "signing_public": grant.member_public.signing,
            "role": grant.role,
            "wrapped": signed.wrapped,
            "wrapped_hash": grant.wrapped,
            "granted_by": grant.granted_by,
            "signature": signed.signature,
        },
    )


def list_epochs(connection: Connection, space_id: str) -> list[SignedEpoch]:
    """Return the space's epochs, first to newest."""
    rows = connection.execute(
        select(space_epochs)
        .where(space_epochs.c.space_id == space_id)
        .order_by(space_epochs.c.epoch)
    )
    return [_build_epoch(row) for row in rows]


def list_grants(connection: Connection, space_id: str) -> list[SignedGrant]:
    rows = connection.execute(select(space_grants).where(space_grants.c.space_id == space_id))
    return [_build_grant(row) for row in rows]


def forget_wraps_before(connection: Connection, space_id: str, epoch: int) -> None:
    """Drop the wrapped keys of earlier epochs; the statements that granted roles stay."""
    connection.execute(
        update(space_grants)
        .where(space_grants.c.space_id == space_id, space_grants.c.epoch < epoch)
        .values(wrapped=None)
    )


def remove_grant(connection: Connection, space_id: str, epoch: int, member_id: str) -> None:
    connection.execute(
        delete(space_grants).where(
            space_grants.c.space_id == space_id,
            space_grants.c.epoch == epoch,
            space_grants.c.member_id == member_id,
        )
    )


def remove(connection: Connection, space_id: str) -> None:
    for table in (space_grants, space_epochs):
        connection.execute(delete(table).where(table.c.space_id == space_id))


def _build_epoch(row: Row[Any]) -> SignedEpoch:
    return SignedEpoch(build_value(Epoch, row, space=row.space_id), row.signature)


def _build_grant(row: Row[Any]) -> SignedGrant:
    public = PublicIdentity(row.encryption_public, row.signing_public)
    grant = build_value(
        Grant, row, space=row.space_id, member_public=public, wrapped=row.wrapped_hash
    )
    return SignedGrant(grant, row.signature, row.wrapped)
