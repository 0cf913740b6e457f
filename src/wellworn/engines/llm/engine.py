"""The one real engine: pydantic-ai, which turns types into what each model takes for a schema.

Servers of one's own get the schema as a grammar, which even a weak model cannot leave. What fails
is tried again in one place, here: the provider's own client tries once.

Source: measured: silent retries of the client sent the same question three times on a time-out.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any, Final

import httpx2
from pydantic import BaseModel
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UserError,
)
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers import Provider, infer_provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from wellworn.engines.llm.models import TEMPERATURES, Refused, Role, Said, T, Usage, Why
from wellworn.engines.llm.settings import LlmSettings

_LONGEST_RETRY_AFTER_S: Final = 20.0
_CHARACTERS_A_TOKEN: Final = 4
_PASSING: Final = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
)
_OPENAI: Final = frozenset(("openai", "openai-chat", "openai-responses"))
_GRAMMAR: Final = ModelProfile(
    supports_json_schema_output=True, default_structured_output_mode="native"
)
_REFUSALS: Final[tuple[tuple[type[Exception], Why, str], ...]] = (
    (ModelContextWindowExceededError, Why.TOO_LONG, "the question is longer than it can read"),
    (ModelAuthenticationError, Why.UNAVAILABLE, "it refused the key"),
    (ModelNotFoundError, Why.UNAVAILABLE, "there is no such model"),
    (ModelQuotaExceededError, Why.UNAVAILABLE, "its quota is used up"),
    (ModelRateLimitError, Why.UNAVAILABLE, "it is asked too often"),
    (ModelRequestRejectedError, Why.UNUSABLE, "it refused the question"),
    (ModelTimeoutError, Why.UNAVAILABLE, "it took too long"),
    (ModelRequestTimeout, Why.UNAVAILABLE, "it took too long"),
    (ModelConnectionError, Why.UNAVAILABLE, "it cannot be reached"),
    (ModelAPIError, Why.UNAVAILABLE, "its server failed"),
    (AgentRunError, Why.UNUSABLE, "its answer is not of the form that was asked for"),
    (UserError, Why.UNAVAILABLE, "its name, its key or what is installed for it is not right"),
    (ImportError, Why.UNAVAILABLE, "what speaks to it is not installed"),
)


class Engine:
    """Asks the model of the settings; one agent for each role and type."""

    def __init__(self, settings: LlmSettings, retry_waits_s: Sequence[float]) -> None:
        self._settings = settings
        self._retry_waits_s = retry_waits_s
        self._agents: dict[tuple[Role, type[BaseModel]], Agent[object, Any]] = {}

    async def ask(
        self, role: Role, output_type: type[T], prompt: str, *, instructions: str, budget: int
    ) -> Said[T] | Refused:
        """Ask, and ask again after what passes by itself."""
        spent = RunUsage()
        for wait_s in (*self._retry_waits_s, None):
            try:
                async with self._model() as model:
                    run = await self._agent(role, output_type).run(
                        prompt,
                        model=model,
                        instructions=instructions,
                        model_settings=self._model_settings(role, budget, model.profile),
                        usage_limits=UsageLimits(request_limit=2),
                        usage=spent,
                    )
            except (AgentRunError, UserError, ImportError) as error:
                pause_s = _pause(error, wait_s)
                if pause_s is None:
                    return _refusal(error, _usage(spent))
                await asyncio.sleep(pause_s)
            else:
                size = len(instructions) + len(prompt), len(run.output.model_dump_json())
                return Said(run.output, _usage(spent, size))
        raise AssertionError("the last try waits for no other")

    def _agent(self, role: Role, output_type: type[T]) -> Agent[object, T]:
        made = self._agents.get((role, output_type))
        if made is None:
            # An answer that is not of the type is complained about once; that is no retry.
            made = Agent(output_type=output_type, name=role.value, retries=1)
            self._agents[role, output_type] = made
        return made

    def _model_settings(self, role: Role, budget: int, profile: ModelProfile) -> ModelSettings:
        timeout_s = self._settings.timeout_s
        made = ModelSettings(
            max_tokens=min(budget, self._settings.answer_tokens),
            request_timeout=timeout_s,
            # Later than the deadline, so that what takes too long is never taken for what passes.
            timeout=timeout_s + 5,
            max_retries=0,
        )
        # A model that reasons takes no temperature.
        if not profile.get("openai_supports_reasoning", False):
            made["temperature"] = TEMPERATURES[role]
        return made

    @asynccontextmanager
    async def _model(self) -> AsyncGenerator[Model]:
        settings = self._settings
        if settings.base_url is None:
            async with infer_model(settings.model or "", self._provider) as model:
                yield model
            return
        # What is meant for this machine goes through no proxy, and nothing is sent on elsewhere.
        async with httpx2.AsyncClient(
            trust_env=not _is_loopback(settings.base_url), follow_redirects=False
        ) as client:
            provider = OpenAICompatibleProvider(
                "local", base_url=settings.base_url, api_key=self._key(), http_client=client
            )
            yield OpenAIChatModel(settings.model or "", provider=provider, profile=_GRAMMAR)

    def _provider(self, name: str) -> Provider[Any]:
        key = self._key()
        if key is not None and name in _OPENAI:
            return OpenAIProvider(api_key=key)
        if key is not None:
            raise UserError("another maker's key is read from the variable that it names itself")
        try:
            return infer_provider(name)
        except ValueError as error:
            raise UserError("there is no such maker of models") from error

    def _key(self) -> str | None:
        variable = self._settings.api_key_env
        if variable is None:
            return None
        if not (key := os.environ.get(variable)):
            raise UserError("the variable of the key is not set")
        return key


def _pause(error: Exception, wait_s: float | None) -> float | None:
    """Return the seconds after which to ask again; None when that would not help."""
    if wait_s is None or not isinstance(error, _PASSING):
        return None
    asked_s = error.retry_after or 0.0
    return max(wait_s, asked_s) if asked_s <= _LONGEST_RETRY_AFTER_S else None


def _refusal(error: Exception, usage: Usage) -> Refused:
    why, message = next(
        (why, message) for kind, why, message in _REFUSALS if isinstance(error, kind)
    )
    return Refused(why, f"the model gave no answer: {message}", usage)


def _usage(spent: RunUsage, size: tuple[int, int] = (0, 0)) -> Usage:
    """Return what was spent; a server that does not count is estimated by characters."""
    if spent.input_tokens or spent.output_tokens:
        return Usage(spent.input_tokens, spent.output_tokens)
    return Usage(*(-(-characters // _CHARACTERS_A_TOKEN) for characters in size))


def _is_loopback(url: str) -> bool:
    host = httpx2.URL(url).host
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
