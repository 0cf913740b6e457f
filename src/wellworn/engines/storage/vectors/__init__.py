"""The vector index: one port, its two engines, and what a query asks of it."""

from wellworn.engines.storage.vectors.builds import IndexBuilder
from wellworn.engines.storage.vectors.checks import check_points, check_query
from wellworn.engines.storage.vectors.edge import EdgeVectorIndex
from wellworn.engines.storage.vectors.exact import ExactVectorIndex
from wellworn.engines.storage.vectors.followed import FollowedVectorIndex
from wellworn.engines.storage.vectors.log import Update as IndexUpdate
from wellworn.engines.storage.vectors.models import (
    NO_NAMES,
    Labels,
    Point,
    VectorIndex,
    Where,
)
from wellworn.engines.storage.vectors.passages import (
    PASSAGES,
    IndexRepair,
    Made,
    point_id,
    point_ids,
    points_in,
    unit_of,
)
from wellworn.engines.storage.vectors.precision import round_scores, round_vector
from wellworn.engines.storage.vectors.settings import VectorSettings

__all__ = [
    "NO_NAMES",
    "PASSAGES",
    "EdgeVectorIndex",
    "ExactVectorIndex",
    "FollowedVectorIndex",
    "IndexBuilder",
    "IndexRepair",
    "IndexUpdate",
    "Labels",
    "Made",
    "Point",
    "VectorIndex",
    "VectorSettings",
    "Where",
    "check_points",
    "check_query",
    "point_id",
    "point_ids",
    "points_in",
    "round_scores",
    "round_vector",
    "unit_of",
]
