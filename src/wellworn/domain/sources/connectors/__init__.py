"""The kinds of sources: every module here with a `KIND` and a function `connector` is one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from wellworn.domain.sources.connectors.models import (
    READABLE,
    Connector,
    Item,
    Listing,
    Means,
    Same,
    Setback,
    SourceKind,
    Visit,
)
from wellworn.domain.sources.models import SourceType

__all__ = [
    "READABLE",
    "Connector",
    "Item",
    "Listing",
    "Means",
    "Same",
    "Setback",
    "SourceKind",
    "Visit",
    "all_connectors",
    "source_kinds",
]


def all_connectors(means: Means) -> dict[str, Connector]:
    """Return every kind by its name."""
    connectors: list[Connector] = [module.connector(means) for module in _modules()]
    return {connector.source_type: connector for connector in connectors}


def source_kinds() -> dict[str, SourceKind]:
    """Return what every kind is called and takes by its name, those that ship first."""
    order = [str(kind) for kind in SourceType]
    kinds: list[SourceKind] = [module.KIND for module in _modules()]
    kinds.sort(key=lambda kind: order.index(kind.name) if kind.name in order else len(order))
    return {kind.name: kind for kind in kinds}


def _modules() -> list[Any]:
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return [module for module in modules if hasattr(module, "connector")]
