"""What can be set about language models; with none of it set, none is ever asked."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class LlmSettings(BaseModel):
    """Which model is asked, where, with which key, and how much it may cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="The model, as `openai:gpt-5-mini`; with a base URL, what the server there"
        " calls it. Default: none, and nothing is sent anywhere.",
    )
    base_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/]+[^\s]*$",
        description="Address of a server of your own that speaks OpenAI's protocol (llama.cpp,"
        " Ollama, vLLM), as `http://127.0.0.1:8080/v1`.",
    )
    api_key_env: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable with the key; default: the one that the"
        " model's maker names, such as `OPENAI_API_KEY`, and none with a base URL.",
    )
    timeout_s: float = Field(
        default=120.0, gt=0, description="Seconds that one answer of the model may take."
    )
    answer_tokens: int = Field(
        default=4_096,
        ge=128,
        description="Tokens that one answer may have, a reasoning model's thoughts included.",
    )
    question_characters: int = Field(
        default=6_000,
        ge=500,
        description="Characters of a document that are sent at once; longer ones go by sections.",
    )
    compile_tokens: int = Field(
        default=200_000,
        ge=0,
        description="Tokens, read and written, that one compile may cost; the rest of the documents"
        " is compiled by rules until the next one.",
    )
    sealed_spaces: bool = Field(
        default=False,
        description="Whether the words of sealed spaces, too, may be sent to the model.",
    )

    @model_validator(mode="after")
    def _names_its_model(self) -> Self:
        if self.base_url is not None and self.model is None:
            raise ValueError("a base URL needs the name of the model there, too")
        return self
