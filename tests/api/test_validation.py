"""What memory refuses, and how it says so: seed sections 3.1 and 3.3."""

from __future__ import annotations

import json
import re

import pytest

from api import walls
from api.routes import TABLE
from api.world import NOBODY, accepted, refused, talk
from wellworn.kit.ids import new_id
from wellworn.testing.embedder import HashEmbedder

TALK = talk("What is known about role separation?")
THINK = {
    "content": "Role boundaries prevent coordination collapse.",
    "contributor_id": "agent-pdsa-001",
    "contributor_name": "PDSA Agent",
    "thought_type": "original",
    "source_ids": [],
    "tags": ["multi-agent"],
    "context_metadata": "Working on agent workflow design",
}
RETRIEVE = {
    "query": "role separation",
    "agent_id": "ada",
    "session_id": "7b9f0a52-5a8e-4c65-9d59-0b8f6c0a1f11",
}
FEEDBACK = {"session_id": NOBODY, "thought_id": NOBODY, "signal": "useful"}
VALID = {"memory": TALK, "think": THINK, "retrieve": RETRIEVE, "memory/feedback": FEEDBACK}
VALID |= {"query": {"query": "roles"}, "ingest": {"content": "Separate the roles."}}

TEXTS = {
    ("memory", "prompt"): 10_000,
    ("memory", "agent_id"): 100,
    ("memory", "agent_name"): 200,
    ("think", "content"): 10_000,
    ("think", "contributor_id"): 100,
    ("think", "contributor_name"): 200,
    ("retrieve", "query"): 10_000,
    ("retrieve", "agent_id"): 100,
    ("query", "query"): 10_000,
    ("ingest", "content"): 10_000,
}
NOTES = {("memory", "context"): 2_000, ("think", "context_metadata"): 2_000}
NOT_TEXTS = [7, 1.5, True, ["a"], {"a": 1}]


@pytest.fixture(name="world")
def world_of_all(lasting_world):
    """Refusing leaves nothing behind, so one world does for all."""
    return lasting_world


def send(world, path, **changed):
    fresh = {"session_id": new_id()} if path == "retrieve" else {}
    return world.post(path, VALID[path] | fresh | changed)


@pytest.mark.parametrize(("path", "field"), [*TEXTS, ("memory/feedback", "signal")])
def test_a_required_field_that_is_missing_is_named(world, path, field):
    body = {name: value for name, value in VALID[path].items() if name != field}
    if (path, field) == ("retrieve", "query"):
        assert "either" in refused(world.post(path, body), 400, "VALIDATION_ERROR")
        return
    assert field in refused(world.post(path, body), 400, "VALIDATION_ERROR")


def test_a_missing_prompt_is_refused_in_the_words_of_the_specification_and_says_what_to_send(world):
    response = world.post("memory", {"agent_id": "ada", "agent_name": "Ada"})
    message = refused(response, 400, "VALIDATION_ERROR")
    assert response.json() == {"error": {"code": "VALIDATION_ERROR", "message": message}}
    specified, what = message.split(": ")
    assert specified == "prompt is required and must be a non-empty string"
    assert what == "what you ask, or what you state to be kept"


@pytest.mark.parametrize(
    "blank", ["", " ", "\n\t \u3000", "\u200b\u2060 \ufeff\u00ad\u200d", "\x07"]
)
@pytest.mark.parametrize(("path", "field"), TEXTS)
def test_an_empty_or_blank_text_is_refused(world, path, field, blank):
    message = refused(send(world, path, **{field: blank}), 400, "VALIDATION_ERROR")
    assert message.startswith(f"{field} is required and must be a non-empty string: ")


@pytest.mark.parametrize(("path", "field"), [*TEXTS, *NOTES])
def test_a_text_at_its_limit_is_taken_and_one_over_it_refused(world, path, field):
    limit = (TEXTS | NOTES)[path, field]
    accepted(send(world, path, **{field: "é" * limit}))
    message = refused(send(world, path, **{field: "é" * (limit + 1)}), 400, "VALIDATION_ERROR")
    assert message == f"{field} must be at most {limit} characters"


@pytest.mark.parametrize("value", [*NOT_TEXTS, None])
@pytest.mark.parametrize(("path", "field"), TEXTS)
def test_a_text_of_another_type_is_refused(world, path, field, value):
    if (path, field, value) == ("retrieve", "query", None):
        assert "either" in refused(send(world, path, query=None), 400, "VALIDATION_ERROR")
        return
    message = refused(send(world, path, **{field: value}), 400, "VALIDATION_ERROR")
    assert message == f"{field} must be a string"


@pytest.mark.parametrize("value", NOT_TEXTS)
@pytest.mark.parametrize(("path", "field"), NOTES)
def test_a_note_of_another_type_is_refused(world, path, field, value):
    refused(send(world, path, **{field: value}), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("bad", [r"nul \u0000 inside", r"half a pair \ud800 here", r"\udc00"])
@pytest.mark.parametrize(("path", "field"), [*TEXTS, *NOTES])
def test_nul_and_lone_surrogates_are_refused(world, path, field, bad):
    body = json.dumps(VALID[path] | {field: "@"}).replace("@", bad)
    response = world.client.post(
        f"/api/v1/{path}", content=body, headers={"content-type": "application/json"}
    )
    assert field in refused(response, 400, "VALIDATION_ERROR")


def test_a_paired_surrogate_is_one_character(world):
    body = json.dumps(TALK | {"prompt": "@"}).replace(
        "@", "The owl is awake. " + r"\ud83e\udd89" * 9_982
    )
    response = world.client.post(
        "/api/v1/memory", content=body, headers={"content-type": "application/json"}
    )
    assert accepted(response)["trace"]["contribution_threshold_met"]


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "session-uuid-optional",
        NOBODY[:-1],
        NOBODY.replace("-", ""),
        f"{{{NOBODY}}}",
        5,
        f"urn:uuid:{NOBODY}",
        NOBODY.replace("0", "٠"),
        "0" * 36,
        f" {NOBODY[1:]}",
    ],
)
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("memory", "session_id"),
        ("retrieve", "session_id"),
        ("memory/feedback", "session_id"),
        ("memory/feedback", "thought_id"),
    ],
)
def test_what_is_no_uuid_is_refused(world, path, field, value):
    message = refused(send(world, path, **{field: value}), 400, "VALIDATION_ERROR")
    assert field in message


def test_a_uuid_in_capitals_names_the_same_session(world):
    session = world.ask("role separation?")["trace"]["session_id"]
    again = world.ask("role separation?", session_id=session.upper())
    assert again["trace"]["session_id"] == session


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(("thoughts/{}", value) for value in ("x", "0" * 36)),
        *(("thoughts/{}/provenance", value) for value in ("x", "0" * 36, NOBODY[:-1])),
    ],
)
def test_what_is_no_uuid_is_refused_in_a_path_too(world, path, value):
    response = world.client.get(f"/api/v1/{path.format(value)}")
    assert "thought_id" in refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", VALID)
def test_an_unknown_field_is_refused(world, path):
    refused(send(world, path, promt="x"), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("route", TABLE)
def test_an_unknown_query_parameter_is_refused_everywhere(world, route):
    method, path = route.split(" ")
    where = re.sub(r"{\w+}", NOBODY, path)
    sent = walls.send(world, method, where, params={"limmit": 3})
    message = refused(sent, 400, "VALIDATION_ERROR")
    assert message.startswith("unknown query parameter; this route takes ")
    assert "limmit" not in message


def test_who_sends_an_unknown_query_parameter_is_told_the_known_ones(world):
    sent = world.client.get("/api/v1/thoughts", params={"limit": 3, "limmit": 3})
    known = "by, count, cursor, limit, since, state, tag, topic, until, words"
    assert refused(sent, 400, "VALIDATION_ERROR").endswith(f"this route takes {known}")
    sent = world.client.get("/api/v1/health", params={"_": 3})
    assert refused(sent, 400, "VALIDATION_ERROR").endswith("this route takes none")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nonsense",
        '{"prompt": "a" "b"}',
        "\ufeff{}",
        "'a'",
        '{"prompt": "\n"}',
        "[" * 100000,
        '{"a":' * 100000,
        '{"limit": ' + "9" * 5000 + "}",
    ],
)
@pytest.mark.parametrize("path", VALID)
def test_broken_json_is_refused(world, path, text):
    response = world.client.post(
        f"/api/v1/{path}", content=text.encode(), headers={"content-type": "application/json"}
    )
    refused(response, 400, "VALIDATION_ERROR")


def test_a_body_that_is_not_utf8_is_refused(world):
    response = world.client.post(
        "/api/v1/memory",
        content=b'{"prompt": "\xff\xfe"}',
        headers={"content-type": "application/json"},
    )
    refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("text", ["[]", "null", '"text"', "1", "true", "[{}]"])
@pytest.mark.parametrize("path", VALID)
def test_a_body_that_is_no_object_is_refused(world, path, text):
    response = world.client.post(
        f"/api/v1/{path}", content=text, headers={"content-type": "application/json"}
    )
    refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_numbers_that_are_none_are_refused(world, number):
    for path, field in [("memory", "min_score"), ("memory", "limit"), ("retrieve", "min_score")]:
        body = json.dumps(VALID[path] | {field: "@"}).replace('"@"', number)
        response = world.client.post(
            f"/api/v1/{path}", content=body, headers={"content-type": "application/json"}
        )
        assert field in refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400", '"0.1"', "true", "null"])
def test_an_embedding_holds_nothing_but_numbers(world, number):
    vector = ", ".join(["0.1"] * 383 + [number])
    body = f'{{"query_embedding": [{vector}], "agent_id": "ada", "session_id": "{NOBODY}"}}'
    response = world.client.post(
        "/api/v1/retrieve", content=body, headers={"content-type": "application/json"}
    )
    assert "query_embedding" in refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("vector", [[], [0.1] * 383, [0.1] * 385, [0.0] * 384, "0.1", 0.1])
def test_an_embedding_has_as_many_numbers_as_the_encoders_not_all_zero(world, vector):
    body = {"query_embedding": vector, "agent_id": "ada", "session_id": NOBODY}
    refused(world.post("retrieve", body), 400, "VALIDATION_ERROR")


def test_an_embedding_is_bounded_before_it_is_compared_with_the_encoder(world):
    response = send(world, "retrieve", query_embedding=[0.1] * 8193)
    assert "at most 8192" in refused(response, 400, "VALIDATION_ERROR")


def test_retrieve_takes_an_embedding_or_words_and_not_both(world):
    refused(send(world, "retrieve", query_embedding=[0.1] * 384), 400, "VALIDATION_ERROR")


def test_of_a_key_given_twice_the_last_counts(world):
    body = json.dumps(TALK)[:-1] + ', "agent_name": 5, "agent_name": "Ada"}'
    accepted(
        world.client.post(
            "/api/v1/memory", content=body, headers={"content-type": "application/json"}
        )
    )


@pytest.mark.parametrize("limit", [0, 51, -1, 2**63, 1.5, "5", True, None, []])
@pytest.mark.parametrize("path", ["memory", "retrieve"])
def test_limits_are_whole_numbers_from_1_to_50(world, path, limit):
    assert "limit" in refused(send(world, path, limit=limit), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("limit", [1, 50])
@pytest.mark.parametrize("path", ["memory", "retrieve"])
def test_the_outermost_limits_are_taken(world, path, limit):
    accepted(send(world, path, limit=limit))


@pytest.mark.parametrize("score", [1.01, -1.01, "0.5", True, [], {}])
@pytest.mark.parametrize("path", ["memory", "retrieve"])
def test_a_least_score_is_a_number_from_minus_1_to_1(world, path, score):
    assert "min_score" in refused(send(world, path, min_score=score), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("score", [1, 0, -1, 0.5, None])
def test_a_least_score_may_be_a_whole_number(world, score):
    accepted(send(world, "memory", min_score=score))


@pytest.mark.parametrize("field", ["explain", "match_all_tags", "exclude_self"])
@pytest.mark.parametrize("value", ["true", 1, 0, None, "yes"])
@pytest.mark.parametrize("path", ["memory", "retrieve"])
def test_flags_are_true_or_false_and_nothing_like_it(world, path, field, value):
    assert field in refused(send(world, path, **{field: value}), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("retrieval_method", "tree"),
        ("retrieval_method", 1),
        ("retrieval_method", "VECTOR"),
        ("contribute", "sometimes"),
        ("contribute", True),
        ("contribute", None),
    ],
)
def test_a_choice_is_one_of_its_words(world, field, value):
    assert field in refused(send(world, "memory", **{field: value}), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("signal", ["", "good", "USEFUL", None, 1, ["useful"]])
def test_a_signal_is_useful_or_irrelevant(world, signal):
    assert "signal" in refused(
        send(world, "memory/feedback", signal=signal), 400, "VALIDATION_ERROR"
    )


@pytest.mark.parametrize(
    "tags", ["a", [1], [None], [""], ["  "], ["a" * 101], ["a\x00"], {"a": 1}, [["a"]], None]
)
@pytest.mark.parametrize(
    ("path", "field"),
    [("memory", "tags"), ("memory", "filter_tags"), ("think", "tags"), ("retrieve", "filter_tags")],
)
def test_tags_are_an_array_of_short_texts(world, path, field, tags):
    assert field in refused(send(world, path, **{field: tags}), 400, "VALIDATION_ERROR")


def test_a_thought_carries_at_most_20_tags(world):
    tags = [f"tag-{number}" for number in range(21)]
    accepted(send(world, "memory", tags=tags[:20]))
    refused(send(world, "memory", tags=tags), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("kind", ["opinion", "", "Original", 5, None, ["original"], {}])
def test_a_thought_type_is_one_of_three(world, kind):
    refused(send(world, "think", thought_type=kind), 400, "INVALID_THOUGHT_TYPE")


@pytest.mark.parametrize("kind", ["refinement", "consolidation"])
def test_a_thought_that_builds_on_others_names_them(world, kind):
    refused(send(world, "think", thought_type=kind), 400, "MISSING_SOURCE_IDS")


@pytest.mark.parametrize("field", ["thought_type", "source_ids", "tags"])
def test_a_thoughts_type_sources_and_tags_are_required(world, field):
    body = {name: value for name, value in THINK.items() if name != field}
    assert field in refused(world.post("think", body), 400, "VALIDATION_ERROR")


def test_a_source_that_does_not_exist_is_not_found(world):
    missing = {"thought_type": "refinement", "source_ids": [NOBODY]}
    refused(send(world, "think", content="Never said.", **missing), 404, "THOUGHT_NOT_FOUND")
    world.know("Said before.")
    refused(send(world, "think", content="Said before.", **missing), 404, "THOUGHT_NOT_FOUND")


@pytest.mark.parametrize("sources", ["x", [5], ["x"], [None], {}, None])
def test_sources_are_an_array_of_uuids(world, sources):
    response = send(world, "think", source_ids=sources)
    assert "source_ids" in refused(response, 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", ["thoughts/{}", "thoughts/{}/provenance"])
def test_a_thought_that_does_not_exist_is_not_found(world, path):
    response = world.client.get(f"/api/v1/{path.format(NOBODY)}")
    refused(response, 404, "THOUGHT_NOT_FOUND")


def test_an_unknown_session_is_not_found(world):
    refused(send(world, "memory", session_id=NOBODY), 404, "SESSION_NOT_FOUND")


def test_a_foreign_session_is_not_found_with_no_hint_that_it_exists(world):
    session = world.ask("role separation?", "bob")["trace"]["session_id"]
    foreign = refused(send(world, "memory", session_id=session), 404, "SESSION_NOT_FOUND")
    unknown = refused(send(world, "memory", session_id=NOBODY), 404, "SESSION_NOT_FOUND")
    assert foreign == unknown
    retrieve = world.post("retrieve", RETRIEVE | {"session_id": session})
    refused(retrieve, 404, "SESSION_NOT_FOUND")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", None])
@pytest.mark.parametrize("path", VALID)
def test_another_content_type_is_refused(world, path, kind):
    headers = {} if kind is None else {"content-type": kind}
    response = world.client.post(
        f"/api/v1/{path}", content=json.dumps(VALID[path]), headers=headers
    )
    message = refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert "application/json" in message


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_may_name_its_encoding(world, kind):
    accepted(
        world.client.post(
            "/api/v1/memory", content=json.dumps(TALK), headers={"content-type": kind}
        )
    )


def _too_much():
    yield b'{"prompt": "'
    for _ in range(33):
        yield b"x" * 65_536
    yield b'"}'


@pytest.mark.parametrize("path", VALID)
def test_a_body_over_a_mebibyte_is_refused_announced_or_not(world, path):
    headers = {"content-type": "application/json"}
    announced = world.client.post(f"/api/v1/{path}", content=b"".join(_too_much()), headers=headers)
    refused(announced, 413, "PAYLOAD_TOO_LARGE")
    assert "larger than 1 MiB" in announced.json()["error"]["message"]
    streamed = world.client.post(f"/api/v1/{path}", content=_too_much(), headers=headers)
    assert "content-length" not in streamed.request.headers
    refused(streamed, 413, "PAYLOAD_TOO_LARGE")
    assert streamed.json() == announced.json()


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 5_000, "1e9", "\u00b2"])
def test_a_senseless_content_length_does_no_harm(world, length):
    response = world.client.post(
        "/api/v1/memory",
        content=json.dumps(TALK).encode(),
        headers={"content-type": "application/json", "content-length": length.encode("latin-1")},
    )
    assert response.status_code in {200, 400, 413}


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/v1",
        "/api/v1/nothing",
        "/api/v2/memory",
        "/docs",
        "/redoc",
        "/openapi.json",
        "/api/v1/%00",
    ],
)
def test_an_unknown_route_is_not_found(world, path):
    refused(world.client.get(path), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "memory", {"POST"}),
        ("PUT", "memory", {"POST"}),
        ("DELETE", "memory/feedback", {"POST"}),
        ("GET", "think", {"POST"}),
        ("GET", "retrieve", {"POST"}),
        ("POST", "highways", {"GET"}),
        ("PATCH", "query", {"POST"}),
        ("POST", "health", {"GET"}),
        ("POST", "", {"GET"}),
        ("POST", f"thoughts/{NOBODY}", {"GET", "DELETE"}),
        ("DELETE", "contributors/ada", {"GET"}),
    ],
)
def test_a_wrong_method_is_told_which_are_right(world, method, path, allowed):
    response = world.client.request(method, f"/api/v1/{path}")
    refused(response, 405, "METHOD_NOT_ALLOWED")
    assert {word.strip() for word in response.headers["allow"].split(",")} >= allowed


def test_every_fixed_path_takes_the_methods_that_it_is_documented_with(world):
    paths = accepted(world.send("GET", "openapi.json"))["paths"]
    for path in (path for path in paths if "{" not in path):
        response = world.client.request("OPTIONS", path)
        assert response.status_code == 405
        allowed = response.headers["allow"].split(", ")
        assert sorted(allowed) == sorted(method.upper() for method in paths[path]), path


@pytest.mark.parametrize("host", ["evil.example", "evil.example:3200", "127.0.0.1.evil.example"])
def test_a_foreign_host_name_is_refused(world, host):
    response = world.client.get("/api/v1/health", headers={"host": host})
    refused(response, 403, "FORBIDDEN_HOST")


MARK = "Zyx-secret-73519"


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        ("memory", {"prompt": MARK * 1000}),
        ("memory", {"prompt": {MARK: MARK}}),
        ("memory", {"session_id": MARK}),
        ("memory", {MARK: MARK}),
        ("memory", {"tags": [MARK * 100]}),
        ("memory", {"tags": {MARK: MARK}}),
        ("memory", {"retrieval_method": MARK}),
        ("memory", {"min_score": MARK}),
        ("think", {"thought_type": MARK}),
        ("think", {"source_ids": [MARK]}),
        ("memory/feedback", {"signal": MARK}),
        ("ingest", {"metadata": {MARK: MARK}}),
        ("ingest", {"metadata": MARK}),
    ],
)
def test_an_error_does_not_repeat_what_was_sent(world, path, changed):
    response = send(world, path, **changed)
    assert response.status_code == 400
    assert MARK not in response.text
    assert str(world.home) not in response.text


def test_errors_outside_of_bodies_do_not_repeat_what_was_sent_either(world):
    for url in (
        f"thoughts/{MARK}",
        f"contributors/{MARK}",
        f"{MARK}",
        f"highways?limit={MARK}",
        f"highways?sort_by={MARK}",
        f"search?q=a&limit={MARK}",
        f"search?q=a&filter_tags={MARK * 10}",
    ):
        response = world.client.get(f"/api/v1/{url}")
        assert response.status_code in {400, 404}, url
        assert MARK not in response.text


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "min_access=-1", "min_users=-1", "sort_by=fame", "limit="],
)
def test_highways_check_their_parameters(world, query):
    refused(world.client.get(f"/api/v1/highways?{query}"), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("query", ["", "q=", "q=%20", "q=a&limit=0", "q=a&limit=51", "q=%00"])
def test_search_checks_its_parameters(world, query):
    refused(world.client.get(f"/api/v1/search?{query}"), 400, "VALIDATION_ERROR")


@pytest.mark.parametrize("depth", ["0", "21", "x"])
def test_provenance_checks_its_depth(world, depth):
    thought = world.know("Role boundaries prevent coordination collapse.")
    response = world.client.get(f"/api/v1/thoughts/{thought}/provenance?depth={depth}")
    assert "depth" in refused(response, 400, "VALIDATION_ERROR")


def test_nothing_that_is_refused_leaves_a_trace(opened):
    world = opened(HashEmbedder())
    missing = {"thought_type": "refinement", "source_ids": [NOBODY]}
    refused(send(world, "think", **missing), 404, "THOUGHT_NOT_FOUND")
    refused(send(world, "memory", limit=0), 400, "VALIDATION_ERROR")
    refused(send(world, "memory", session_id=NOBODY), 404, "SESSION_NOT_FOUND")
    refused(send(world, "retrieve", limit=0), 400, "VALIDATION_ERROR")
    for table in ("query_log", "sessions", "thoughts", "accesses"):
        assert world.rows(f"SELECT count(*) FROM {table}") == [(0,)]
    assert world.read("health")["collections"]["thought_space"]["points"] == 0
    assert world.ask("role separation?")["result"]["guidance"]


def test_a_whole_number_may_be_written_with_a_point(world):
    accepted(send(world, "memory", limit=3.0))
    refused(send(world, "memory", limit=3.5), 400, "VALIDATION_ERROR")
