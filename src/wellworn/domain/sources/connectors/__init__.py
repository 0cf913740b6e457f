"""The kinds of sources: every module here with `KIND` and `create_connector` adds one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wellworn.domain.sources.connectors.models import (
    READABLE,
    ConnectorContext,
    Listing,
    ListingFailed,
    NotModified,
    SourceConnector,
    SourceItem,
    SourceKind,
    SourceSnapshot,
)
from wellworn.domain.sources.models import SourceType

__all__ = [
    "READABLE",
    "ConnectorContext",
    "Listing",
    "ListingFailed",
    "NotModified",
    "SourceConnector",
    "SourceItem",
    "SourceKind",
    "SourceSnapshot",
    "load_connectors",
    "load_source_kinds",
]


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


def _load_modules() -> list[Any]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return [module for module in modules if hasattr(module, "create_connector")]
