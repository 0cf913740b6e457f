"""A server with `/rerank`: slow, wrong or gone, it fails soon and is left alone for a while."""

from __future__ import annotations

import gzip
import time
from threading import Event

import pytest

from integration.rerank_server import serving_scores
from wellworn.engines.reading import ReadingSettings
from wellworn.engines.reading.endpoint_reader import EndpointReader
from wellworn.errors import ReadingFailed

TEXTS = ["Lichen grows on walls.", "The report is late.", ""]


def test_scores_come_back_in_the_order_of_the_texts():
    with serving_scores() as server:
        readings = EndpointReader(server.read_settings()).read("lichen walls", TEXTS)
        assert [reading.answers for reading in readings] == [1, 0, 0]
        [request] = server.requests
    assert request["model"] == "stub"
    assert request["query"] == "lichen walls"
    assert request["documents"] == [*TEXTS[:2], "."]


def test_numbers_become_probabilities_where_the_settings_say_that_they_are_none():
    with serving_scores() as server:
        server.change = lambda rows: [{**row, "relevance_score": 0} for row in rows]
        reader = EndpointReader(server.read_settings(scores="logit"))
        assert [reading.answers for reading in reader.read("lichen", TEXTS)] == [0.5] * 3


@pytest.mark.parametrize(
    "change",
    [
        lambda _: None,
        lambda rows: rows[:2],
        lambda rows: [*rows, rows[0]],
        lambda rows: [{**row, "index": 0} for row in rows],
        lambda rows: [{**row, "index": "many"} for row in rows],
        lambda rows: [{"index": row["index"]} for row in rows],
        lambda rows: [{**row, "relevance_score": 7.5} for row in rows],
        lambda rows: [{**row, "relevance_score": float("nan")} for row in rows],
        lambda rows: [{**row, "relevance_score": float("inf")} for row in rows],
    ],
)
def test_an_answer_of_another_form_is_a_failure(change):
    with serving_scores() as server:
        server.change = change
        with pytest.raises(ReadingFailed):
            EndpointReader(server.read_settings()).read("lichen", TEXTS)


@pytest.mark.parametrize(
    "body", [b"", b"no JSON", b"[" * 100_000, b"[]", b"{}", b'{"results": 1}', b" " * 1_000_000]
)
def test_an_answer_that_is_none_is_a_failure(body):
    with serving_scores() as server:
        server.body = body
        with pytest.raises(ReadingFailed):
            EndpointReader(server.read_settings()).read("lichen", TEXTS)


def test_a_packed_answer_is_refused():
    with serving_scores() as server:
        server.body = gzip.compress(b" " * 50_000_000)
        server.headers = {"Content-Encoding": "gzip"}
        with pytest.raises(ReadingFailed, match="packed"):
            EndpointReader(server.read_settings()).read("lichen", TEXTS)


@pytest.mark.parametrize(
    ("status", "said"), [(401, "key"), (404, "rerank"), (302, "elsewhere"), (500, "500")]
)
def test_a_refusal_says_what_to_do(status, said):
    with serving_scores() as server:
        server.statuses = [status]
        with pytest.raises(ReadingFailed, match=said):
            EndpointReader(server.read_settings()).read("lichen", TEXTS)


def test_a_slow_server_is_not_waited_for_and_then_left_alone():
    now = [0.0]
    with serving_scores() as server:
        server.waits_for = Event()
        reader = EndpointReader(server.read_settings(timeout_s=0.2), clock=lambda: now[0])
        with pytest.raises(ReadingFailed, match=r"0\.2 s"):  # nobody ends what it would wait for
            reader.read("lichen", TEXTS)
        server.waits_for.set()
        with pytest.raises(ReadingFailed, match=r"0\.2 s"):
            reader.read("lichen", TEXTS)
        assert len(server.requests) <= 1
        now[0] = 16.0
        assert len(reader.read("lichen", TEXTS)) == 3


def test_a_server_that_never_comes_to_an_end_is_left():
    with serving_scores() as server:
        server.trickles = lambda: time.sleep(0.1)
        with pytest.raises(ReadingFailed):
            EndpointReader(server.read_settings(timeout_s=0.3)).read("lichen", TEXTS)


def test_a_server_that_is_gone_is_told():
    settings = ReadingSettings(base_url="http://127.0.0.1:9/v1", model="some")
    with pytest.raises(ReadingFailed, match="reached"):
        EndpointReader(settings).read("lichen", TEXTS)


def test_the_key_is_sent_or_missed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_KEY", "obsidian")
    with serving_scores() as server:
        EndpointReader(server.read_settings(api_key_env="SOME_KEY")).read("lichen", TEXTS)
        assert server.sent_headers[0]["authorization"] == "Bearer obsidian"
        with pytest.raises(ReadingFailed, match="OTHER_KEY"):
            EndpointReader(server.read_settings(api_key_env="OTHER_KEY")).read("lichen", TEXTS)


def test_long_questions_and_texts_are_cut():
    with serving_scores() as server:
        EndpointReader(server.read_settings()).read("why " * 9_000, ["x" * 1_000_000, "\ud800"])
        [request] = server.requests
    assert len(request["query"]) <= 1_000
    assert max(map(len, request["documents"])) <= 4_000
