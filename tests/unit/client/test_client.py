from __future__ import annotations

import json
import traceback

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.client import Wellworn, WellwornClientError
from wellworn.engines import daemon
from wellworn.errors import StoreInUse

REPLY = {
    "result": {
        "response": "Based on what PDSA Agent said: boundaries help.",
        "sources": [
            {
                "thought_id": "t1",
                "contributor": "PDSA Agent",
                "score": 1,
                "content_preview": "boundaries help",
            }
        ],
        "highways_nearby": ["roles (12 accesses, 4 agents)"],
        "disambiguation": None,
        "guidance": None,
    },
    "trace": {
        "session_id": "s1",
        "operations": ["retrieve", "reinforce"],
        "thoughts_retrieved": 1,
        "thoughts_contributed": 0,
        "contribution_threshold_met": False,
        "context_used": False,
        "retrieval_method": "hybrid",
        "thought_id": None,
    },
}


class Server:
    """Answers from a list, keeps what it was asked; an exception in the list is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []
        self.pauses: list[float] = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else httpx2.Response(200, json=answer)

    def client(self, url="http://memory", **more):
        transport = httpx2.MockTransport(self)
        return Wellworn(url, transport=transport, pause=self.pauses.append, **more)

    @property
    def body(self):
        return json.loads(self.requests[-1].content)


def refusal(status, code):
    return httpx2.Response(status, json={"error": {"code": code, "message": "no"}})


def test_recall_returns_what_was_found_best_first():
    with Server(REPLY).client() as memory:
        reply = memory.recall("what helps?")
    assert [source.contributor for source in reply.sources] == ["PDSA Agent"]
    assert reply.session_id == "s1"
    assert reply.thought_id is None
    assert reply.result.highways_nearby == ("roles (12 accesses, 4 agents)",)
    assert reply.result.often_needed_next == ()


def test_what_is_often_needed_next_is_read():
    needed = {"thought_id": "t9", "label": "Deploys", "strength": 2.0}
    result = {**REPLY["result"], "often_needed_next": [needed]}
    with Server({**REPLY, "result": result}).client() as memory:
        [one] = memory.recall("what helps?").result.often_needed_next
    assert (one.thought_id, one.label, one.strength) == ("t9", "Deploys", 2.0)


@pytest.mark.parametrize(
    ("call", "contribute"),
    [("remember", "always"), ("recall", "never"), ("converse", "auto")],
)
def test_each_way_of_talking_says_whether_the_prompt_is_kept(call, contribute):
    server = Server(REPLY)
    with server.client(agent_id="dev", agent_name="DEV Agent") as memory:
        getattr(memory, call)("hello")
    assert server.body == {
        "prompt": "hello",
        "contribute": contribute,
        "agent_id": "dev",
        "agent_name": "DEV Agent",
        "explain": True,
    }


def test_only_the_options_that_were_given_are_sent():
    server = Server(REPLY)
    with server.client() as memory:
        memory.recall("x", limit=3, context=None, filter_tags=("a", "b"), explain=False)
    assert set(server.body) == {
        "prompt",
        "contribute",
        "agent_id",
        "agent_name",
        "limit",
        "filter_tags",
        "explain",
    }
    assert server.body["filter_tags"] == ["a", "b"]
    assert server.body["explain"] is False


def test_a_call_repeated_after_a_lost_connection_counts_once():
    server = Server(httpx2.ReadError("reset"), httpx2.ConnectError("refused"), REPLY)
    with server.client() as memory:
        memory.remember("once")
    keys = [request.headers["idempotency-key"] for request in server.requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert server.pauses == [0.1, 0.2]


def test_two_calls_count_twice():
    server = Server(REPLY)
    with server.client() as memory:
        memory.remember("again")
        memory.remember("again")
    first, second = (request.headers["idempotency-key"] for request in server.requests)
    assert first != second


def test_the_caller_may_choose_the_key():
    server = Server(REPLY)
    with server.client() as memory:
        memory.remember("x", idempotency_key="mine")
    assert server.requests[0].headers["idempotency-key"] == "mine"
    assert "idempotency_key" not in server.body


def test_trying_again_has_an_end():
    server = Server(httpx2.ConnectError("refused"))
    with server.client(attempts=4) as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("anyone?")
    assert failure.value.code == "UNREACHABLE"
    assert "http://memory" in failure.value.message
    assert len(server.requests) == 4


def test_a_slow_answer_is_not_asked_for_again():
    server = Server(httpx2.ReadTimeout("slow"))
    with server.client() as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("anyone?")
    assert failure.value.code == "TIMED_OUT"
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", ["THOUGHT_NOT_FOUND", "VALIDATION_ERROR", "QDRANT_ERROR"])
def test_a_refusal_keeps_the_code_of_the_server(code):
    with Server(refusal(404, code)).client() as memory, pytest.raises(WellwornClientError) as got:
        memory.thought("t1")
    assert (got.value.code, got.value.message) == (code, "no")


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>"),
        httpx2.Response(502, text="bad gateway"),
        httpx2.Response(500, json={"error": "text"}),
        [],
        {},
        {"result": {}, "trace": {}},
        {**REPLY, "trace": {**REPLY["trace"], "thoughts_retrieved": "one"}},
        {**REPLY, "trace": {**REPLY["trace"], "context_used": 1}},
        {**REPLY, "trace": {**REPLY["trace"], "thoughts_retrieved": True}},
    ],
)
def test_an_answer_of_something_else_than_wellworn_is_named_so(answer):
    with Server(answer).client() as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("x")
    assert failure.value.code == "UNEXPECTED_ANSWER"


def test_fields_of_a_newer_server_are_passed_over():
    newer = {**REPLY, "later": 1, "trace": {**REPLY["trace"], "mood": "fine"}}
    with Server(newer).client() as memory:
        assert memory.recall("x").session_id == "s1"


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_an_identifier_stays_one_part_of_the_path_whatever_it_contains(identifier):
    server = Server(refusal(404, "NOT_FOUND"))
    with server.client() as memory, pytest.raises(WellwornClientError):
        memory.contributor(identifier)
    raw = server.requests[0].url.raw_path.decode()
    assert raw.count("/") == 4
    assert "?" not in raw
    assert server.requests[0].url.path == f"/api/v1/contributors/{identifier}"


def test_provenance_is_a_tree():
    link = {
        "thought_id": "t0",
        "contributor": "A",
        "thought_type": "original",
        "content_preview": "x",
        "created_at": "2026-02-23T15:00:00Z",
    }
    answer = {
        "thought_id": "t1",
        "came_from": [{**link, "came_from": [{**link, "thought_id": "t-1", "came_from": []}]}],
        "built_into": [],
    }
    with Server(answer).client() as memory:
        chains = memory.provenance("t1")
    assert chains.came_from[0].came_from[0].thought_id == "t-1"


def test_an_import_is_sent_in_batches_and_summed():
    server = Server({"imported": 400, "known": 1, "clashing": []})
    batches: list[int] = []
    with server.client() as memory:
        records = ({"record": "thought", "content": str(n)} for n in range(1200))
        taken = memory.import_records(records, on_batch=batches.append)
    assert batches == [1000, 200]
    assert (taken.imported, taken.known) == (800, 2)
    sent = b"".join(request.content for request in server.requests)
    lines = [json.loads(line) for line in sent.splitlines()]
    assert [line["content"] for line in lines] == [str(n) for n in range(1200)]
    assert server.requests[0].headers["content-type"] == "application/x-ndjson"


def test_what_cannot_be_read_to_its_end_is_not_sent():
    def read():
        yield from ({"record": "thought", "content": str(n)} for n in range(1200))
        raise OSError("the disk is gone")

    server = Server({"imported": 1, "known": 0, "clashing": []})
    with server.client() as memory, pytest.raises(OSError, match="gone"):
        memory.import_records(read())
    assert server.requests == []


def test_each_batch_tells_the_kinds_of_the_whole_import():
    server = Server({"imported": 1, "known": 0, "clashing": []})
    records = [{"record": "thought", "content": str(n)} for n in range(1200)]
    with server.client() as memory:
        memory.import_records([*records, {"record": "end"}])
    kinds = [request.url.params.get_list("kinds") for request in server.requests]
    assert kinds == [["end", "thought"]] * 2


def test_a_batch_of_long_records_is_short_enough_to_be_answered_in_time():
    server = Server({"imported": 1, "known": 0, "clashing": []})
    with server.client() as memory:
        memory.import_records({"content": "x" * 50_000} for _ in range(45))
    assert [len(request.content) // 50_000 for request in server.requests] == [20, 20, 5]


def test_importing_nothing_asks_for_nothing():
    server = Server({})
    with server.client() as memory:
        assert memory.import_records([]).imported == 0
    assert server.requests == []


def test_an_export_streams_every_record():
    lines = b'{"record": "thought"}\n\n{"record": "trail"}\n'
    with Server(httpx2.Response(200, content=lines)).client() as memory:
        assert [record["record"] for record in memory.export()] == ["thought", "trail"]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\u0085", "\x0b", "\x1c"])
def test_an_export_ends_its_lines_at_line_feeds_alone(end):
    line = json.dumps({"content": f"one{end}two"}, ensure_ascii=False).encode() + b"\n"
    with Server(httpx2.Response(200, content=line * 2)).client() as memory:
        assert [record["content"] for record in memory.export()] == [f"one{end}two"] * 2


def test_a_refused_export_is_an_error():
    memory = Server(refusal(500, "QDRANT_ERROR")).client()
    with memory, pytest.raises(WellwornClientError) as failure:
        list(memory.export())
    assert failure.value.code == "QDRANT_ERROR"


def test_the_address_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("WELLWORN_URL", "http://elsewhere:1/")
    with Wellworn() as memory:
        assert memory.url == "http://elsewhere:1"
    with Wellworn("http://here:2") as memory:
        assert memory.url == "http://here:2"


def test_without_an_address_the_server_of_the_data_folder_is_found_or_started(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path / "data"))
    homes = []
    running = daemon.RunningDaemon(1, "http://127.0.0.1:4321", "0.1.0", "2026-11-23T00:00:00Z")
    monkeypatch.setattr(daemon, "ensure_daemon", lambda home: homes.append(home) or running)
    with Wellworn() as memory:
        assert memory.url == running.url
    assert homes == [tmp_path / "data"]


def test_whoever_took_the_port_of_a_server_that_has_ended_is_shown_nothing(monkeypatch, tmp_path):
    def record(request):
        shown.append(request.headers["authorization"])
        return httpx2.Response(200, json=REPLY)

    def fail(_home):
        raise daemon.DaemonFailed("it ended")

    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path))
    shown, at = [], "http://127.0.0.1:4321"
    monkeypatch.setattr(daemon, "ensure_daemon", lambda home: daemon.announce(home, at))
    with daemon.hold_folder(tmp_path):
        memory = Wellworn(key="ww_key", transport=httpx2.MockTransport(record))
        memory.recall("one?")
    monkeypatch.setattr(daemon, "ensure_daemon", fail)
    with memory, pytest.raises(WellwornClientError, match="UNREACHABLE"):
        memory.recall("two?")
    assert shown == ["Bearer ww_key"]


@pytest.mark.parametrize(
    "failure",
    [
        daemon.DaemonFailed("it ended; its log ends with:\n  Traceback"),
        StoreInUse("it ended; wait"),
        PermissionError(13, "it ended"),
    ],
)
def test_a_server_that_cannot_be_started_is_one_sentence(monkeypatch, tmp_path, failure):
    def fail(_home):
        raise failure

    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path))
    monkeypatch.setattr(daemon, "ensure_daemon", fail)
    with pytest.raises(WellwornClientError) as refused:
        Wellworn()
    assert refused.value.code == "UNREACHABLE"
    assert refused.value.message == f"the server of {tmp_path} cannot be started: it ended"
    assert refused.value.__suppress_context__


@pytest.mark.parametrize(
    ("answer", "remedy"),
    [
        (httpx2.ConnectError("refused"), "`wellworn serve`"),
        (httpx2.ReadTimeout("slow"), "timeout_s"),
        (refusal(401, "UNAUTHENTICATED"), "WELLWORN_KEY"),
    ],
)
def test_a_failure_is_one_sentence_that_says_what_to_do(answer, remedy):
    with Server(answer).client() as memory, pytest.raises(WellwornClientError) as failure:
        memory.recall("x")
    shown = "".join(traceback.format_exception(failure.value))
    assert remedy in str(failure.value)
    assert "\n" not in str(failure.value)
    assert "During handling" not in shown
    assert "direct cause" not in shown


def test_proxies_of_the_environment_are_never_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "not even an address")
    with Wellworn("http://here:2") as memory:
        assert memory._wire._http._mounts == {}


@pytest.mark.parametrize("loss", [httpx2.ConnectError("refused"), httpx2.ReadError("killed")])
def test_a_server_that_is_lost_is_found_again(loss):
    server, addresses = Server(loss, REPLY), ["http://before:1", "http://after:2"]
    with server.client(lambda: addresses.pop(0)) as memory:
        memory.remember("once")
        assert memory.url == "http://after:2"
    assert [request.url.host for request in server.requests] == ["before", "after"]
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1


def test_a_change_that_may_have_arrived_is_not_sent_to_a_server_that_is_found_again():
    server = Server(httpx2.ReadError("killed"), {})
    with (
        server.client(["http://before:1"].pop) as memory,
        pytest.raises(WellwornClientError, match="UNREACHABLE"),
    ):
        memory.create_credential("ben")
    assert len(server.requests) == 1


def test_an_export_that_has_not_begun_goes_on_where_the_server_is_found_again():
    lines = httpx2.Response(200, content=b'{"record": "thought"}\n')
    addresses = ["http://before:1", "http://after:2"]
    server = Server(httpx2.ConnectError("refused"), lines)
    with server.client(lambda: addresses.pop(0)) as memory:
        assert list(memory.export()) == [{"record": "thought"}]


def test_whatever_finds_the_server_may_fail_in_its_own_words():
    def find():
        raise StoreInUse("a job has the folder")

    with pytest.raises(StoreInUse, match="a job has the folder"):
        Server(REPLY).client(find)
