"""What stands beside a value in its cell, item or setting is stated with it."""

from __future__ import annotations

import pytest
from tests.growth import is_in_proportion

from wellworn.domain.knowledge.conflicts import normalize_value
from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading

CELL = "| Host | {name} | Rack |\n|---|---|---|\n| larch | {value} | 4 |\n"
HTML = (
    "<table><tr><th>Host</th><th>{name}</th></tr><tr><td>larch</td><td>{value}</td></tr></table>\n"
)
ITEM = "# larch\n\n- {name}: {value}\n"
FIELD = "# larch\n\n**{name}**: {value}\n"
PAIR = "# larch\n\n| Setting | Value |\n|---|---|\n| {name} | {value} |\n"
EVERYWHERE = pytest.mark.parametrize(
    "form", [CELL, HTML, ITEM, FIELD, PAIR], ids=["cell", "html", "item", "field", "pair"]
)


def stated(text, path="notes.md"):
    reading = Reading(DocumentView(7, "mytech", path, None, text))
    facts = extract_facts(reading)
    assert all(text[fact.start : fact.end] == fact.value for fact in facts)
    return {(fact.term, fact.attribute, fact.value) for fact in facts}


@EVERYWHERE
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("IP", "10.4.4.1 (old)"),
        ("IP", "10.4.4.2 → 10.4.4.3"),
        ("IP", "10.4.4.2 -> 10.4.4.3"),
        ("IP", "10.4.4.2 > 10.4.4.3"),
        ("IP", "10.4.4.8?"),
        ("IP", "10.4.4.11 (planned)"),
        ("IP", "10.4.4.9 or 10.4.4.10"),
        ("IP", "10.4.4.9, 10.4.4.10 (both gone)"),
        ("IP", "10.4.4.9 (10.4.4.10)"),
        ("IP", "`10.4.4.9` stillgelegt"),
        ("Port", "22→2222"),
        ("Port", "22, 2222 (planned)"),
        ("Version", "1.2 (beta)"),
        ("URL", "https://larch.example.org/x (moved)"),
        ("Hostname", "larch.example.org?"),
    ],
)
def test_a_value_that_its_field_qualifies_is_stated_with_all_that_it_says(form, name, value):
    found = stated(form.format(name=name, value=value))
    assert {said for _, called, said in found if called == name.casefold()} == {value}


@EVERYWHERE
@pytest.mark.parametrize(
    ("value", "bare"),
    [
        ("**10.4.4.1**", {"10.4.4.1"}),
        ("`10.4.4.1`", {"10.4.4.1"}),
        ("10.4.4.1, `10.4.4.2`", {"10.4.4.1", "10.4.4.2"}),
        ("10.4.4.1 / 10.4.4.2", {"10.4.4.1", "10.4.4.2"}),
        ("10.4.4.1.", {"10.4.4.1"}),
    ],
)
def test_what_a_field_says_alone_is_stated_bare(form, value, bare):
    found = stated(form.format(name="IP", value=value))
    assert {said for _, name, said in found if name == "ip"} == bare


def test_words_before_a_value_make_it_a_description():
    text = "## Servers\n\n- cube: formerly GPU server at 100.70.237.79, sold\n"
    assert stated(text) == {("cube", "", "formerly GPU server at 100.70.237.79, sold")}


def test_what_goes_on_in_the_next_line_belongs_to_the_value():
    assert stated("# larch\n\n- IP: 10.4.4.1\n  (east wing)\n") == {
        ("larch", "ip", "10.4.4.1\n  (east wing)")
    }


def test_a_setting_is_stated_whole():
    text = "```yaml\nservices:\n  larch:\n    ip: 10.4.4.1 (old)\n    image: larch:2\n```\n"
    assert ("larch", "ip", "10.4.4.1 (old)") in stated(text, "compose.yml")


def test_what_stands_in_brackets_behind_a_name_is_part_of_it():
    table = "| Host | IP (LAN) | RAM (GB) |\n|---|---|---|\n| larch | 10.4.4.1 | 16 |\n"
    assert stated(table) == {("larch", "ip (lan)", "10.4.4.1"), ("larch", "ram (gb)", "16")}
    assert stated("# larch\n\n- IP (old): 10.4.4.1\n") == {("larch", "ip (old)", "10.4.4.1")}
    pairs = "# larch\n\n| Setting | Value |\n|---|---|\n| IP (old) | 10.4.4.1 |\n"
    assert stated(pairs) == {("larch", "ip (old)", "10.4.4.1")}


OWNERS = """| Host | Owner | Deputy |
|---|---|---|
| larch | Zoe | vacant |
| cedar | vacant | k.A. |
| aspen | k.A. | Mia |
| maple | — | tbd |
| birch | Tweed Pumps | Zoe |
| alder | Mia | Zoe |
| elm | Mia | Mia |
"""


def test_in_a_column_of_names_what_is_written_small_is_none():
    assert stated(OWNERS) == {
        *(("larch", "owner", "Zoe"), ("aspen", "deputy", "Mia")),
        *(("birch", "owner", "Tweed Pumps"), ("birch", "deputy", "Zoe")),
        *(("alder", "owner", "Mia"), ("alder", "deputy", "Zoe")),
        *(("elm", "owner", "Mia"), ("elm", "deputy", "Mia")),
    }


def test_a_column_of_words_states_each_as_it_stands():
    table = "| Host | Zone |\n|---|---|\n| larch | Green |\n| cedar | Green |\n| elm | quiet |\n"
    assert ("elm", "zone", "quiet") in stated(table)
    assert ("larch", "owner", "k.A.") in stated("# larch\n\n- Owner: k.A.\n")


@pytest.mark.parametrize(
    ("value", "kind", "key"),
    [
        ("10.4.4.1 (old)", "ip", "10.4.4.1"),
        ("10.4.4.1:443 (tcp)", "ip", "10.4.4.1:443"),
        ("22→2222", "port", "22"),
        ("80/tcp", "port", "80"),
        ("larch.example.org?", "hostname", "larch.example.org"),
    ],
)
def test_values_are_compared_by_what_they_lead_with(value, kind, key):
    assert normalize_value(value, kind) == normalize_value(key, kind)


@pytest.mark.parametrize("piece", ["10.4.4.1 ", "10.4.4.1, ", "10.4.4.1 (", "[", "](", "<a ", "`"])
def test_reading_a_field_takes_no_longer_than_its_length(piece):
    def make(times):
        return CELL.format(name="IP", value=piece * times)

    assert is_in_proportion(stated, make, 1_000)
