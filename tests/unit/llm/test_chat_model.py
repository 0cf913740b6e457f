"""Whether a model is asked at all, and what that costs those who have none."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import ValidationError

from wellworn.engines.llm import LlmSettings, chat_model, open_chat_model
from wellworn.errors import InvalidInput
from wellworn.testing.chat_model_contract import YES, BoundedOutput


def test_without_a_name_there_is_no_model():
    assert open_chat_model(LlmSettings()) is None


def test_a_model_that_is_named_and_not_installed_is_told_with_what_to_install(monkeypatch):
    monkeypatch.setattr(chat_model, "find_spec", lambda _: None)
    with pytest.raises(InvalidInput, match=r"pip install 'wellworn\[llm\]'"):
        open_chat_model(LlmSettings(model="openai:gpt-5-mini"))


def test_a_base_url_alone_names_no_model():
    with pytest.raises(ValidationError, match="needs the name of the model"):
        LlmSettings(base_url="http://127.0.0.1:8080/v1")


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host/v1", "http://", "file:///etc"])
def test_a_base_url_is_an_address_on_the_web(url):
    with pytest.raises(ValidationError):
        LlmSettings(model="local", base_url=url)


@pytest.mark.parametrize("name", ["sk-12345", "MY KEY", "", "$KEY"])
def test_a_key_is_named_by_its_variable_and_never_given(name):
    with pytest.raises(ValidationError):
        LlmSettings(model="local", api_key_env=name)


@pytest.mark.slow
def test_naming_a_model_imports_nothing_that_speaks_to_models():
    told = "import sys, wellworn.application.bootstrap, wellworn.engines.llm as llm\n"
    told += "llm.ConfiguredChatModel(llm.LlmSettings(model='openai:gpt-5-mini'))\n"
    told += "print([name for name in sys.modules if name.startswith(('pydantic_ai', 'openai'))])"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, check=True, text=True)
    assert ran.stdout.strip() == "[]"


def test_the_answer_that_suites_use_fits_its_own_type():
    assert BoundedOutput.model_validate(YES).word == "yes"
