"""Settings of reading files."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ExtractionSettings(BaseModel):
    """Limits for one file; what exceeds them is refused, or left out with a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_bytes: int = Field(
        default=50_000_000, ge=1, description="Most bytes of a file; a larger one is not read."
    )
    most_characters: int = Field(
        default=5_000_000,
        ge=1000,
        description="Most characters of text kept of one file; the rest is left out.",
    )
    most_pages: int = Field(
        default=2000, ge=1, description="Most pages read of one PDF; the rest is left out."
    )
    most_unpacked_bytes: int = Field(
        default=256_000_000,
        ge=1,
        description="Most bytes of a packed file (DOCX) after unpacking.",
    )
    memory_mb: int = Field(
        default=1536,
        ge=256,
        description="Megabytes of memory for the process that reads files; Linux only.",
    )
    processor_s: int = Field(
        default=20, ge=1, description="Most processor seconds for reading one file."
    )
    timeout_s: float = Field(
        default=600.0,
        gt=0,
        description=(
            "Most seconds by the clock for reading one file; more than a busy machine needs for "
            "the processor seconds."
        ),
    )
