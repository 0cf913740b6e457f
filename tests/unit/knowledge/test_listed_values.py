"""What a list below a name states is a value of it, whatever the list calls it."""

from __future__ import annotations

import pytest

from wellworn.domain.knowledge.claims import DETAIL
from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading


def list_details(text: str) -> set[tuple[str, str, str]]:
    reading = Reading(DocumentView(1, "docs", "notes.md", None, text))
    facts = extract_facts(reading)
    return {(fact.term, fact.attribute, fact.value) for fact in facts if fact.fact_type == DETAIL}


@pytest.mark.parametrize(
    ("line", "attribute", "value"),
    [
        ("- Flow: 18 m³/h", "flow", "18 m³/h"),
        ("**Rack**: 4", "rack", "4"),
        ("* **Serviced by:** Tweed Pumps", "serviced by", "Tweed Pumps"),
        ("- Seal: carbon", "seal", "carbon"),
        ("- Rate limit: 90 strokes per minute", "rate limit", "90 strokes per minute"),
    ],
)
def test_a_line_of_a_list_states_a_value_of_what_it_stands_below(line, attribute, value):
    [(term, called, stated)] = list_details(f"# Mossbank pump\n\n{line}\n")
    assert (term, called) == ("mossbank pump", attribute)
    assert stated.startswith(value)


@pytest.mark.parametrize(
    "line",
    [
        "- Note: restart it",
        "- Important: check the seal twice",
        "- Integrations: Custom adapters",
        "- If it stalls: wait",
        "- Reason: remained running and unchanged",
        "- Last updated: 2026-08-14",
        "- Manual: see below",
        "- 8: AUTO",
        "- name: silo 1",
        "- Flow: it is 18 m³/h",
        "Flow: 18 m³/h",
    ],
)
def test_a_remark_an_order_and_half_a_sentence_state_nothing(line):
    assert list_details(f"# Mossbank pump\n\n{line}\n") == set()


def test_below_a_heading_of_plain_words_it_is_nobodys():
    assert list_details("## Settings\n\n- Flow: 18 m³/h\n") == set()
