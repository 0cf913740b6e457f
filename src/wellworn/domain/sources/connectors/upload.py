"""Files that callers send: they arrive with a call, so there is never anything to fetch.

The original is not kept: what was sent may hold secrets, and nothing durable is written before
they are taken out.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from wellworn.domain.sources.connectors.fields import only
from wellworn.domain.sources.connectors.models import Item, Means, Same, SourceKind
from wellworn.domain.sources.models import Problem, SourceType

KIND = SourceKind(SourceType.UPLOAD)


class Upload:
    """Fills the port for `{}`."""

    source_type = KIND.name
    is_scheduled = False

    def checked(self, config: Mapping[str, Any]) -> dict[str, Any]:
        only(config, *KIND.fields)
        return {}

    @contextmanager
    def visit(
        self, config: Mapping[str, Any], *, secret: str | None, state: Mapping[str, Any]
    ) -> Generator[_Nothing]:
        del config, secret, state
        yield _Nothing()


class _Nothing:
    def listing(self) -> Same:
        return Same()

    def read(self, items: Sequence[Item]) -> Iterator[tuple[Item, bytes | Problem]]:
        del items
        return iter(())


def connector(means: Means) -> Upload:
    del means
    return Upload()
