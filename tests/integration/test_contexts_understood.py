"""Contexts of questions: what one asks for is answered, and never with something else."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced

DOCUMENTS = {
    "zed.md": "# zed\n\n- IP: 10.9.0.77\n",
    "kettle.md": "The kettle is red\n",
    "headscale/config.yaml": "listen_addr: 127.0.0.1:8080\nderp:\n  server:\n    region_id: 999\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    folder = tmp_path_factory.mktemp("contexts")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", DOCUMENTS)
        yield lambda term, context: app.resolve(access, term, context=context)


@pytest.mark.parametrize("context", ["favourite colour", "duration", "phone", "what does it weigh"])
@pytest.mark.parametrize("term", ["zed", "region_id"])
def test_what_no_list_knows_is_not_answered_with_something_else(resolve, term, context):
    answer = resolve(term, context)
    assert answer.outcome == "not_stated"
    assert [value.value for value in answer.values] == ["10.9.0.77" if term == "zed" else "999"]
    assert 'Nothing states the "' in (answer.question or "")


def test_what_is_only_mentioned_does_not_answer_what_is_asked_of_it(resolve):
    assert resolve("kettle", "").outcome == "resolved"
    answer = resolve("kettle", "weight")
    assert (answer.outcome, answer.values) == ("not_stated", ())


@pytest.mark.parametrize(
    ("term", "context", "value"),
    [
        ("zed", "ip address in the lab network", "10.9.0.77"),
        ("zed", "in the lab", "10.9.0.77"),
        ("zed", "writing an ssh config", "10.9.0.77"),
        ("listen_addr", "config", "127.0.0.1:8080"),
        ("listen_addr", "headscale config", "127.0.0.1:8080"),
        ("listen_addr", "in the helm chart", "127.0.0.1:8080"),
    ],
)
def test_a_context_that_tells_where_a_name_is_used_asks_for_nothing_else(
    resolve, term, context, value
):
    answer = resolve(term, context)
    assert (answer.outcome, [one.value for one in answer.values]) == ("resolved", [value])
