"""Questions after one value: the value with its place, "not stated", or the one question to ask."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call

INVENTORY = """\
# Inventory

## Servers

| Host | IP | Data IP | Gateway | Port | OS |
|---|---|---|---|---|---|
| kasm-01 | 10.0.0.21 | 10.1.0.21 | 10.0.0.1 | 8443 | Debian 12 |
| cube | 10.0.0.22 | 10.1.0.22 | 10.0.0.1 | 9000 | Ubuntu 24.04 |
"""
DOCUMENTS = {
    "inventory.md": INVENTORY,
    "kasm.md": "# kasm-01\n\nkasm-01 is the desktop server.\n\nIts serial number is on the lid.\n",
    "lamp.md": "# Lights\n\n## Frobnitz lamp\n\nIt burns oil.\n\nIts port is said to be 77.\n",
    "moved.md": "# Moved\n\n## Servers\n\n- **cube** (10.9.9.9) - the GPU server.\n",
    "ports.md": "# Many\n\n## borea\n\n"
    + "".join(f"- URL: https://s{n}.example/{'y' * 120}\n" for n in range(40)),
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    with opened(folder / "home") as app:
        access = local(app)
        synced(app, access, folder / "docs", DOCUMENTS)

        def resolve(term, context=""):
            answer = app.resolve(access, term, context=context)
            for quote in [*answer.evidence, *(value.evidence for value in answer.values)]:
                text = call(app, "document")(access, quote.document_id).text
                assert text[quote.start : quote.end] == quote.text
            return answer

        yield resolve


def values(answer):
    return [value.value for value in answer.values]


@pytest.mark.parametrize(
    ("term", "context", "expected"),
    [
        ("kasm-01 IP address", "", ["10.0.0.21"]),
        ("what is the ip of KASM 01?", "", ["10.0.0.21"]),
        ("kasm-01 data ip", "", ["10.1.0.21"]),
        ("kasm-01", "which port?", ["8443"]),
        ("default gateway of kasm-01", "", ["10.0.0.1"]),
        ("kasm-01 ssh", "", ["10.0.0.21"]),
        ("kasm-01 operating system", "", ["Debian 12"]),
    ],
)
def test_the_value_that_is_asked_for_is_answered_alone(resolve, term, context, expected):
    answer = resolve(term, context)
    assert (answer.outcome, answer.found_by) == ("resolved", "facts")
    assert values(answer) == expected
    assert answer.term == term


def test_what_no_document_states_of_a_known_thing_is_told_so_with_what_is_known(resolve):
    answer = resolve("kasm-01 retention")
    assert answer.outcome == "not_stated"
    assert "10.0.0.21" in values(answer)
    assert "retention" in (answer.question or "")


def test_lines_that_speak_of_both_are_quoted_where_no_fact_is_sure(resolve):
    answer = resolve("what is the serial number of kasm-01?")
    assert answer.outcome == "not_stated"
    assert answer.evidence[0].text == "Its serial number is on the lid."


def test_a_conflict_blocks_only_the_attribute_it_is_about(resolve):
    assert resolve("cube ip").outcome == "ambiguous"
    assert resolve("cube").outcome == "ambiguous"
    answer = resolve("cube port")
    assert (answer.outcome, values(answer)) == ("resolved", ["9000"])


def test_an_answer_is_bounded_and_tells_how_much_more_there_is(resolve):
    answer = resolve("borea")
    assert 0 < len(answer.values) <= 10
    quotes = {quote.text for quote in answer.evidence}
    quotes |= {value.evidence.text for value in answer.values}
    assert sum(map(len, quotes)) <= 2_000
    assert len(answer.values) + answer.more_values == 40


def test_a_misspelt_name_is_asked_about_and_never_taken_for_another(resolve):
    for term in ("borrea", "what is the url of borrea?"):
        answer = resolve(term)
        assert (answer.outcome, answer.values) == ("ambiguous", ())
        assert [candidate.label for candidate in answer.candidates] == ["borea"]
    assert resolve("kasm-02 ip").outcome == "unknown"


def test_a_value_of_what_only_search_finds_is_quoted_at_most(resolve):
    answer = resolve("what is the port of the frobnitz lamp?")
    assert (answer.outcome, answer.values) == ("not_stated", ())
    assert answer.evidence[0].text == "Its port is said to be 77."


def test_a_thing_that_is_nowhere_has_no_values_whatever_is_asked(resolve):
    answer = resolve("what is the ip of zanzibar?")
    assert (answer.outcome, answer.values) == ("unknown", ())
