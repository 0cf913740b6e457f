"""What can be set about embedding."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class EmbeddingSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    model_folder: Path | None = Field(
        default=None,
        description="Folder with another copy of the model files; default: the package's own.",
    )
    # Larger batches gain nothing: their activations no longer fit the processor's cache.
    batch_tokens: int = Field(
        default=512, ge=256, description="Most word pieces in one inference, padding included."
    )
    threads: int = Field(default=1, ge=1, description="Threads that one inference may use.")
