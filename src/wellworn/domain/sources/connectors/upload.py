"""Files that callers send: they arrive with a call, so there is never anything to fetch.

The original is not stored: it may contain secrets, which are removed from all that is durable.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wellworn.domain.sources.connectors.fields import reject_unknown
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    NotModified,
    Recognition,
    Sign,
    SourceItem,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType


def _recognize(what: str, _options: Collection[str]) -> Recognition | None:
    """Recognise a file that exists; it is the first to be sent."""
    path = Path(what).expanduser().resolve()
    return Recognition(Sign.FORM, path.stem, str(path)) if what and path.is_file() else None


KIND = SourceKind(SourceType.UPLOAD, recognize=_recognize)


class Upload:
    """Accepts uploaded files; its configuration is `{}`."""

    kind = KIND
    is_scheduled = False

    def validate_config(self, config: Mapping[str, Any]) -> dict[str, Any]:
        reject_unknown(config, *KIND.fields)
        return {}

    @contextmanager
    def open_snapshot(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_EmptySnapshot]:
        del config, secret, state
        yield _EmptySnapshot()


class _EmptySnapshot:
    def list_items(self) -> NotModified:
        return NotModified()

    def read(self, items: Sequence[SourceItem]) -> Iterator[tuple[SourceItem, bytes | Problem]]:
        del items
        return iter(())


def create_connector(context: ConnectorContext) -> Upload:
    del context
    return Upload()
