"""Conflicts: places that disagree, and decisions that hold as long as their quotes do."""

from __future__ import annotations

from itertools import permutations

import pytest

from wellworn.domain.knowledge.conflicts import Conflict, Decision, find_conflicts, find_decision
from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading


def found(*texts: str) -> list[Conflict]:
    views = [
        DocumentView(number, "s", f"{number}.md", None, text) for number, text in enumerate(texts)
    ]
    return find_conflicts([fact for view in views for fact in extract_facts(Reading(view))])


def decided(conflict: Conflict, chosen: str | None) -> Decision:
    return Decision(conflict.term, conflict.attribute, conflict.fact_type, chosen, conflict.quotes)


ONE = "**cube** (10.0.0.5) - Home GPU server\n"
OTHER = "## Servers\n\n- cube: 10.0.0.6\n"


def test_two_addresses_of_one_host_are_a_conflict_with_both_quotes():
    [conflict] = found(ONE, OTHER)
    assert (conflict.term, conflict.fact_type) == ("cube", "ip")
    assert [fact.value for fact in conflict.candidates] == ["10.0.0.5", "10.0.0.6"]
    assert conflict.quotes == {"**cube** (10.0.0.5) - Home GPU server", "cube: 10.0.0.6"}


def test_two_addresses_of_one_host_in_one_document_are_a_conflict():
    assert len(found("cube: 10.0.0.5\ncube1: 10.0.0.7\n\ncube: 10.0.0.6\n")) == 1


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
    for chosen in ("10.0.0.5", None):
        decision = decided(conflict, chosen)
        [again] = found(ONE + "\nMore text.\n", "Text before.\n\n" + OTHER)
        assert find_decision(again, [decision]) == decision


def test_a_decision_is_open_again_when_a_quote_changes():
    [conflict] = found(ONE, OTHER)
    decision = decided(conflict, "10.0.0.5")
    [changed] = found(ONE, OTHER.replace("10.0.0.6", "10.0.0.7"))
    assert find_decision(changed, [decision]) is None
    [reworded] = found(ONE.replace("Home", "Office"), OTHER)
    assert find_decision(reworded, [decision]) is None
    [third] = found(ONE, OTHER, OTHER.replace("10.0.0.6", "10.0.0.8"))
    assert find_decision(third, [decision]) is None


def test_a_decision_for_a_value_that_is_gone_does_not_hold():
    third = OTHER.replace("10.0.0.6", "10.0.0.8")
    [conflict] = found(ONE, OTHER, third)
    [left] = found(ONE, OTHER)
    assert find_decision(left, [decided(conflict, "10.0.0.8")]) is None
    assert find_decision(left, [decided(conflict, "10.0.0.6")]) is not None


def test_a_decision_on_something_else_says_nothing():
    [conflict] = found(ONE, OTHER)
    other = Decision("clifford", "ip", "ip", "10.0.0.5", conflict.quotes)
    assert find_decision(conflict, [other]) is None
    first, last = decided(conflict, "10.0.0.5"), decided(conflict, "10.0.0.6")
    assert find_decision(conflict, [first, last]) == last


IN_ONE = "# Hosts\n\n## cube\n\n- IP: 10.0.0.5\n"
IN_TWO = "# Servers\n\n- **cube** (100.70.237.79)\n"
NOTE = "cube answers at {}\n"


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
