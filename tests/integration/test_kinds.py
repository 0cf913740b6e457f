"""Asking for a thing by its kind: the one there is, or the question which one is meant."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving

DOCUMENTS = {
    # The head of a column says what the rows are.
    "kilns.md": "# Workshop\n\n| Kiln | Limit | Panel |\n|---|---|---|\n"
    "| Big Bertha | 1280 C | 10.4.0.11 |\n| Raku-2 | 1000 C | 10.4.0.12 |\n",
    "loom.md": "# Weaving\n\n| Loom | Width |\n|---|---|\n| LM-7 | 120 cm |\n",
    # A heading of many says what is listed below it.
    "office.md": "# Second floor\n\n## Scanners\n\n- **Front desk**: 10.4.1.5\n"
    "- **Archive corner**\n  - IP: 10.4.1.6\n\n## Franking machines\n\n### Pitney P-4\n\n"
    "- IP: 10.4.1.9\n",
    # A column says it of its rows.
    "hosts.md": "# Hosts\n\n| Name | Role | IP |\n|---|---|---|\n"
    "| wren-1 | DNS server | 10.4.2.1 |\n| wren-2 | mail server, relay | 10.4.2.2 |\n\n"
    "| Name | Type | IP |\n|---|---|---|\n| wren-3 | Jukebox | 10.4.2.3 |\n",
    "roles.md": "# More\n\n| Name | Role | IP |\n|---|---|---|\n"
    "| heron-1 | mail server | 10.4.3.1 |\n"
    "| heron-2 | backup of heron-1 | 10.4.3.2 |\n",
    # None of these says of which kind anything is.
    "settings.md": "# gizmo\n\n| Parameter | Type | Default |\n|---|---|---|\n"
    "| `gizmo_rate` | gadget | 5 |\n\n## Advantages\n\n- **Fast**: see 10.9.9.9\n\n"
    "## Example devices\n\n| Whatsit | IP |\n|---|---|\n| zed-1 | 10.9.9.8 |\n\n"
    "| Doodad | Meaning |\n|---|---|\n| It is a whole sentence. | no |\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("kinds"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(
    ("term", "context", "labels"),
    [
        ("the kiln", "", {"big bertha", "raku-2"}),
        ("kilns", "", {"big bertha", "raku-2"}),
        ("the kiln", "what is its limit?", {"big bertha limit: 1280 C", "raku-2 limit: 1000 C"}),
        ("our scanner", "", {"front desk", "archive corner"}),
        (
            "what is the panel of the kiln?",
            "",
            {"big bertha panel: 10.4.0.11", "raku-2 panel: 10.4.0.12"},
        ),
        ("the mail server", "", {"wren-2", "heron-1"}),
        ("the server", "", {"wren-1", "wren-2", "heron-1"}),
    ],
)
def test_a_kind_of_which_there_are_several_is_asked_about(resolve, term, context, labels):
    answer = resolve(term, context)
    assert (answer.outcome, {one.label for one in answer.candidates}) == ("ambiguous", labels)
    assert all(one.citation and one.summary for one in answer.candidates)


@pytest.mark.parametrize("term", ["the backup kiln", "the backup loom"])
def test_nothing_is_meant_by_a_word_beside_a_kind_that_is_said_of_none(resolve, term):
    answer = resolve(term)
    assert answer.outcome in {"unknown", "not_stated"}
    assert (answer.values, answer.candidates) == ((), ())


@pytest.mark.parametrize(
    ("term", "context", "values"),
    [
        ("the loom", "", ["120 cm"]),
        ("what is the width of the loom?", "", ["120 cm"]),
        ("what is the ip of the franking machine?", "", ["10.4.1.9"]),
        ("the franking machine", "ip address", ["10.4.1.9"]),
        ("the DNS server", "ip address", ["10.4.2.1"]),
        ("our jukebox", "which ip?", ["10.4.2.3"]),
    ],
)
def test_the_one_thing_of_a_kind_is_meant(resolve, term, context, values):
    answer = resolve(term, context)
    assert (answer.outcome, [value.value for value in answer.values]) == ("resolved", values)


@pytest.mark.parametrize(
    "term",
    ["the parameter", "the gadget", "the advantage", "the whatsit", "the doodad", "the role"],
)
def test_what_divides_a_text_or_shows_an_example_is_no_kind(resolve, term):
    answer = resolve(term)
    assert (answer.outcome == "resolved", answer.values) == (False, ())
    assert not {"gizmo_rate", "fast", "zed-1"} & {one.label for one in answer.candidates}
