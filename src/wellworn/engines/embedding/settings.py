"""Settings of embedding."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class EmbeddingSettings(BaseModel):
    """The encoder that makes the vectors, and how it is run; the shipped one by default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_folder: Path | None = Field(
        default=None,
        description=(
            "Folder with an ONNX model as model hubs lay it out, or with another copy of the "
            "package's own files; default: the package's own."
        ),
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Model at the base URL, by the name that the server there uses.",
    )
    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+[^\s]*$",
        description=(
            "Address of a server with OpenAI's `/embeddings` (Ollama, TEI, vLLM, OpenAI), such "
            "as `http://127.0.0.1:11434/v1`."
        ),
    )
    api_key_env: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable with the key for the base URL.",
    )
    query_prefix: str | None = Field(
        default=None,
        max_length=500,
        description="What the encoder expects before a question; default: what its files say.",
    )
    text_prefix: str | None = Field(
        default=None,
        max_length=500,
        description="What it expects before a text to be found; default: what its files say.",
    )
    pooling: Literal["mean", "cls", "max", "last"] | None = Field(
        default=None,
        description="How a folder's model makes one vector of many; default: what its files say.",
    )
    dimensions: int | None = Field(
        default=None,
        ge=16,
        le=8192,
        description="Length of the vectors, for a model that can make shorter ones.",
    )
    window_pieces: int | None = Field(
        default=None,
        ge=32,
        le=8192,
        description="Most word pieces of a text in one vector; default: the model's, up to 512.",
    )
    # Larger batches gain nothing: their activations no longer fit the processor's cache.
    batch_tokens: int = Field(
        default=512, ge=256, description="Most word pieces in one inference, padding included."
    )
    arithmetic: Literal["float32", "int8"] | None = Field(
        default=None,
        description=(
            "What the shipped encoder computes with; default: `int8` where the processor has dot "
            "products of integers, which takes half the time, and `float32` elsewhere."
        ),
    )
    threads: int = Field(default=1, ge=1, description="Threads that one inference may use.")
    request_texts: int = Field(
        default=32, ge=1, le=2048, description="Most texts in one request to the base URL."
    )
    timeout_s: float = Field(
        default=30.0, gt=0, description="Most seconds for one answer from the base URL."
    )
    longest_wait_s: float = Field(
        default=60.0,
        ge=0,
        description="Most seconds to wait in all when the base URL asks to slow down.",
    )
    most_tokens_a_day: int = Field(
        default=100_000_000,
        ge=1_000,
        description="Most tokens that a process sends to the base URL in a day.",
    )

    sealed_spaces: bool = Field(
        default=False,
        description=(
            "Whether the text of sealed spaces may be sent to the base URL; otherwise the shipped "
            "encoder embeds it."
        ),
    )

    @model_validator(mode="after")
    def _names_one_encoder(self) -> Self:
        if (self.base_url is None) is not (self.model is None):
            raise ValueError("a base URL and the name of the model there go together")
        if self.base_url is not None and self.model_folder is not None:
            raise ValueError("name a model folder or a base URL, not both")
        return self
