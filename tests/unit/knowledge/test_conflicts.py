"""Conflicts: places that disagree, and decisions that hold as long as their quotes do."""

from __future__ import annotations

from itertools import permutations

import pytest

from wellworn.domain.knowledge.conflicts import Conflict, find_conflicts, normalize_value
from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading


def found(*texts: str) -> list[Conflict]:
    views = [
        DocumentView(number, "s", f"{number}.md", None, text) for number, text in enumerate(texts)
    ]
    return find_conflicts([fact for view in views for fact in extract_facts(Reading(view))])


ONE = "**cube** (10.0.0.5) - Home GPU server\n"
OTHER = "## Servers\n\n- cube: 10.0.0.6\n"


def test_two_addresses_of_one_host_are_a_conflict_with_both_quotes():
    [conflict] = found(ONE, OTHER)
    assert (conflict.term, conflict.fact_type) == ("cube", "ip")
    assert [fact.value for fact in conflict.candidates] == ["10.0.0.5", "10.0.0.6"]
    assert conflict.quotes == {"**cube** (10.0.0.5) - Home GPU server", "cube: 10.0.0.6"}


def test_two_addresses_of_one_host_in_one_document_are_a_conflict():
    assert len(found("cube: 10.0.0.5\ncube1: 10.0.0.7\n\ncube: 10.0.0.6\n")) == 1


@pytest.mark.parametrize(
    ("fact_type", "value", "other"),
    [
        ("port", "443", "https"),
        ("port", "53", "53/udp"),
        ("hostname", "ha.lan.example.com", "HA.lan.example.com."),
        ("detail", "2 GB", "2048 MB"),
        ("detail", "90 s", "1.5 minutes"),
    ],
)
def test_spellings_of_one_value_are_equal(fact_type, value, other):
    assert normalize_value(value, fact_type) == normalize_value(other, fact_type)
    assert normalize_value(f"7{value}", fact_type) != normalize_value(value, fact_type)


def test_quantities_that_mean_the_same_are_no_conflict():
    some, others, third = (
        f"# Umami\n\n- Timeout: {value}\n" for value in ("90 s", "1.5 minutes", "95 s")
    )
    assert found(some, third)
    assert found(some, others) == []


def test_the_same_value_said_twice_is_none():
    assert found(ONE, OTHER.replace("10.0.0.6", "10.0.0.5")) == []
    one, other = (
        f"# Umami\n\n- URL: {url}\n" for url in ("https://A.example", "https://a.example/")
    )
    assert found(one, other) == []


def test_different_descriptions_are_none():
    assert found("**cube** - Home GPU server", "**cube** - Runs all the models") == []


def test_values_of_different_names_are_none():
    assert (
        found("# Umami\n\n- Public URL: https://a.example\n- Admin URL: https://b.example\n") == []
    )
    assert found("# Umami\n\n- LAN IP: 10.0.0.5\n- VPN IP: 10.1.0.5\n") == []


def test_the_same_name_in_different_parts_is_of_different_things():
    text = "# HDRPop\n\n## {} API\n\n- Endpoint: https://hdrpop.com/{}\n"
    assert found(text.format("Analytics", "a"), text.format("Admin", "b")) == []


@pytest.mark.parametrize("name", ["Email", "URL", "Path"])
def test_documents_may_name_several_of_what_there_can_be_several(name):
    values = {"Email": "{}@a.example", "URL": "https://{}.example", "Path": "/srv/{}"}
    texts = [f"# Umami\n\n- {name}: {values[name].format(word)}\n" for word in ("one", "two")]
    assert found(*texts) == []


def test_a_list_that_holds_the_others_value_does_not_disagree():
    text = "# Umami\n\n- URL: https://a.example, https://b.example\n"
    assert found(text, "# Umami\n\n- URL: https://b.example\n") == []


def test_a_disagreement_is_told_once_though_several_terms_share_it():
    text = "# HDRPop\n\n## Analytics API\n\n- Endpoint: https://hdrpop.com/{}\n"
    [conflict] = found(text.format("a"), text.format("b"))
    assert (conflict.term, conflict.attribute) == ("hdrpop", "analytics api endpoint")


def test_the_order_of_facts_makes_no_difference():
    views = [DocumentView(n, "s", f"{n}.md", None, text) for n, text in enumerate((ONE, OTHER))]
    stated = [fact for view in views for fact in extract_facts(Reading(view))]
    assert len({repr(find_conflicts(order)) for order in permutations(stated)}) == 1


def test_a_decision_holds_again_after_a_sync_that_changes_nothing():
    [conflict] = found(ONE, OTHER)
    [again] = found(ONE + "\nMore text.\n", "Text before.\n\n" + OTHER)
    for chosen in ("10.0.0.5", "both"):
        assert again.is_settled(chosen, conflict.quotes)
    assert not again.is_settled(None, conflict.quotes)


def test_a_decision_is_open_again_when_a_quote_changes():
    [conflict] = found(ONE, OTHER)
    [changed] = found(ONE, OTHER.replace("10.0.0.6", "10.0.0.7"))
    [reworded] = found(ONE.replace("Home", "Office"), OTHER)
    [third] = found(ONE, OTHER, OTHER.replace("10.0.0.6", "10.0.0.8"))
    for other in (changed, reworded, third):
        assert not other.is_settled("10.0.0.5", conflict.quotes)


def test_a_decision_for_a_value_that_is_gone_does_not_hold():
    third = OTHER.replace("10.0.0.6", "10.0.0.8")
    [conflict] = found(ONE, OTHER, third)
    [left] = found(ONE, OTHER)
    assert not left.is_settled("10.0.0.8", conflict.quotes)
    assert left.is_settled("10.0.0.6", conflict.quotes)


IN_ONE = "# Hosts\n\n## cube\n\n- IP: 10.0.0.5\n"
IN_TWO = "# Servers\n\n- **cube**: 100.70.237.79\n"
NOTE = "cube: {}\n"


def list_disputed(note: str) -> list[tuple[str, set[str]]]:
    texts = [(1, "one", IN_ONE), (2, "two", IN_TWO), (3, "note", NOTE.format(note))]
    views = [DocumentView(number, source, "a.md", None, text) for number, source, text in texts]
    facts = [fact for view in views for fact in extract_facts(Reading(view))]
    disputes = find_conflicts(facts, {1: "one", 2: "two", 3: ""})
    return [
        (each.place, {fact.value for fact in each.candidates})
        for each in sorted(disputes, key=lambda each: each.place)
    ]


def test_a_note_that_agrees_with_no_source_disagrees_with_each():
    assert list_disputed("100.70.237.80") == [
        ("one", {"10.0.0.5", "100.70.237.80"}),
        ("two", {"100.70.237.79", "100.70.237.80"}),
    ]


@pytest.mark.parametrize("address", ["10.0.0.5", "100.70.237.79"])
def test_a_note_that_agrees_with_a_source_is_of_its_namesake(address):
    assert list_disputed(address) == []


def list_between(one: str, two: str) -> list[tuple[str, str, set[str]]]:
    views = [DocumentView(1, "one", "a.md", None, one), DocumentView(2, "two", "b.md", None, two)]
    facts = [fact for view in views for fact in extract_facts(Reading(view))]
    return [
        (each.place, each.attribute, {fact.value for fact in each.candidates})
        for each in find_conflicts(facts, {1: "one", 2: "two"})
    ]


HOST = "# Hosts\n\n## cube\n\n- IP: {}\n- OS: {}\n- Port: {}\n"


def test_sources_that_speak_of_one_machine_contradict_each_other():
    one, two = HOST.format("10.0.0.5", "Debian 12", 80), HOST.format("10.0.0.5", "Ubuntu 24", 80)
    assert list_between(one, two) == [("one & two", "os", {"Debian 12", "Ubuntu 24"})]


def test_a_name_is_given_once_in_a_network():
    one, two = HOST.format("10.0.0.5", "Debian 12", 80), HOST.format("10.0.0.6", "Debian 12", 80)
    assert list_between(one, two) == [("one & two", "ip", {"10.0.0.5", "10.0.0.6"})]


def test_namesakes_of_two_sources_that_have_nothing_in_common_are_two_things():
    one, two = HOST.format("10.0.0.5", "Debian 12", 80), HOST.format("10.9.0.5", "Ubuntu 24", 81)
    assert list_between(one, two) == []
    local = HOST.format("127.0.0.1", "Debian 12", 80)
    assert list_between(local, HOST.format("127.0.0.1", "Ubuntu 24", 81)) == []


def test_what_contradicts_within_a_source_is_told_once():
    one = HOST.format("10.0.0.5", "Debian 12", 80) + "\n## Servers\n\n- cube: 10.0.0.7\n"
    two = HOST.format("10.0.0.6", "Debian 12", 80)
    assert len(list_between(one, two)) == 1


def list_in(paths: dict[str, str]) -> list[str]:
    views = [
        DocumentView(number, "s", path, None, text)
        for number, (path, text) in enumerate(paths.items())
    ]
    facts = [fact for view in views for fact in extract_facts(Reading(view))]
    return [
        conflict.term
        for conflict in find_conflicts(facts, paths={view.id: view.path for view in views})
    ]


@pytest.mark.parametrize(
    ("value", "other"),
    [("Debian 12", "Debian GNU/Linux 12.5 (bookworm)"), ("4 GiB", "4 GiB at most"), ("9", "9")],
)
def test_a_value_that_says_less_of_the_same_is_no_other(value, other):
    text = "# Hosts\n\n## cube\n\n- OS: {}\n"
    assert found(text.format(value), text.format(other)) == []
    assert len(found(text.format(value), text.format("Plan Nine"))) == 1


def test_rows_that_begin_alike_are_of_several_things():
    head = "# Disks\n\n| Host | Device | Model |\n|---|---|---|\n"
    rows = "| cube | sda | Frob 1 |\n| cube | sdb | Zork 2 |\n"
    assert found(f"{head}{rows}") == []
    again = "# Tables\n\n| Host | Model |\n|---|---|\n| cube | {} |\n| clifford | Zork 2 |\n"
    assert len(found(again.format("Frob 1"), again.format("Frob 9"))) == 1


def test_what_is_listed_in_one_line_is_not_one_of_its_values():
    text = "# Umami\n\n- Hostname: {}\n"
    assert found(text.format("a.example.com, b.example.com"), text.format("c.example.com")) == []


def test_a_label_of_counterparts_is_of_each_another_thing():
    text = "# Spec\n\n- MQTT port: {}\n"
    assert list_in({"a/SPEC.md": text.format(1), "b/SPEC.md": text.format(2)}) == []
    assert list_in({"n/mqtt/SPEC.md": text.format(1), "b/SPEC.md": text.format(2)}) == ["mqtt"]
    assert list_in({"a/SPEC.md": text.format(1), "a/ports.md": text.format(2)}) == ["mqtt"]


def test_what_each_document_says_otherwise_is_a_label():
    text = "# {0}\n\n- Zorblex version: {0}.1\n"
    assert found(*(text.format(number) for number in range(4))) == []


def test_addresses_that_every_machine_has_are_nobodys():
    assert found("**cube** (0.0.0.0) - GPU server\n", "**cube** (127.0.0.1) - GPU server\n") == []


def test_numbered_files_that_give_one_host_two_addresses_of_a_network_disagree():
    text = "# Hosts\n\n## Servers\n\n| Host | IP |\n|---|---|\n| kite-1 | {} |\n"
    one, other = text.format("10.0.0.5"), text.format("10.0.0.6")
    assert list_in({"conf1.md": one, "conf2.md": other}) == ["kite-1"]
    elsewhere = text.format("10.0.9.6")
    assert list_in({"site1.md": one, "site2.md": elsewhere}) == []
    assert list_in({"a/conf1.md": one, "b/conf2.md": other}) == []
    one, other = text.format("2001:db8:1::1"), text.format("2001:db8:2::1")
    assert list_in({"site1.md": one, "site2.md": other}) == []


def test_numbered_files_about_a_thing_each_have_parts_of_one_name():
    text = "# node{0}\n\n- IP: 10.0.0.{0}\n\n## Links\n\n- idrac-9: 10.0.0.2{0}\n"
    paths = {f"node{number}.md": text.format(number) for number in (1, 2)}
    assert list_in(paths) == []
