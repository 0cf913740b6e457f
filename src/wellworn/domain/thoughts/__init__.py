"""Thoughts: think, retrieve, and the trails that retrieving leaves."""

from wellworn.domain.thoughts.curation import MERGED, Candidate, Candidates, CurationReason
from wellworn.domain.thoughts.deciding import (
    DecidedCall,
    Decisions,
    JudgedThought,
    find_propensity,
    judge_pool,
)
from wellworn.domain.thoughts.decisions import (
    MOST_JUDGED,
    Answered,
    Decision,
    Fate,
    Judged,
    Outcome,
)
from wellworn.domain.thoughts.disputes import RivalPair
from wellworn.domain.thoughts.drafts import ThoughtDraft
from wellworn.domain.thoughts.features import PreparedThought
from wellworn.domain.thoughts.folding import are_alike
from wellworn.domain.thoughts.following import SearcherChange
from wellworn.domain.thoughts.models import (
    Affirmed,
    Exposure,
    FeedbackSignal,
    FoundThought,
    Highway,
    HighwayOrder,
    Origin,
    RetrievalMethod,
    RollbackSummary,
    SearchQuery,
    Stored,
    ThoughtKind,
    ThoughtStatus,
    ThoughtType,
    TracedThought,
)
from wellworn.domain.thoughts.needed_next import PredictedNeed
from wellworn.domain.thoughts.neighbours import NeighbourKind
from wellworn.domain.thoughts.paths import GatheredRegion
from wellworn.domain.thoughts.pheromone import MOST_BY_ONE_OWNER
from wellworn.domain.thoughts.picking import mark_picked, pick_in_turn
from wellworn.domain.thoughts.preferring import find_others
from wellworn.domain.thoughts.repair import ThoughtIndexer
from wellworn.domain.thoughts.results import RankedThought
from wellworn.domain.thoughts.selection import (
    Example,
    ThoughtFilter,
    ThoughtState,
    parse_filter,
)
from wellworn.domain.thoughts.service import Thoughts
from wellworn.domain.thoughts.sessions import CallStart
from wellworn.domain.thoughts.settings import ThoughtSettings
from wellworn.domain.thoughts.sleep import Overview, Rest, Retelling, RetoldClaim
from wellworn.domain.thoughts.tags import pick_tag, tag_key
