"""Thoughts: think, retrieve, and the trails that retrieving leaves."""

from wellworn.domain.thoughts.index import Passages
from wellworn.domain.thoughts.indexing import Indexer
from wellworn.domain.thoughts.layout import Topic
from wellworn.domain.thoughts.models import (
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
from wellworn.domain.thoughts.needs import NeededNext
from wellworn.domain.thoughts.pheromone import MOST_BY_ONE_OWNER
from wellworn.domain.thoughts.searching import Hit
from wellworn.domain.thoughts.service import Thoughts
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.store.archive import Archive
from wellworn.domain.thoughts.store.catalogue import (
    Catalogue,
    GroupKind,
    TagCount,
    ThoughtExcerpt,
    ThoughtGroup,
)
from wellworn.domain.thoughts.store.consistency import count_inconsistencies
from wellworn.domain.thoughts.tags import tag_key, tag_named, word_count, words_key
from wellworn.domain.thoughts.thinking import checked, is_held
from wellworn.domain.thoughts.topics import Laid, Topics
from wellworn.domain.thoughts.trail import Trail

__all__ = [
    "MOST_BY_ONE_OWNER",
    "Affirmed",
    "Archive",
    "Catalogue",
    "Contributor",
    "Draft",
    "Exposure",
    "Found",
    "GroupKind",
    "Held",
    "Highway",
    "Hit",
    "Indexer",
    "Kind",
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
    "TagCount",
    "ThoughtExcerpt",
    "ThoughtGroup",
    "ThoughtSettings",
    "ThoughtType",
    "Thoughts",
    "Topic",
    "Topics",
    "Trail",
    "checked",
    "count_inconsistencies",
    "is_held",
    "tag_key",
    "tag_named",
    "word_count",
    "words_key",
]
