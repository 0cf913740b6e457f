"""The vector index: one port, its embedded engine, and what a query asks of it."""

from wellworn.storage.vectors.builds import IndexBuilder
from wellworn.storage.vectors.checks import check_points, check_query
from wellworn.storage.vectors.edge import EdgeVectorIndex
from wellworn.storage.vectors.models import Candidate, Labels, Point, VectorIndex, Where
from wellworn.storage.vectors.settings import VectorSettings

__all__ = [
    "Candidate",
    "EdgeVectorIndex",
    "IndexBuilder",
    "Labels",
    "Point",
    "VectorIndex",
    "VectorSettings",
    "Where",
    "check_points",
    "check_query",
]
