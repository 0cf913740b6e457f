"""Topics of a space: clusters of units, and the keywords that name them."""

from __future__ import annotations

from wellworn.engines.retrieval.topics.clustering import (
    TopicCluster,
    TopicEncoder,
    cluster_topics,
    compute_centroids,
)
from wellworn.engines.retrieval.topics.keywords import extract_keywords, split_keywords

__all__ = [
    "TopicCluster",
    "TopicEncoder",
    "cluster_topics",
    "compute_centroids",
    "extract_keywords",
    "split_keywords",
]
