"""Whose value it is: an option's within the item of another, a role's, or whose role it is."""

from __future__ import annotations

from wellworn.domain.knowledge.facts import extract_facts, find_labels
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


def test_rows_with_one_name_are_told_apart_by_their_second_column():
    head = "# Ink\n\n| Cluster | App | Port |\n|---|---|---|\n"
    rows = "| ink-1 | pump | 9505 |\n| ink-1 | valve | 9506 |\n| ink-2 | pump | 9507 |\n"
    stated = list_stated(head + rows)
    assert {
        ("ink-1", "pump port", "9505"),
        ("ink-1", "valve port", "9506"),
        ("ink-2", "port", "9507"),
    } <= stated
    twice = list_stated(f"{head}{rows}| ink-1 | pump | 9508 |\n")
    assert not {value for _, _, value in twice} & {"9505", "9508"}
    values = list_stated(head.replace("App", "IP") + rows.replace("pump", "10.1.0.1"))
    assert ("ink-1", "ip", "10.1.0.1") in values


def test_a_plain_heading_below_no_name_is_no_thing():
    text = "# Keep it\n\n## Retries\n\n- Port: 9505\n\n## Ink-2\n\n- Port: 9506\n"
    assert {whose for whose, _, _ in list_stated(text)} == {"ink-2"}


def test_what_describes_another_thing_in_nearly_each_of_many_documents_is_a_label():
    def list_labels(documents: int, *sayings: str) -> set[str]:
        views = [
            DocumentView(number, "ink", f"{number}.md", None, f"# Ink\n\n- **IR-1** - {said}\n")
            for number in range(documents)
            for said in [sayings[number % len(sayings)]]
        ]
        return find_labels(fact for view in views for fact in extract_facts(Reading(view)))

    own = [f"the pump of hall {number} is painted" for number in range(8)]
    assert list_labels(8, *own) == {"ir1"}
    assert list_labels(8, *own[:2]) == set()
    assert list_labels(5, *own) == set()


def test_what_a_heading_numbers_owns_what_headings_that_divide_say():
    stated = list_stated(
        "# Inventory\n\n### VM 105 - inkwell\n\n#### Identity\n\n- IP: 10.0.5.105\n\n"
        "### VM 106 - gpu-box\n\n#### Identity\n\n- IP: 10.0.5.106\n"
    )
    assert stated == {("inkwell", "ip", "10.0.5.105"), ("gpu-box", "ip", "10.0.5.106")}


def test_a_heading_that_divides_is_no_thing_below_one_without_a_name():
    text = "# Inventory\n\n## Identity\n\n- IP: 10.0.5.1\n"
    assert list_stated(text) == set()
