"""Settings of reading files."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ExtractionSettings(BaseModel):
    """Limits for one file; what exceeds them is refused, or left out with a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    most_bytes: int = Field(
        default=50_000_000, ge=1, description="Bytes of the largest file that is read."
    )
    most_characters: int = Field(
        default=5_000_000,
        ge=1000,
        description="Characters of text kept of one file; the rest is left out.",
    )
    most_pages: int = Field(
        default=2000, ge=1, description="Pages read of one PDF; those after them are left out."
    )
    most_unpacked_bytes: int = Field(
        default=256_000_000,
        ge=1,
        description="Bytes that a packed file (DOCX) may have once it is unpacked.",
    )
    memory_mb: int = Field(
        default=1536,
        ge=256,
        description="Megabytes of memory for the process that reads; Linux only.",
    )
    processor_s: int = Field(
        default=20, ge=1, description="Seconds of one processor that reading a file may take."
    )
    timeout_s: float = Field(
        default=30.0, gt=0, description="Seconds after which reading a file is given up."
    )
