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
        description="Length of every vector; a memory uses that of its embedding model.",
    )
    build_after: int = Field(
        default=10_000,
        ge=1,
        description=(
            "Points searched one by one before a build puts them into a graph; the first build "
            "comes at three fifths of them."
        ),
    )
    graph_links: int = Field(default=16, ge=4, le=64, description="Links per point in the graph.")
    graph_effort: int = Field(
        default=100, ge=16, le=1000, description="Candidates weighed for each link while building."
    )
    search_effort: int = Field(
        default=200, ge=16, le=4096, description="Graph points that a search keeps in view."
    )
    oversampling: float = Field(
        default=2.0,
        ge=1.0,
        le=10.0,
        description="Points rescored with full vectors, as a multiple of the points wanted.",
    )
    search_threads: int = Field(
        default=1, ge=1, le=64, description="Threads that one search may use."
    )
    build_threads: int = Field(
        default=1, ge=1, le=64, description="Threads that a build in the background may use."
    )
    build_niceness: int = Field(
        default=10,
        ge=0,
        le=19,
        description="Niceness of a build: how far it yields to other processes.",
    )

    @property
    def first_build_after(self) -> int:
        """Points that make the first graph faster than a look at all of them.

        The engine makes none over less than half of `build_after`.
        """
        return max(1, self.build_after * 3 // 5)
