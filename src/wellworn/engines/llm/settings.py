"""Settings of language models; with none of it set, none is ever asked."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class LlmSettings(BaseModel):
    """The model that is asked, where, with which key, and how much it may cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description=(
            "The model, such as `openai:gpt-5-mini`; with a base URL, the name that the "
            "server there uses. Default: none, and nothing is sent anywhere."
        ),
    )
    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+[^\s]*$",
        description=(
            "Address of a server of your own that speaks the OpenAI protocol (llama.cpp, "
            "Ollama, vLLM), such as `http://127.0.0.1:8080/v1`."
        ),
    )
    api_key_env: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description=(
            "Name of the environment variable with the key; default: the provider's own, "
            "such as `OPENAI_API_KEY`, and none with a base URL."
        ),
    )
    timeout_s: float = Field(
        default=120.0, gt=0, description="Most seconds for one answer of the model."
    )
    answer_tokens: int = Field(
        default=4_096,
        ge=128,
        description="Most tokens in one answer, a reasoning model's thinking included.",
    )
    question_characters: int = Field(
        default=6_000,
        ge=500,
        description=(
            "Most characters of a document sent at once; a longer one is sent by sections."
        ),
    )
    compile_tokens: int = Field(
        default=200_000,
        ge=0,
        description=(
            "Most tokens, read and written, that one compile may cost; rules compile the "
            "remaining documents until the next one."
        ),
    )
    sealed_spaces: bool = Field(
        default=False,
        description="Whether the text of sealed spaces may be sent to the model.",
    )

    @model_validator(mode="after")
    def _names_its_model(self) -> Self:
        if self.base_url is not None and self.model is None:
            raise ValueError("a base URL needs the name of the model there, too")
        return self
