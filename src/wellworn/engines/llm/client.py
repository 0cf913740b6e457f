"""The client for real models, built on pydantic-ai, which turns types into each model's schema.

A self-hosted server gets the schema as a grammar, which even a weak model cannot leave. Only this
module retries; the provider's own client tries once.

Source: measured: silent retries of the client sent the same question three times on a time-out.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

import httpx2
from pydantic import BaseModel
from pydantic_ai import Agent, UsageLimits, exceptions
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers import Provider, infer_provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from wellworn.engines.llm.models import (
    TEMPERATURES,
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    T,
    Usage,
)
from wellworn.engines.llm.settings import LlmSettings
from wellworn.kit.byte_limits import ByteLimit
from wellworn.kit.fetch_mark import MARKED
from wellworn.kit.text import CHARACTERS_A_TOKEN

_LONGEST_RETRY_AFTER_S: Final = 20.0
_PASSING: Final = (
    exceptions.ModelRateLimitError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
)
_MOST_REQUESTS: Final = 2
"""The question, and the complaint about an answer of another form."""
_BYTES_A_TOKEN: Final = 64
"""Of a long word in another script, each character written as an escape."""
_BYTES_BESIDE: Final = 65_536
_TOO_MUCH: Final = exceptions.UsageLimitExceeded("it sends too much")
_OPENAI: Final = frozenset(("openai", "openai-chat", "openai-responses"))
_GRAMMAR: Final = ModelProfile(
    supports_json_schema_output=True, default_structured_output_mode="native"
)
_REFUSALS: Final[tuple[tuple[type[Exception], RefusalReason, str], ...]] = (
    (
        exceptions.ModelContextWindowExceededError,
        RefusalReason.TOO_LONG,
        "the question is longer than it can read",
    ),
    (exceptions.ModelAuthenticationError, RefusalReason.UNAVAILABLE, "it refused the key"),
    (exceptions.ModelNotFoundError, RefusalReason.UNAVAILABLE, "there is no such model"),
    (exceptions.ModelQuotaExceededError, RefusalReason.UNAVAILABLE, "its quota is used up"),
    (exceptions.ModelRateLimitError, RefusalReason.UNAVAILABLE, "it is asked too often"),
    (exceptions.ModelRequestRejectedError, RefusalReason.UNUSABLE, "it refused the question"),
    (exceptions.ModelTimeoutError, RefusalReason.UNAVAILABLE, "it took too long"),
    (exceptions.ModelRequestTimeout, RefusalReason.UNAVAILABLE, "it took too long"),
    (exceptions.ModelConnectionError, RefusalReason.UNAVAILABLE, "it cannot be reached"),
    (exceptions.ModelAPIError, RefusalReason.UNAVAILABLE, "its server failed"),
    (
        exceptions.UsageLimitExceeded,
        RefusalReason.UNUSABLE,
        "its answer is longer than was asked for",
    ),
    (
        exceptions.AgentRunError,
        RefusalReason.UNUSABLE,
        "its answer is not of the form that was asked for",
    ),
    (
        exceptions.UserError,
        RefusalReason.UNAVAILABLE,
        "its name, its key or what is installed for it is not right",
    ),
    (ImportError, RefusalReason.UNAVAILABLE, "what speaks to it is not installed"),
)


class ModelClient:
    """Asks the configured model; keeps one agent for each role and output type."""

    def __init__(self, settings: LlmSettings, retry_waits_s: Sequence[float]) -> None:
        self._settings = settings
        self._retry_waits_s = retry_waits_s
        self._agents: dict[tuple[ModelRole, type[BaseModel]], Agent[object, Any]] = {}

    async def ask(
        self, role: ModelRole, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> ModelAnswer[T] | ModelRefusal:
        """Ask, and retry after transient failures."""
        spent = RunUsage()
        tokens = min(budget, self._settings.answer_tokens)
        for wait_s in (*self._retry_waits_s, None):
            limit = ByteLimit(_MOST_REQUESTS * (tokens * _BYTES_A_TOKEN + _BYTES_BESIDE))
            most_tokens = spent.output_tokens + _MOST_REQUESTS * tokens
            try:
                async with self._open_model(limit) as model:
                    run = await self._get_agent(role, output_type).run(
                        prompt,
                        model=model,
                        instructions=instructions,
                        model_settings=self._make_model_settings(role, tokens, model.profile),
                        usage_limits=UsageLimits(request_limit=_MOST_REQUESTS),
                        usage=spent,
                    )
            except (exceptions.AgentRunError, exceptions.UserError, ImportError) as error:
                failure = _TOO_MUCH if limit.is_passed else error
                pause_s = _compute_pause(failure, wait_s)
                if pause_s is None:
                    return _to_refusal(failure, _to_usage(spent))
                await asyncio.sleep(pause_s)
            else:
                if spent.output_tokens > most_tokens:
                    return _to_refusal(_TOO_MUCH, _to_usage(spent))
                size = len(instructions) + len(prompt), len(run.output.model_dump_json())
                return ModelAnswer(run.output, _to_usage(spent, size))
        raise AssertionError("the last try waits for no other")

    def _get_agent(self, role: ModelRole, output_type: type[T]) -> Agent[object, T]:
        agent = self._agents.get((role, output_type))
        if agent is None:
            # The model may correct an answer that does not fit the type once.
            agent = Agent(output_type=output_type, name=role.value, retries=1)
            self._agents[role, output_type] = agent
        return agent

    def _make_model_settings(
        self, role: ModelRole, tokens: int, profile: ModelProfile
    ) -> ModelSettings:
        timeout_s = self._settings.timeout_s
        model_settings = ModelSettings(
            max_tokens=tokens,
            request_timeout=timeout_s,
            # Later than the deadline, so that a time-out never passes for a transient failure.
            timeout=timeout_s + 5,
            max_retries=0,
        )
        # A model that reasons takes no temperature.
        if not profile.get("openai_supports_reasoning", False):
            model_settings["temperature"] = TEMPERATURES[role]
        return model_settings

    @asynccontextmanager
    async def _open_model(self, limit: ByteLimit) -> AsyncGenerator[Model]:
        settings = self._settings
        # Requests to this machine bypass proxies, and no redirect is followed.
        async with httpx2.AsyncClient(
            headers={"accept-encoding": "identity", **MARKED},
            event_hooks={"response": [limit.watch]},
            trust_env=settings.base_url is None or not _is_loopback(settings.base_url),
            follow_redirects=False,
        ) as client:
            if settings.base_url is None:
                provide = partial(self._make_provider, client)
                async with infer_model(settings.model or "", provide) as model:
                    yield model
                return
            provider = OpenAICompatibleProvider(
                "local", base_url=settings.base_url, api_key=self._read_key(), http_client=client
            )
            yield OpenAIChatModel(settings.model or "", provider=provider, profile=_GRAMMAR)

    def _make_provider(self, client: httpx2.AsyncClient, name: str) -> Provider[Any]:
        key = self._read_key()
        if name in _OPENAI:
            return OpenAIProvider(api_key=key, http_client=client)
        if key is not None:
            raise exceptions.UserError(
                "another maker's key is read from the variable that it names itself"
            )
        try:
            return infer_provider(name)
        except ValueError as error:
            raise exceptions.UserError("there is no such maker of models") from error

    def _read_key(self) -> str | None:
        variable = self._settings.api_key_env
        if variable is None:
            return None
        if not (key := os.environ.get(variable)):
            raise exceptions.UserError("the variable of the key is not set")
        return key


def _compute_pause(error: Exception, wait_s: float | None) -> float | None:
    """Return the seconds to wait before a retry; None when a retry would not help."""
    if wait_s is None or not isinstance(error, _PASSING):
        return None
    asked_s = error.retry_after or 0.0
    return max(wait_s, asked_s) if asked_s <= _LONGEST_RETRY_AFTER_S else None


def _to_refusal(error: Exception, usage: Usage) -> ModelRefusal:
    why, message = next(
        (why, message) for kind, why, message in _REFUSALS if isinstance(error, kind)
    )
    return ModelRefusal(why, f"the model gave no answer: {message}", usage)


def _to_usage(spent: RunUsage, size: tuple[int, int] = (0, 0)) -> Usage:
    """Return the tokens spent, estimated from characters when the server does not count them."""
    if spent.input_tokens or spent.output_tokens:
        return Usage(spent.input_tokens, spent.output_tokens)
    return Usage(*(-(-characters // CHARACTERS_A_TOKEN) for characters in size))


def _is_loopback(url: str) -> bool:
    host = httpx2.URL(url).host
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
