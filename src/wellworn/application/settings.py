"""All settings together: every package's own section, read from the environment once.

Nothing below the composition root can import this, so no package can reach into another's knobs.
Variables are named WELLWORN_<SECTION>__<FIELD>, e.g. WELLWORN_THOUGHTS__USEFULNESS_WEIGHT=0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from wellworn.domain.sources import SourceSettings
from wellworn.domain.spaces import SpaceSettings
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.domain.turns import TurnSettings
from wellworn.engines.crypto import CryptoSettings
from wellworn.engines.embedding import EmbeddingSettings
from wellworn.engines.extraction import ExtractionSettings
from wellworn.engines.fetch import FetchSettings
from wellworn.engines.jobs import JobSettings
from wellworn.engines.llm import LlmSettings
from wellworn.engines.reading import ReadingSettings
from wellworn.engines.slots import SlotSettings
from wellworn.engines.storage.sql import StorageSettings
from wellworn.engines.tool_servers import McpSettings
from wellworn.errors import InvalidInput


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="WELLWORN_", env_nested_delimiter="__", frozen=True, extra="ignore"
    )

    crypto: CryptoSettings = Field(
        default_factory=CryptoSettings, description="The server's own key, and signed tokens."
    )
    embedding: EmbeddingSettings = Field(
        default_factory=EmbeddingSettings, description="The encoder."
    )
    spaces: SpaceSettings = Field(
        default_factory=SpaceSettings, description="Who gets in, and how often."
    )
    slots: SlotSettings = Field(
        default_factory=SlotSettings, description="How many calls run and wait at once."
    )
    storage: StorageSettings = Field(
        default_factory=StorageSettings, description="Where records are kept."
    )
    sources: SourceSettings = Field(
        default_factory=SourceSettings, description="Sources of knowledge and their syncs."
    )
    fetch: FetchSettings = Field(
        default_factory=FetchSettings, description="What is fetched from elsewhere."
    )
    extraction: ExtractionSettings = Field(
        default_factory=ExtractionSettings, description="Reading files of all kinds."
    )
    llm: LlmSettings = Field(
        default_factory=LlmSettings, description="A language model, if any is to be asked."
    )
    reading: ReadingSettings = Field(
        default_factory=ReadingSettings,
        description="The reader, which says whether a text answers a question.",
    )
    mcp: McpSettings = Field(
        default_factory=McpSettings, description="MCP servers whose tools turns may call."
    )
    jobs: JobSettings = Field(default_factory=JobSettings, description="Work in the background.")
    thoughts: ThoughtSettings = Field(
        default_factory=ThoughtSettings, description="Retrieval of thoughts."
    )
    turns: TurnSettings = Field(
        default_factory=TurnSettings, description="Turns: what they gather, call and keep."
    )


def read_settings() -> Settings:
    """Read the settings from the environment.

    Raises:
        InvalidInput: a variable has a value it cannot have; the message names the variable.
    """
    try:
        return Settings()
    except (ValidationError, SettingsError) as error:
        raise InvalidInput(_complaint(error)) from None


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting as it holds, where that comes from, and what it is for."""

    section: str
    variable: str
    value: str
    source: Literal["environment", "default"]
    description: str


def list_settings(settings: Settings) -> Iterator[EffectiveSetting]:
    """Yield every setting; what is secret shows as stars."""
    for name in Settings.model_fields:
        yield from _list_fields(name, f"WELLWORN_{name}".upper(), getattr(settings, name))


def _list_fields(section: str, prefix: str, values: BaseModel) -> Iterator[EffectiveSetting]:
    for field, described in type(values).model_fields.items():
        value, variable = getattr(values, field), f"{prefix}__{field}".upper()
        if isinstance(value, BaseModel):
            yield from _list_fields(section, variable, value)
            continue
        source = "environment" if field in values.model_fields_set else "default"
        yield EffectiveSetting(section, variable, str(value), source, described.description or "")


def _complaint(error: ValidationError | SettingsError) -> str:
    if isinstance(error, SettingsError):
        return 'a WELLWORN_ variable cannot be read; a list is written as JSON, such as ["a", "b"]'
    first = error.errors(include_url=False, include_input=False)[0]
    name = "WELLWORN_" + "__".join(str(part).upper() for part in first["loc"])
    return f"{name}: {first['msg'][:1].lower()}{first['msg'][1:]}"
