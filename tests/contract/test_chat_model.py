"""The port to a language model, held by the real engine and by its double."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.util import find_spec

import pytest

from integration.model_server import Reply, serving
from wellworn.engines.llm import ConfiguredChatModel, LlmSettings
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.chat_model_contract import CHAT_MODEL_CONTRACT


@pytest.fixture
def engine():
    if find_spec("pydantic_ai") is None:
        pytest.skip("the extra `llm` is not installed")
    with ExitStack() as opened:

        def make(answers):
            server = opened.enter_context(serving(map(Reply, answers)))
            return ConfiguredChatModel(
                LlmSettings(model="stub", base_url=server.url), retry_waits_s=()
            )

        yield make


@pytest.mark.parametrize("check", CHAT_MODEL_CONTRACT, ids=lambda check: check.__name__)
def test_the_double_keeps_the_contract(check):
    check(ScriptedModel)


@pytest.mark.parametrize("check", CHAT_MODEL_CONTRACT, ids=lambda check: check.__name__)
def test_the_engine_keeps_the_contract(check, engine):
    check(engine)
