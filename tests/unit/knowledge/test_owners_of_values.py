"""Whose value it is: an option's within the item of another, a role's, or whose role it is."""

from __future__ import annotations

from wellworn.domain.knowledge.facts import extract_facts
from wellworn.domain.knowledge.views import DocumentView, Reading

CONTACTS = """\
# Ink works

## Phones

| Role | Name | Phone | Email |
|---|---|---|---|
| Head of inks | Clara Voss | +49 30 5550 101 | clara@ink.example |
| Night watch | the guards | +49 30 5550 102 | watch@ink.example |
"""


def list_stated(text: str) -> set[tuple[str, str, str]]:
    reading = Reading(DocumentView(7, "ink", "notes.md", None, text))
    return {(fact.term, fact.attribute, fact.value) for fact in extract_facts(reading)}


def test_an_option_within_the_item_of_another_keeps_its_default():
    stated = list_stated("# Ink\n\n- `ink-lid`\n  - `lid-seal` closes it.\n    Default: `4`\n")
    assert ("lid-seal", "default", "4") in stated
    assert "ink-lid" not in {whose for whose, _, _ in stated}


def test_a_table_of_contacts_tells_of_roles():
    stated = list_stated(CONTACTS)
    assert {
        ("head of inks", "phone", "+49 30 5550 101"),
        ("head of inks", "name", "Clara Voss"),
        ("night watch", "email", "watch@ink.example"),
    } <= stated
    assert "clara voss" not in {whose for whose, _, _ in stated}


def test_a_phrase_is_a_name_only_where_the_column_says_that_it_names():
    elsewhere = list_stated(CONTACTS.replace("| Role |", "| Matter |").replace("Phones", "Notes"))
    assert "head of inks" not in {whose for whose, _, _ in elsewhere}
