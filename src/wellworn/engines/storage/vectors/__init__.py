"""The vector index: one port, what is behind it, and what a query asks of it."""

from wellworn.engines.storage.vectors.checks import check_points, check_query
from wellworn.engines.storage.vectors.choosing import (
    copy_index,
    drop_shared_points,
    find_index_file,
    open_index,
)
from wellworn.engines.storage.vectors.exact import ExactVectorIndex
from wellworn.engines.storage.vectors.models import (
    NO_NAMES,
    Labels,
    Point,
    Update,
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
    units_of,
)
from wellworn.engines.storage.vectors.precision import round_scores, round_vector
from wellworn.engines.storage.vectors.stored import POINTS, StoredVectorIndex, VectorIndexCopy

__all__ = [
    "NO_NAMES",
    "PASSAGES",
    "POINTS",
    "ExactVectorIndex",
    "IndexRepair",
    "Labels",
    "Made",
    "Point",
    "StoredVectorIndex",
    "Update",
    "VectorIndex",
    "VectorIndexCopy",
    "Where",
    "check_points",
    "check_query",
    "copy_index",
    "drop_shared_points",
    "find_index_file",
    "open_index",
    "point_id",
    "point_ids",
    "points_in",
    "round_scores",
    "round_vector",
    "unit_of",
    "units_of",
]
