"""Thoughts: think, retrieve, and the trails that retrieving leaves."""

from wellworn.domain.thoughts.features import PreparedThought
from wellworn.domain.thoughts.layout import Topic
from wellworn.domain.thoughts.models import (
    Affirmed,
    Contributor,
    Exposure,
    FeedbackSignal,
    FoundThought,
    HeldThought,
    Highway,
    HighwayOrder,
    Origin,
    Provenance,
    RetrievalMethod,
    RollbackSummary,
    SearchQuery,
    Stored,
    ThoughtDraft,
    ThoughtKind,
    ThoughtStatus,
    ThoughtType,
    TracedThought,
)
from wellworn.domain.thoughts.needed_next import PredictedNeed
from wellworn.domain.thoughts.pheromone import MOST_BY_ONE_OWNER
from wellworn.domain.thoughts.repair import ThoughtIndexer
from wellworn.domain.thoughts.search import RankedThought
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
from wellworn.domain.thoughts.tags import pick_tag, tag_key
from wellworn.domain.thoughts.topics import TopicIndex, TopicMap
from wellworn.domain.thoughts.trail import Trail
from wellworn.domain.thoughts.writing import is_quarantined, validate

__all__ = [
    "MOST_BY_ONE_OWNER",
    "Affirmed",
    "Archive",
    "Catalogue",
    "Contributor",
    "Exposure",
    "FeedbackSignal",
    "FoundThought",
    "GroupKind",
    "HeldThought",
    "Highway",
    "HighwayOrder",
    "Origin",
    "PredictedNeed",
    "PreparedThought",
    "Provenance",
    "RankedThought",
    "RetrievalMethod",
    "RollbackSummary",
    "SearchQuery",
    "Stored",
    "TagCount",
    "ThoughtDraft",
    "ThoughtExcerpt",
    "ThoughtGroup",
    "ThoughtIndexer",
    "ThoughtKind",
    "ThoughtSettings",
    "ThoughtStatus",
    "ThoughtType",
    "Thoughts",
    "Topic",
    "TopicIndex",
    "TopicMap",
    "TracedThought",
    "Trail",
    "count_inconsistencies",
    "is_quarantined",
    "pick_tag",
    "tag_key",
    "validate",
]
