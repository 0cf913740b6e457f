"""The engine that speaks to models, against a server of OpenAI's protocol on loopback."""

from __future__ import annotations

import gzip
from threading import Event

import pytest

from integration.model_server import Reply, serving
from ports import hold_port
from wellworn.engines.llm import (
    ConfiguredChatModel,
    LlmSettings,
    ModelAnswer,
    ModelRefusal,
    ModelRole,
    RefusalReason,
    Usage,
)
from wellworn.testing.chat_model_contract import OTHER, YES, BoundedOutput

pytest.importorskip("pydantic_ai", reason="the extra `llm` is not installed")


def ask(url, *, waits_s=(0.0, 0.0), prompt="Is it so?", budget=64, **options):
    settings = LlmSettings(**{"model": "stub", "base_url": url, **options})
    chat_model = ConfiguredChatModel(settings, retry_waits_s=waits_s)
    return chat_model.ask(
        ModelRole.NERVES, BoundedOutput, prompt, instructions="Say yes or no.", budget=budget
    )


def test_the_schema_goes_along_as_a_grammar_and_no_tool_is_offered():
    with serving([Reply(YES)]) as server:
        assert isinstance(ask(server.url), ModelAnswer)
    [sent] = server.requests
    assert sent["response_format"]["type"] == "json_schema"
    assert sent["response_format"]["json_schema"]["schema"]["properties"].keys() == {
        "word",
        "score",
    }
    assert "tools" not in sent
    assert sent["temperature"] == 0.1
    assert 64 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))


def test_no_answer_is_longer_than_the_settings_allow():
    with serving([Reply(YES)]) as server:
        ask(server.url, budget=100_000, answer_tokens=256)
    assert 256 in server.requests[0].values()


def test_what_the_server_counts_is_what_it_cost():
    with serving([Reply(YES)]) as server:
        assert ask(server.url).usage == Usage(40, 9)


def test_a_server_that_does_not_count_is_estimated():
    with serving([Reply(YES, with_usage=False)]) as server:
        used = ask(server.url, prompt="x" * 4_000).usage
    assert 1_000 <= used.tokens_in < 1_100
    assert 0 < used.tokens_out < 20


def test_an_answer_of_another_form_is_complained_about_once():
    with serving([Reply(OTHER), Reply(YES)]) as server:
        said = ask(server.url)
    assert isinstance(said, ModelAnswer)
    assert said.usage == Usage(80, 18)
    assert len(server.requests) == 2


def test_what_refused_answers_cost_is_told():
    with serving([Reply(OTHER), Reply(OTHER)]) as server:
        said = ask(server.url)
    assert isinstance(said, ModelRefusal)
    assert said.usage == Usage(80, 18)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_what_passes_is_asked_again_as_often_as_is_set_and_by_nobody_else(status):
    with serving([Reply(status=status), Reply(status=status), Reply(YES)]) as server:
        assert isinstance(ask(server.url), ModelAnswer)
    assert len(server.requests) == 3
    with serving([Reply(status=status)] * 9) as server:
        said = ask(server.url)
    assert isinstance(said, ModelRefusal)
    assert said.reason is RefusalReason.UNAVAILABLE
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "why", "words"),
    [
        (400, RefusalReason.UNUSABLE, "refused the question"),
        (401, RefusalReason.UNAVAILABLE, "refused the key"),
        (404, RefusalReason.UNAVAILABLE, "no such model"),
        (422, RefusalReason.UNUSABLE, "refused the question"),
    ],
)
def test_what_does_not_pass_is_asked_once(status, why, words):
    with serving([Reply(status=status)] * 9) as server:
        said = ask(server.url)
    assert isinstance(said, ModelRefusal)
    assert said.reason is why
    assert words in said.message
    assert len(server.requests) == 1


def test_a_question_longer_than_the_model_reads_is_told_apart():
    body = b'{"error": {"message": "too long", "code": "context_length_exceeded"}}'
    with serving([Reply(status=400, body=body)]) as server:
        said = ask(server.url)
    assert isinstance(said, ModelRefusal)
    assert said.reason is RefusalReason.TOO_LONG


def test_a_server_that_asks_for_a_long_pause_is_left_alone():
    with serving([Reply(status=429, headers={"Retry-After": "3600"}), Reply(YES)]) as server:
        said = ask(server.url)
    assert isinstance(said, ModelRefusal)
    assert len(server.requests) == 1


def test_nobody_listening_is_an_answer_too():
    with hold_port() as port:
        said = ask(f"http://127.0.0.1:{port}/v1")
    assert isinstance(said, ModelRefusal)
    assert said.reason is RefusalReason.UNAVAILABLE
    assert "cannot be reached" in said.message


def test_a_model_that_takes_too_long_is_not_asked_again():
    done = Event()
    with serving([Reply(YES, waits_for=done)] * 3) as server:
        said = ask(server.url, timeout_s=0.2)
        while not server.requests:  # it was sent, and is perhaps not read yet
            Event().wait(0.01)
        done.set()
    assert isinstance(said, ModelRefusal)
    assert "took too long" in said.message
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b"{}", b"null", b'{"choices": []}'])
def test_a_server_that_talks_nonsense_is_no_answer(body):
    with serving([Reply(body=body)] * 9) as server:
        assert isinstance(ask(server.url), ModelRefusal)


def test_nothing_is_sent_on_to_where_the_server_points():
    with serving([Reply(YES)]) as other:
        away = Reply(status=307, headers={"Location": f"{other.url}/chat/completions"}, body=b"")
        with serving([away] * 9) as server:
            assert isinstance(ask(server.url), ModelRefusal)
    assert other.requests == []


def test_a_model_of_this_machine_is_not_reached_by_a_proxy(monkeypatch):
    with serving([]) as proxy, serving([Reply(YES)]) as server:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert isinstance(ask(server.url), ModelAnswer)
    assert proxy.requests == []


def test_the_key_is_read_from_its_variable_and_the_makers_own_is_not_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-maker")
    monkeypatch.setenv("OUR_KEY", "of-ours")
    with serving([Reply(YES), Reply(YES)]) as server:
        ask(server.url)
        ask(server.url, api_key_env="OUR_KEY")
    without, with_key = (sent["authorization"] for sent in server.headers)
    assert "of-the-maker" not in without
    assert with_key == "Bearer of-ours"


def test_a_variable_that_is_not_set_is_no_answer(monkeypatch):
    monkeypatch.delenv("OUR_KEY", raising=False)
    with serving([Reply(YES)]) as server:
        said = ask(server.url, api_key_env="OUR_KEY")
    assert isinstance(said, ModelRefusal)
    assert said.reason is RefusalReason.UNAVAILABLE
    assert server.requests == []


@pytest.mark.parametrize("model", ["nobody:nothing", "gpt", "anthropic:claude-haiku-4-5"])
def test_a_maker_that_is_unknown_or_not_installed_is_no_answer(model, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    said = ask(None, model=model)
    assert isinstance(said, ModelRefusal)
    assert said.reason is RefusalReason.UNAVAILABLE


def test_openais_own_models_are_asked_with_the_key_of_the_variable(monkeypatch):
    monkeypatch.setenv("OUR_KEY", "of-ours")
    with serving([Reply(status=401)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        said = ask(None, model="openai:gpt-5-mini", api_key_env="OUR_KEY")
    assert isinstance(said, ModelRefusal)
    assert server.headers[0]["authorization"] == "Bearer of-ours"
    assert "key" in said.message


def test_an_answer_without_end_is_read_no_further_than_was_asked_for():
    endless = Reply(body=b" " * 100_000_000)
    with serving([endless, endless]) as server:
        answer = ask(server.url)
    assert isinstance(answer, ModelRefusal)
    assert answer.reason is RefusalReason.UNUSABLE
    assert answer.message == "the model gave no answer: its answer is longer than was asked for"
    assert len(server.requests) == 1


def test_a_compressed_answer_is_not_unpacked():
    packed = Reply(body=gzip.compress(b" " * 50_000_000), headers={"Content-Encoding": "gzip"})
    with serving([packed, Reply(YES)]) as server:
        assert isinstance(ask(server.url, waits_s=()), ModelRefusal)
    assert {sent["accept-encoding"] for sent in server.headers} == {"identity"}


def test_an_answer_of_more_tokens_than_were_asked_for_is_refused():
    with serving([Reply(YES, tokens_out=129)]) as server:
        answer = ask(server.url, budget=64)
    assert isinstance(answer, ModelRefusal)
    assert "longer than was asked for" in answer.message
    assert answer.usage.tokens_out == 129
