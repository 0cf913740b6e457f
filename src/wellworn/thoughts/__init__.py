"""Thoughts: think, retrieve, and the trails that retrieving leaves."""

from wellworn.thoughts.index import Passages
from wellworn.thoughts.indexing import Indexer
from wellworn.thoughts.models import (
    Affirmed,
    Contributor,
    Draft,
    Exposure,
    Found,
    Highway,
    Kind,
    Method,
    Origin,
    Provenance,
    Record,
    Road,
    Search,
    Signal,
    Stored,
    ThoughtType,
)
from wellworn.thoughts.searching import Hit
from wellworn.thoughts.service import Thoughts
from wellworn.thoughts.settings import ThoughtSettings
from wellworn.thoughts.store.audit import contradictions
from wellworn.thoughts.store.bundle import Archive
from wellworn.thoughts.tags import tag_key, tag_named
from wellworn.thoughts.thinking import checked
from wellworn.thoughts.trail import Trail

__all__ = [
    "Affirmed",
    "Archive",
    "Contributor",
    "Draft",
    "Exposure",
    "Found",
    "Highway",
    "Hit",
    "Indexer",
    "Kind",
    "Method",
    "Origin",
    "Passages",
    "Provenance",
    "Record",
    "Road",
    "Search",
    "Signal",
    "Stored",
    "ThoughtSettings",
    "ThoughtType",
    "Thoughts",
    "Trail",
    "checked",
    "contradictions",
    "tag_key",
    "tag_named",
]
