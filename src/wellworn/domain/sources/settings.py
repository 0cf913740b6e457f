"""Settings of sources and their syncs."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SourceSettings(BaseModel):
    """Quotas, schedules and brakes; see also the sections `fetch`, `extraction` and `jobs`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_sources: int = Field(default=200, ge=1, description="Most sources of a space.")
    most_documents: int = Field(
        default=20_000, ge=1, description="Most documents in all sources of a space."
    )
    most_document_bytes: int = Field(
        default=20_000_000, ge=1_000, description="Most bytes of a file; a larger one is refused."
    )
    least_interval_s: int = Field(
        default=300, ge=1, description="Least seconds between two syncs of a schedule."
    )
    stale_after_s: int = Field(
        default=3600,
        ge=60,
        description=(
            "Seconds since its last sync after which a scheduled source or a repository is synced "
            "at start. Folders always are."
        ),
    )
    most_vanishing: float = Field(
        default=0.3,
        ge=0.0,
        le=1.0,
        description=(
            "Share of a source's documents that may vanish in one sync without confirmation."
        ),
    )
    keeps_gone_days: float = Field(
        default=7.0, ge=0.0, description="Days for which a vanished document can come back."
    )
    compile_s: float = Field(
        default=5.0,
        gt=0,
        description=(
            "Most processor seconds for compiling a document of up to a million characters; a "
            "longer one has more in proportion. One that takes longer is found, but has no facts."
        ),
    )
    chunk_pieces: int = Field(
        default=224, ge=32, le=240, description="Most word pieces of a chunk, without its headings."
    )
    folder_roots: tuple[str, ...] = Field(
        default=(),
        description=(
            "Folders that may contain `folder` sources when callers need a credential; at "
            "the open door, whose caller owns the machine, any may."
        ),
    )
