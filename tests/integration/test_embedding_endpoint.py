"""An encoder behind an endpoint: what it is sent, and that nothing wrong of it is ever used."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from integration.embedding_server import EmbeddingServer, embed, serving_e5, serving_vectors
from wellworn.engines.embedding import EmbeddingSettings, choose_encoder, open_encoder
from wellworn.engines.embedding.endpoint_model import EndpointModel
from wellworn.errors import EmbeddingFailed
from wellworn.testing.embedder_contract import EMBEDDER_CONTRACT, SYMMETRIC_CONTRACT

TEXTS = ["Lichen grows on walls.", "The tax report is due.", "日本語の文です。"]


@pytest.fixture(scope="module")
def e5():
    """A real model behind a real server."""
    with serving_e5() as url:
        settings = EmbeddingSettings(base_url=url, model="multilingual-e5-small-q4")
        yield open_encoder(choose_encoder(settings), settings)


@pytest.fixture
def server():
    with serving_vectors() as made:
        yield made


class Clock:
    """Time that passes only by waiting."""

    def __init__(self):
        self.now = 0.0
        self.waited: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def model_of(server: EmbeddingServer, clock: Clock | None = None, **settings) -> EndpointModel:
    clock = clock or Clock()
    return EndpointModel(server.settings(**settings), "stub", wait=clock.wait, clock=clock)


def refusal(server: EmbeddingServer, clock: Clock | None = None, **settings) -> str:
    with pytest.raises(EmbeddingFailed) as refused:
        model_of(server, clock, **settings).encode(TEXTS, "")
    return refused.value.message


@pytest.mark.parametrize(
    "check", [*EMBEDDER_CONTRACT, *SYMMETRIC_CONTRACT], ids=lambda check: check.__name__
)
def test_the_contract_is_kept_by_a_real_model_behind_a_real_server(check, e5):
    check(e5)


def test_a_real_model_behind_a_server_finds_meaning_across_languages(e5):
    texts = e5.embed(["Flechten wachsen an der Mauer.", "Der Steuerbericht ist fällig."])
    cosines = texts @ e5.encode_query("where does lichen grow?").vector
    assert cosines[0] > cosines[1] + 0.1


def test_texts_go_in_batches_with_the_model_the_prefix_and_the_key(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cret")
    model = model_of(server, request_texts=2, api_key_env="MY_KEY")
    vectors = [text.vector for text in model.encode(TEXTS, "passage: ")]
    sent = [f"passage: {text}" for text in TEXTS]
    assert [request["input"] for request in server.requests] == [sent[:2], sent[2:]]
    assert {request["model"] for request in server.requests} == {"stub"}
    assert {headers["authorization"] for headers in server.sent_headers} == {"Bearer s3cret"}
    np.testing.assert_allclose(vectors, embed(sent), atol=1e-6)


def test_a_text_is_cut_where_the_window_ends(server):
    model_of(server, window_pieces=40).encode(["lichen " * 400], "passage: ")
    [sent] = server.sent
    assert sent.startswith("passage: lichen")
    assert 10 < sent.count("lichen") <= 20


def test_shorter_vectors_are_asked_for(server):
    encoder = open_encoder(choose_encoder(server.settings(dimensions=96)), server.settings())
    assert encoder.dimensions == 96
    assert encoder.embed(TEXTS).shape == (3, 96)
    assert {request["dimensions"] for request in server.requests} == {96}


def test_a_server_that_makes_no_shorter_vectors_is_refused(server):
    server.change = lambda vectors: embed(["a"] * len(vectors), 48)
    with pytest.raises(EmbeddingFailed, match="DIMENSIONS"):
        choose_encoder(server.settings(dimensions=96))


def test_vectors_are_put_in_order_and_made_of_length_one(server):
    server.change = lambda vectors: [
        {"index": at, "embedding": [5 * number for number in vector]}
        for at, vector in reversed([*enumerate(vectors)])
    ]
    vectors = [text.vector for text in model_of(server).encode(TEXTS, "")]
    np.testing.assert_allclose(vectors, embed(TEXTS), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda vectors: vectors[:-1], "2 vectors for 3 texts"),
        (lambda vectors: [*vectors, vectors[0]], "4 vectors for 3 texts"),
        (lambda vectors: [*vectors[:-1], vectors[0][:-1]], "not of the usual form"),
        (lambda vectors: [[float("nan")] * 8] * 3, "finite numbers"),
        (lambda vectors: [[float("inf")] * 8] * 3, "finite numbers"),
        (lambda vectors: [[0.0] * 8] * 3, "finite numbers"),
        (lambda vectors: [[1e300] * 8] * 3, "finite numbers"),
        (lambda vectors: [[]] * 3, "different lengths"),
        (lambda vectors: [{"index": 0, "embedding": vectors[0]}] * 3, "which vector"),
        (lambda vectors: [{"embedding": vectors[0]}] * 3, "usual form"),
        (lambda vectors: ["text"] * 3, "usual form"),
        (lambda vectors: "text", "usual form"),
        (lambda vectors: None, "usual form"),
    ],
)
def test_what_is_not_a_vector_for_each_text_is_refused(server, change, words):
    server.change = change
    assert words in refusal(server)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b'{"data": 5}', b"[" * 100_000])
def test_an_answer_of_another_form_is_refused(server, body):
    server.body = body
    assert any(words in refusal(server) for words in ("usual form", "not JSON"))


def test_an_answer_without_end_is_read_no_further_than_vectors_reach(server):
    server.body = b'{"data": [' + b" " * 20_000_000
    assert "longer than it can be" in refusal(server)


def test_a_packed_answer_is_not_unpacked(server):
    server.headers = {"Content-Encoding": "gzip"}
    server.body = gzip.compress(server.answer({"input": TEXTS}))
    assert "packed" in refusal(server)
    assert server.sent_headers[0]["accept-encoding"] == "identity"


def test_an_answer_that_comes_by_drops_is_not_waited_for(server):
    clock = Clock()
    server.trickles = lambda: clock.wait(4.0)
    assert "did not answer within 30 s" in refusal(server, clock)


def test_vectors_of_the_greatest_length_written_for_people_are_read(server):
    server.dimensions = 8_192
    server.change = lambda vectors: [[-1.2345678901234567e-300] * 8_191 + [1.0]] * len(vectors)
    server.indent = 8
    [first, *_] = model_of(server).encode(TEXTS, "")
    assert first.vector.shape == (8_192,)


def test_a_busy_server_is_asked_again_when_it_says(server):
    server.statuses, server.headers, clock = [429, 503, 429], {"Retry-After": "4"}, Clock()
    assert len(model_of(server, clock).encode(TEXTS, "")) == 3
    assert clock.waited == [4.0, 4.0, 5.0]


def test_a_server_that_asks_for_too_much_patience_is_not_waited_for(server):
    server.statuses, server.headers, clock = [429], {"Retry-After": "3600"}, Clock()
    assert "slow down" in refusal(server, clock)
    assert clock.waited == []


@pytest.mark.parametrize("header", ["Wed, 21 Oct 2037 07:28:00 GMT", "nan", "inf", "-3", "soon"])
def test_an_odd_wait_is_a_plain_one(server, header):
    server.statuses, server.headers, clock = [429], {"Retry-After": header}, Clock()
    assert len(model_of(server, clock).encode(TEXTS, "")) == 3
    assert clock.waited == [0.5]


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "key"), (403, "key"), (404, "no such model"), (400, "400"), (302, "not followed")],
)
def test_a_refusal_is_told_and_not_tried_again(server, status, words):
    server.statuses, server.headers = [status] * 9, {"Location": "http://127.0.0.1:1/v1"}
    assert words in refusal(server)
    assert len(server.requests) == 1


def test_a_server_that_fails_on_is_given_up(server):
    server.statuses, clock = [500] * 9, Clock()
    assert "status 500" in refusal(server, clock)
    assert (len(server.requests), clock.waited) == (4, [0.5, 2.0, 5.0])


def test_a_slow_server_is_not_waited_for_longer_than_the_settings_say(server):
    server.waits_for = Event()
    assert "within 0.2 s" in refusal(server, timeout_s=0.2)
    while not server.requests:  # it was sent, and is perhaps not read yet
        Event().wait(0.01)
    assert len(server.requests) == 1


def test_a_server_that_is_away_is_told_and_then_not_asked_by_every_question(server):
    clock = Clock()
    away = EmbeddingSettings(base_url="http://127.0.0.1:1/v1", model="stub")
    model = EndpointModel(away, "stub", wait=clock.wait, clock=clock)
    for _ in range(2):
        with pytest.raises(EmbeddingFailed, match="cannot be reached"):
            model.encode(["why?"], "", is_urgent=True)
    assert clock.waited == [0.5], "the second question waited too"
    clock.now += 15
    with pytest.raises(EmbeddingFailed, match="cannot be reached"):
        model.encode(["why?"], "", is_urgent=True)
    assert clock.waited == [0.5, 0.5]


def test_no_more_is_sent_in_a_day_than_the_settings_allow(server):
    clock = Clock()
    model = model_of(server, clock, most_tokens_a_day=1_000, window_pieces=512)
    model.encode(["lichen " * 200], "")
    with pytest.raises(EmbeddingFailed, match="MOST_TOKENS_A_DAY"):
        model.encode(["lichen " * 200] * 2, "")
    assert len(server.requests) == 1
    clock.now += 24 * 3600
    model.encode(["lichen " * 200] * 2, "")


def test_a_key_that_is_not_set_is_named_and_nothing_is_sent(server, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    assert "MY_KEY" in refusal(server, api_key_env="MY_KEY")
    assert server.requests == []


def test_no_message_and_no_line_of_the_log_quotes_a_text_or_a_key(server, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", "s3cret")
    server.statuses = [400]
    with caplog.at_level(logging.DEBUG):
        message = refusal(server, api_key_env="MY_KEY")
    assert not any(words in message + caplog.text for words in ("s3cret", *TEXTS))


def test_another_model_under_the_same_name_is_refused(server, tmp_path: Path):
    record = choose_encoder(server.settings())
    server.change = lambda vectors: [vector[::-1] for vector in vectors]
    with pytest.raises(EmbeddingFailed, match="another model has its name"):
        open_encoder(record, server.settings()).embed(TEXTS)
    server.change = lambda vectors: [vector[:48] for vector in vectors]
    with pytest.raises(EmbeddingFailed, match="48 numbers, and those of this memory have 384"):
        open_encoder(record, server.settings()).embed(TEXTS)


def test_vectors_that_change_their_length_later_are_refused(server):
    encoder = open_encoder(choose_encoder(server.settings()), server.settings())
    assert encoder.embed(TEXTS).shape == (3, 384)
    server.change = lambda vectors: [vector[:48] for vector in vectors]
    with pytest.raises(EmbeddingFailed, match="another length"):
        encoder.embed(TEXTS)


def test_a_base_url_without_a_model_is_no_setting():
    with pytest.raises(ValueError, match="go together"):
        EmbeddingSettings(base_url="http://127.0.0.1/v1")
    with pytest.raises(ValueError, match="not both"):
        EmbeddingSettings(base_url="http://a/v1", model="m", model_folder=Path("m"))
