"""Knowledge through the client: what is sent where, and what becomes of the answers."""

from __future__ import annotations

import json

import httpx2
import pytest

from unit.cli import fake_knowledge as fake
from unit.client.test_client import Server, refusal
from wellworn.client import WellwornClientError


def test_answers_become_values_down_to_the_span():
    with Server(fake.ANSWER).client() as memory:
        found = memory.resolve("cube")
    [value] = found.values
    assert (value.value, value.evidence.citation) == ("100.70.237.79", "mytech/AGENTS.md#servers")
    with Server(fake.FOUND).client() as memory:
        [document] = memory.search_knowledge("cube")
    assert document.snippets[0].headings == ("Servers",)


def test_a_source_is_sent_with_what_was_said_of_it_and_no_more():
    server = Server(fake.SOURCE)
    with server.client() as memory:
        memory.add_source("url", "page", {"url": "https://x"}, secret="s", agents=("ana",))
        assert server.body == {
            "source_type": "url",
            "name": "page",
            "config": {"url": "https://x"},
            "secret": "s",
            "agents": ["ana"],
        }
        memory.change_source(7, is_paused=False, sync_schedule="")
        assert server.body == {"is_paused": False, "sync_schedule": "", "everybody": False}


def test_a_secret_shows_in_no_repr():
    with Server(fake.SOURCE).client() as memory:
        assert "hush" not in repr(memory.add_source("url", "page", {}, secret="hush"))


def test_a_file_is_sent_as_it_is_to_its_own_path():
    server = Server(fake.RUN)
    with server.client() as memory:
        memory.upload(7, "guides/größe & co.md", b"# A", media_type="text/markdown")
        assert server.requests[-1].headers["content-type"] == "text/markdown"
        memory.upload(7, "../a.md", b"# A")
    first, second = server.requests
    below = "/api/knowledge/sources/7/files"
    assert first.url.raw_path.decode() == f"{below}/guides/gr%C3%B6%C3%9Fe%20%26%20co%2Emd"
    assert second.url.raw_path.decode() == f"{below}/%2E%2E/a%2Emd"
    assert (first.method, first.content) == ("PUT", b"# A")
    assert second.headers["content-type"] == "application/octet-stream"


def test_files_for_agents_come_as_text():
    with Server(httpx2.Response(200, text="# Hot Terms\n")).client() as memory:
        assert memory.artifact("hot_terms.md") == "# Hot Terms\n"
        assert memory.preamble() == "# Hot Terms\n"
    with (
        Server(refusal(400, "VALIDATION_ERROR")).client() as memory,
        pytest.raises(WellwornClientError) as refused,
    ):
        memory.artifact("passwords.md")
    assert refused.value.code == "VALIDATION_ERROR"


def test_who_asks_is_the_clients_agent_unless_somebody_else_is_named():
    server = Server(fake.ANSWER)
    with server.client(agent_id="dev") as memory:
        memory.resolve("cube")
        assert server.body["agent_id"] == "dev"
        memory.resolve("cube", agent_id="ada", context="ssh")
        assert server.body == {"term": "cube", "context": "ssh", "agent_id": "ada"}
        memory.resolve("cube", learn=False)
        assert server.body["learn"] is False


def test_what_would_happen_twice_is_not_sent_twice():
    server = Server(httpx2.ReadError("reset"), fake.SOURCE)
    with server.client() as memory, pytest.raises(WellwornClientError):
        memory.add_source("url", "page", {})
    assert len(server.requests) == 1
    server = Server(httpx2.ReadError("reset"), fake.RUN)
    with server.client() as memory:
        assert memory.sync_source(7, confirm=True).message == "1 new, 2 unchanged"
    assert len(server.requests) == 2


GOES_ON = {**fake.RUN, "status": "syncing", "finished_at": None, "problems": []}
QUEUED = {**GOES_ON, "id": 0, "status": "pending"}
MEANWHILE = {**fake.RUN, "id": 32, "message": "another one"}


def asked(server):
    return [(one.method, one.url.path.rpartition("/")[2]) for one in server.requests]


def test_a_sync_is_waited_for_until_it_ends_however_long_the_server_takes():
    looks = [{"runs": [GOES_ON]}] * 400
    server = Server(GOES_ON, *looks, {"runs": [MEANWHILE, fake.RUN]})
    with server.client() as memory:
        assert memory.sync_source(7).message == "1 new, 2 unchanged"
    assert asked(server) == [("POST", "sync")] + [("GET", "runs")] * 401
    assert len(server.pauses) == 401


def test_a_sync_that_has_to_wait_for_others_is_asked_for_again():
    waits = [QUEUED, {"runs": [MEANWHILE]}]
    server = Server(*waits, *waits, GOES_ON, {"runs": [fake.RUN]})
    with server.client() as memory:
        assert memory.sync_source(7, confirm=True).id == 31
    asks = [one for one in server.requests if one.method == "POST"]
    assert [json.loads(one.content) for one in asks] == [{"confirm": True}] * 3


def test_a_sync_that_was_under_way_before_it_was_asked_for_is_waited_for():
    server = Server(QUEUED, {"runs": [GOES_ON]}, {"runs": [GOES_ON]}, {"runs": [fake.RUN]})
    with server.client() as memory:
        assert memory.sync_source(7).message == "1 new, 2 unchanged"
    assert asked(server) == [("POST", "sync")] + [("GET", "runs")] * 3


@pytest.mark.parametrize(
    "answer", [httpx2.ReadTimeout("slow"), refusal(429, "RATE_LIMITED")], ids=["slow", "limited"]
)
def test_a_server_that_is_busy_while_it_syncs_is_asked_again(answer):
    server = Server(GOES_ON, answer, {"runs": [GOES_ON]}, answer, {"runs": [fake.RUN]})
    with server.client() as memory:
        assert memory.sync_source(7).finished_at == fake.NOW


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx2.ConnectError("gone"), "UNREACHABLE"),
        (httpx2.ReadTimeout("slow"), "TIMED_OUT"),
        (refusal(404, "SOURCE_NOT_FOUND"), "SOURCE_NOT_FOUND"),
        ({"runs": [MEANWHILE]}, "UNEXPECTED_ANSWER"),
    ],
)
def test_waiting_ends_when_nobody_tells_any_more_how_the_sync_is(answer, code):
    with (
        Server(GOES_ON, answer).client() as memory,
        pytest.raises(WellwornClientError) as failed,
    ):
        memory.sync_source(7)
    assert failed.value.code == code


def test_a_sync_that_outlasts_one_answer_is_looked_for_among_the_runs():
    server = Server(httpx2.ReadTimeout("long"), {"runs": [GOES_ON]}, {"runs": [fake.RUN]})
    with server.client() as memory:
        assert memory.sync_source(7).id == 31
    for runs in ([], [fake.RUN]):
        server = Server(httpx2.ReadTimeout("long"), {"runs": runs})
        with server.client() as memory, pytest.raises(WellwornClientError) as failed:
            memory.sync_source(7)
        assert failed.value.code == "TIMED_OUT"
