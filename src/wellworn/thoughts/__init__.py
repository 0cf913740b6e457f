"""Thoughts: think, retrieve, and the trails that retrieving leaves."""

from wellworn.thoughts.index import Passages
from wellworn.thoughts.indexing import Indexer
from wellworn.thoughts.layout import Topic
from wellworn.thoughts.models import (
    Affirmed,
    Contributor,
    Draft,
    Exposure,
    Found,
    Held,
    Highway,
    Kind,
    Mark,
    Method,
    Origin,
    Provenance,
    Record,
    Road,
    RolledBack,
    Search,
    Signal,
    Stored,
    ThoughtType,
)
from wellworn.thoughts.needs import NeededNext
from wellworn.thoughts.pheromone import MOST_BY_ONE_OWNER
from wellworn.thoughts.searching import Hit
from wellworn.thoughts.service import Thoughts
from wellworn.thoughts.settings import ThoughtSettings
from wellworn.thoughts.store.audit import contradictions
from wellworn.thoughts.store.bundle import Archive
from wellworn.thoughts.store.catalogue import Bond, Catalogue, Entry, Group, Label
from wellworn.thoughts.tags import tag_key, tag_named, word_count, words_key
from wellworn.thoughts.thinking import checked, is_held
from wellworn.thoughts.topics import Laid, Topics
from wellworn.thoughts.trail import Trail

__all__ = [
    "MOST_BY_ONE_OWNER",
    "Affirmed",
    "Archive",
    "Bond",
    "Catalogue",
    "Contributor",
    "Draft",
    "Entry",
    "Exposure",
    "Found",
    "Group",
    "Held",
    "Highway",
    "Hit",
    "Indexer",
    "Kind",
    "Label",
    "Laid",
    "Mark",
    "Method",
    "NeededNext",
    "Origin",
    "Passages",
    "Provenance",
    "Record",
    "Road",
    "RolledBack",
    "Search",
    "Signal",
    "Stored",
    "ThoughtSettings",
    "ThoughtType",
    "Thoughts",
    "Topic",
    "Topics",
    "Trail",
    "checked",
    "contradictions",
    "is_held",
    "tag_key",
    "tag_named",
    "word_count",
    "words_key",
]
