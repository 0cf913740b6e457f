"""Topics of a space: clusters of units, what names them, which are the same, which surge."""

from __future__ import annotations

from wellworn.engines.retrieval.topics.clustering import (
    DEEPEST,
    TopicCluster,
    TopicEncoder,
    cluster_topics,
    compute_centroids,
)
from wellworn.engines.retrieval.topics.continuity import Continuity, match_topics
from wellworn.engines.retrieval.topics.cores import (
    FEWEST,
    MOST_COMPARED,
    find_cores,
    pick_standing,
)
from wellworn.engines.retrieval.topics.keywords import extract_keywords, split_keywords
from wellworn.engines.retrieval.topics.placing import (
    Spots,
    find_radius,
    place_topics,
    spread_units,
    surround,
)
from wellworn.engines.retrieval.topics.surges import (
    RECENT_DAYS,
    USUAL_DAYS,
    Course,
    Trend,
    judge_trends,
)
