"""The kinds of sources: every module here with a function `connector` is one."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from wellworn.domain.sources.connectors.models import (
    READABLE,
    Connector,
    Item,
    Listing,
    Means,
    Same,
    Setback,
    Visit,
)

__all__ = [
    "READABLE",
    "Connector",
    "Item",
    "Listing",
    "Means",
    "Same",
    "Setback",
    "Visit",
    "all_connectors",
]


def all_connectors(means: Means) -> dict[str, Connector]:
    """Return every kind by its name."""
    modules = (import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__))
    made = [one.connector(means) for one in modules if hasattr(one, "connector")]
    return {one.source_type: one for one in made}
