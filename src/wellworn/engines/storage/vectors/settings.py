"""What can be set about the vector index."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class VectorSettings(BaseModel):
    """Knobs of the embedded vector index; the defaults serve from one to some 100,000 points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimensions: int = Field(
        default=384,
        ge=2,
        le=65_536,
        description="Length of every vector; a memory takes that of its embedding model.",
    )
    build_after: int = Field(
        default=10_000,
        ge=1,
        description="Points searched one by one before a build puts them into a graph.",
    )
    graph_links: int = Field(default=16, ge=4, le=64, description="Links of a point in the graph.")
    graph_effort: int = Field(
        default=100, ge=16, le=1000, description="Candidates weighed for each link while building."
    )
    search_effort: int = Field(
        default=200, ge=16, le=4096, description="Points of the graph a search keeps in view."
    )
    oversampling: float = Field(
        default=2.0,
        ge=1.0,
        le=10.0,
        description="How many times the wanted number of points is rescored with full vectors.",
    )
    search_threads: int = Field(default=1, ge=1, le=64, description="Threads one search may use.")
    build_threads: int = Field(
        default=1, ge=1, le=64, description="Threads a build in the background may use."
    )
    build_niceness: int = Field(
        default=10, ge=0, le=19, description="How far a build steps back behind other processes."
    )
