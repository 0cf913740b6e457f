"""Validation of sources before they are stored, and encryption of their secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import available_timezones

from wellworn.domain.sources.connectors import SourceConnector
from wellworn.domain.sources.models import Source, SourceType, SyncStatus, is_watched
from wellworn.domain.sources.settings import SourceSettings
from wellworn.domain.spaces import Access, Mode
from wellworn.engines.crypto import KeyProvider
from wellworn.engines.embedding import Embedder
from wellworn.engines.extraction import Extractor
from wellworn.engines.jobs import find_schedule_problem
from wellworn.engines.safety import redact
from wellworn.errors import Forbidden, InvalidInput
from wellworn.kit.clock import Clock
from wellworn.kit.folder_paths import is_below_any
from wellworn.kit.text import is_on_one_line

SECRETS = ("auth_header", "auth_token")
"""Fields of the specification's `config` that are stored encrypted, apart from it."""
_SENT_ELSEWHERE = "its secret was given for the address before, and was removed; give one for this"
_LONGEST_SECRET = 8_000
_LONGEST_PATH = 1_000


@dataclass(frozen=True, slots=True)
class SourceDependencies:
    """The dependencies that the sources of every database share."""

    embedder: Embedder
    extractor: Extractor
    key: KeyProvider
    kinds: Mapping[str, SourceConnector]
    clock: Clock
    settings: SourceSettings


class SourceValidator:
    """Validates sources; holds the key that encrypts their secrets."""

    def __init__(self, parts: SourceDependencies) -> None:
        self._kinds = parts.kinds
        self._key = parts.key
        self._settings = parts.settings

    def validate_config(
        self, access: Access, kind: str, config: Mapping[str, Any], secret: str | None
    ) -> tuple[dict[str, Any], str | None]:
        """Return the configuration without secrets, and the secret."""
        connector = self._kinds.get(kind)
        if connector is None:
            raise InvalidInput(f"source_type must be one of {', '.join(sorted(self._kinds))}")
        plain = dict(config)
        for field in SECRETS:
            value = plain.pop(field, None)
            secret = value if secret is None else secret
        _check_secret(secret)
        valid = connector.validate_config(plain)
        location = connector.kind.location
        if connector.kind.is_local and location:
            valid[location] = self._resolve_folder(access, valid[location])
        if is_watched(valid):
            reject_triggers_in_sealed(access)
        return _reject_secrets(valid), secret

    def _resolve_folder(self, access: Access, path: str) -> str:
        """Return where a folder is, as it is named without links.

        A link that is made later leads to no other folder then.

        Raises:
            Forbidden: it is outside of the configured roots, and the caller has a credential.
        """
        folder = os.path.realpath(path)
        if access.credential is not None and not is_below_any(
            map(os.path.realpath, self._settings.folder_roots), folder
        ):
            message = "this folder cannot be a source; see WELLWORN_SOURCES__FOLDER_ROOTS"
            raise Forbidden(message)
        return folder

    def validate_schedule(self, schedule: str | None, zone: str) -> None:
        """Reject a schedule that is invalid or too frequent.

        Raises:
            InvalidInput: the message says what is wrong with it.
        """
        if zone != "UTC" and zone not in available_timezones():
            raise InvalidInput("time_zone must be the name of a zone, such as Europe/Berlin")
        if not schedule:
            return
        problem = find_schedule_problem(schedule, self._settings.least_interval_s)
        if problem:
            raise InvalidInput(f"sync_schedule: {problem}")

    def wrap_secret(self, access: Access, secret: str | None) -> bytes | None:
        """Encrypt a secret for storage."""
        if not secret:
            return None
        return self._key.wrap(secret.encode(), context=f"source/{access.space}")

    def unwrap_secret(self, access: Access, source: Source) -> str | None:
        """Decrypt the secret of a source, if it has one."""
        if source.secret is None:
            return None
        return self._key.unwrap(source.secret, context=f"source/{access.space}").decode()

    def drop_secret(self, source: Source, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that take a secret from a source that moves; mostly none.

        A secret was given for one address: those who may change that must not learn the secret.
        """
        location = self._kinds[source.source_type].kind.location
        is_same_place = location is None or config.get(location) == source.config.get(location)
        if is_same_place or not source.has_secret:
            return {}
        return {
            "secret": None,
            "sync_status": SyncStatus.NEEDS_LOGIN,
            "sync_error": _SENT_ELSEWHERE,
        }


def reject_triggers_in_sealed(access: Access) -> None:
    """Reject what is to start syncs in a space that only its members can open.

    Raises:
        InvalidInput: the space is sealed.
    """
    if access.mode is Mode.SEALED:
        message = (
            "only its members can open a sealed space, so nothing else can start a sync in it; "
            "sync the source by hand"
        )
        raise InvalidInput(message)


def reject_built_in(source: Source) -> None:
    """Reject a sync or change of a built-in source.

    Raises:
        InvalidInput: the source is built in.
    """
    if source.source_type == SourceType.HANDBOOK:
        raise InvalidInput("best practices come by /api/v1/ingest; remove them, or leave them")


def _check_secret(secret: object) -> None:
    if secret is not None and not (isinstance(secret, str) and len(secret) <= _LONGEST_SECRET):
        raise InvalidInput(f"the secret must be a text of at most {_LONGEST_SECRET} characters")


def _reject_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration that is safe to store.

    Raises:
        InvalidInput: a field such as a URL contains a secret.
    """
    plain: dict[str, Any] = {}
    for name, value in config.items():
        clean = redact(value).text if isinstance(value, str) else value
        if clean != value and name != "text":
            message = f"config.{name} holds a secret; give it as auth_token or auth_header"
            raise InvalidInput(message)
        plain[name] = clean
    return plain


def normalize_path(path: str) -> str:
    """Return the path of an uploaded file in canonical form.

    Raises:
        InvalidInput: the path names no file, or leads upwards.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    plain = "/".join(parts)
    if not plain or ".." in parts or len(plain) > _LONGEST_PATH or not is_on_one_line(plain):
        raise InvalidInput("path must name the file, such as guides/backup.pdf")
    return plain
