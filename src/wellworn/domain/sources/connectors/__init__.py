"""The kinds of sources: every module here with `KIND` and `create_connector` adds one.

Another package adds one by an entry point of the group `wellworn.source_kinds` that names such a
module. Of two kinds of one name the one that ships counts.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any, Final

from wellworn.domain.sources.connectors.models import (
    READABLE,
    AskElsewhere,
    ConnectorContext,
    Listing,
    ListingFailed,
    NotModified,
    Recognition,
    Sign,
    SourceConnector,
    SourceItem,
    SourceKind,
    SourceSnapshot,
)
from wellworn.domain.sources.models import SourceType

__all__ = [
    "READABLE",
    "AskElsewhere",
    "ConnectorContext",
    "Listing",
    "ListingFailed",
    "NotModified",
    "Recognition",
    "Sign",
    "SourceConnector",
    "SourceItem",
    "SourceKind",
    "SourceSnapshot",
    "load_connectors",
    "load_source_kinds",
    "recognize_source",
]

ENTRY_POINTS: Final = "wellworn.source_kinds"
_log = logging.getLogger(__name__)


def load_connectors(context: ConnectorContext) -> dict[str, SourceConnector]:
    """Create a connector of every kind, by source type."""
    connectors: list[SourceConnector] = [
        module.create_connector(context) for module in _load_modules()
    ]
    return {connector.kind.name: connector for connector in connectors}


def load_source_kinds() -> dict[str, SourceKind]:
    """Return the description of every kind by name, those that ship first."""
    order = [str(kind) for kind in SourceType]
    kinds: list[SourceKind] = [module.KIND for module in _load_modules()]
    kinds.sort(key=lambda kind: order.index(kind.name) if kind.name in order else len(order))
    return {kind.name: kind for kind in kinds}


def recognize_source(
    what: str, options: Collection[str]
) -> tuple[SourceKind, Recognition] | tuple[None, None]:
    """Return the kind of the source that somebody means, and the source; None for nothing.

    Args:
        what: an address, a path, or the title of a note.
        options: the names of the options that were given beside it.
    """
    matches = [(kind, kind.recognize(what, options)) for kind in load_source_kinds().values()]
    signs = [(kind, match) for kind, match in matches if match is not None]
    return max(signs, key=lambda sign: sign[1].sign, default=(None, None))


def _load_modules() -> list[Any]:
    own = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    kinds = [module for module in own if hasattr(module, "create_connector")]
    taken = {module.KIND.name for module in kinds}
    return [*kinds, *(module for module in _load_others() if module.KIND.name not in taken)]


@cache
def _load_others() -> list[Any]:
    """Import the kinds that other packages add; one that is not as it should be is reported."""
    modules: list[Any] = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            module = point.load()
            _ = module.KIND.name, module.create_connector
        except (ImportError, AttributeError):
            _log.exception("the kind of source %r of %s is not there", point.name, point.value)
        else:
            modules.append(module)
    return modules
