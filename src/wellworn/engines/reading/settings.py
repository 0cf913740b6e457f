"""Settings of reading; with none of it set, the shipped reader reads."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ReadingSettings(BaseModel):
    """The reader that says what answers a question, and how it is run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool = Field(
        default=True,
        description="Whether a reader is asked at all; without one, words and meaning decide.",
    )
    model_folder: Path | None = Field(
        default=None,
        description=(
            "Folder with an ONNX model as model hubs lay it out: one that answers questions with "
            "spans, or a cross-encoder, which names no words. Default: the package's own reader."
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
            "Address of a server with the usual `/rerank` (Cohere, Jina, vLLM, llama.cpp), such as "
            "`http://127.0.0.1:8081/v1`."
        ),
    )
    api_key_env: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable with the key for the base URL.",
    )
    scores: Literal["probability", "logit"] = Field(
        default="probability",
        description="What the base URL's scores are; `logit` for servers that give any number.",
    )
    language_model: bool = Field(
        default=False,
        description="Whether the model of `WELLWORN_LLM__MODEL` reads, with its prices and times.",
    )
    threads: int = Field(default=1, ge=1, description="Threads that one inference may use.")
    timeout_s: float = Field(
        default=5.0, gt=0, description="Most seconds for one answer from the base URL."
    )
    sealed_spaces: bool = Field(
        default=False,
        description=(
            "Whether the text of sealed spaces may be sent to the base URL or the language model; "
            "otherwise the shipped reader reads it."
        ),
    )

    @model_validator(mode="after")
    def _names_one_reader(self) -> Self:
        if (self.base_url is None) is not (self.model is None):
            raise ValueError("a base URL and the name of the model there go together")
        named = (self.model_folder is not None, self.base_url is not None, self.language_model)
        if sum(named) > 1:
            raise ValueError("name one reader: a model folder, a base URL, or the language model")
        return self
