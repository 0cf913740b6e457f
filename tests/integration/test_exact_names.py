"""The resolver takes no name for another one, however alike a stemmer finds them."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced

DOCUMENTS = {
    "network.md": (
        "# Network\n\n| Host | IP |\n|---|---|\n| mar | 10.0.0.1 |\n| mars | 10.0.0.2 |\n"
        "| node-1 | 10.0.1.1 |\n| node-11 | 10.0.1.11 |\n| home-assistant | 10.0.2.1 |\n"
    ),
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exact-names")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", DOCUMENTS)
        yield lambda term: app.resolve(access, term)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("mar", "10.0.0.1"),
        ("mars", "10.0.0.2"),
        ("node-1", "10.0.1.1"),
        ("Node 11", "10.0.1.11"),
        ("Home Assistant", "10.0.2.1"),
        ("HomeAssistant", "10.0.2.1"),
    ],
)
def test_a_name_brings_the_values_of_its_own_thing(resolve, name, address):
    answer = resolve(name)
    assert answer.outcome == "resolved"
    assert [value.value for value in answer.values] == [address]


def test_what_is_only_alike_is_no_name(resolve):
    assert resolve("node-1s").values == ()
