"""All settings together: every package's own section, read from the environment once.

Nothing below the composition root can import this, so no package can reach into another's knobs.
Variables are named WELLWORN_<SECTION>__<FIELD>, e.g. WELLWORN_THOUGHTS__USEFULNESS_WEIGHT=0.
"""

from __future__ import annotations

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from wellworn.embedding import EmbeddingSettings
from wellworn.storage.vectors import VectorSettings
from wellworn.thoughts import ThoughtSettings


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="WELLWORN_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    embedding: EmbeddingSettings = Field(
        default_factory=EmbeddingSettings, description="The encoder."
    )
    vectors: VectorSettings = Field(default_factory=VectorSettings, description="The vector index.")
    thoughts: ThoughtSettings = Field(
        default_factory=ThoughtSettings, description="Retrieval of thoughts."
    )
