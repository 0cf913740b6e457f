"""Files that callers send: they arrive with a call, so there is never anything to fetch.

The original is not stored: it may contain secrets, and these are removed before anything durable
is written.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import reject_unknown
from wellworn.domain.sources.connectors.models import (
    ConnectorContext,
    NotModified,
    SourceItem,
    SourceKind,
)
from wellworn.domain.sources.models import Problem, SourceType

KIND = SourceKind(SourceType.UPLOAD)


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
