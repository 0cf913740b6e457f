"""What stands below an item of a list is the item's."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.conflicts import find_conflicts
from wellworn.domain.knowledge.facts import Fact, extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading


def said(text: str) -> list[Fact]:
    found = extract_facts(Reading(DocumentView(1, "s", "notes.md", None, text)))
    assert all(text[one.start : one.end] == one.value for one in found)
    assert all(text[one.snippet_start : one.snippet_end] == one.snippet for one in found)
    return found


def triples(text: str) -> set[tuple[str, str, str]]:
    return {(one.term, one.attribute, one.value) for one in said(text)}


SERVERS = """\
# Infra

## Servers

- {0}cube{0}
{1}- IP: 100.70.237.79
- {0}clifford{0}
{1}- IP: 5.161.97.53
"""


@pytest.mark.parametrize("mark", ["**", "`", ""])
@pytest.mark.parametrize("indent", ["  ", "    ", "\t"], ids=["two", "four", "tab"])
def test_a_value_below_an_item_is_of_what_the_item_names(mark, indent):
    text = SERVERS.format(mark, indent)
    told = triples(text)
    assert ("cube", "ip", "100.70.237.79") in told
    assert ("clifford", "ip", "5.161.97.53") in told
    assert {one[0] for one in told} == {"cube", "clifford"}
    assert find_conflicts(said(text)) == []


def test_an_item_of_plain_words_is_a_side_of_what_the_heading_names():
    told = triples(
        "# HDRPop\n\n- Production:\n  - Endpoint: https://a.example/api\n"
        "- Staging:\n  - Endpoint: https://b.example/api\n"
    )
    assert ("hdrpop", "production endpoint", "https://a.example/api") in told
    assert ("hdrpop staging", "endpoint", "https://b.example/api") in told
    assert "endpoint" not in {attribute for whose, attribute, _ in told if whose == "hdrpop"}


def test_below_an_item_that_names_nothing_the_heading_holds():
    told = triples("# HDRPop\n\n1. Log in to the console:\n   - URL: https://a.example/admin\n")
    assert told == {("hdrpop", "url", "https://a.example/admin")}


def test_a_bullet_of_other_programs_begins_an_item_and_a_rule_does_not():
    text = "# HDRPop\n\n## Servers\n\n- **cube**\n  - IP: 10.0.0.1\n\n* * *\n\n  IP: 10.0.0.2\n"
    told = triples(text)
    assert ("cube", "ip", "10.0.0.1") in told
    assert ("cube", "ip", "10.0.0.2") not in told
    assert triples(text.replace("- ", "\u2022 ")) == told


def test_an_item_ends_where_the_next_one_or_a_part_begins():
    told = triples(
        "# Infra\n\n## Servers\n\n- **cube**\n  - IP: 10.0.0.1\n\n## Kopia\n\n- IP: 10.0.0.2\n"
    )
    assert ("cube", "ip", "10.0.0.1") in told
    assert ("kopia", "ip", "10.0.0.2") in told
    assert ("cube", "ip", "10.0.0.2") not in told


def test_a_default_gateway_is_an_address_like_any_other():
    told = triples("# Acme\n\n- Default gateway: 10.0.0.1\n")
    assert told == {("acme", "default gateway", "10.0.0.1")}
