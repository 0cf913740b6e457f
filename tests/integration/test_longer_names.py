"""A fact belongs to the longest name that it is stated of, and no shorter name takes it."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving

DOCUMENTS = {
    "heron.md": "# Heron\n\nHeron is the billing service. Owner: Rolf. It runs on port 7001.\n",
    "heron-cache.md": "# Heron cache\n\nHeron cache keeps sessions.\n\n"
    "- Port: 6390\n- Memory: 2 GB\n",
    "heron-runbook.md": "# Heron runbook\n\nOwner: Rolf\n",
    "beacon.md": "# Beacon\n\nBeacon is the status page.\n\n- Owner: Maja\n\n"
    "## Beacon gateway\n\n| Field | Value |\n|---|---|\n| IP | 10.4.0.9 |\n| Owner | Tomas |\n",
    "lynx.md": "# Lynx database\n\nIt stores orders.\n\nLynx port: 8080\n",
    "stores.md": "# Stores\n\n## Wigeon primary\n\n- Version: 16.3\n\n## Wigeon replica\n\n"
    "- Host: wg-2.lan\n",
    "boxes.md": "# Boxes\n\n| Host | Role | Port |\n|---|---|---|\n"
    "| box-3 | Broker, Wheelhouse | 8883 |\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("longer"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("heron cache port", "6390"),
        ("heron-cache port", "6390"),
        ("port of the Heron Cache", "6390"),
        ("owner of heron?", "Rolf"),
        ("beacon owner", "Maja"),
        ("beacon gateway owner", "Tomas"),
        ("beacon-gateway ip", "10.4.0.9"),
        ("lynx port", "8080"),
    ],
)
def test_each_name_has_its_own_facts_by_all_its_spellings(resolve, term, value):
    answer = resolve(term)
    assert (answer.outcome, {each.value for each in answer.values}) == ("resolved", {value})


@pytest.mark.parametrize("term", ["heron port", "heron memory", "beacon ip", "lynx database port"])
def test_what_is_stated_of_another_name_is_not_told_of_one_that_begins_it(resolve, term):
    answer = resolve(term)
    assert answer.outcome == "not_stated"
    assert not {value.value for value in answer.values} & {"6390", "2 GB", "10.4.0.9", "8080"}


def test_what_is_quoted_is_of_the_name_that_is_asked_about(resolve):
    quotes = [quote.text for quote in resolve("heron port").evidence]
    assert "It runs on port 7001." in quotes[0]
    assert not any("6390" in quote for quote in quotes)
    assert not any("10.4.0.9" in quote.text for quote in resolve("beacon ip").evidence)


def test_a_name_that_only_begins_others_is_asked_back(resolve):
    labels = {candidate.label for candidate in resolve("Wigeon").candidates}
    assert labels == {"wigeon primary", "wigeon replica"}
    answer = resolve("which version of wigeon?")
    assert answer.outcome == "ambiguous"
    assert [candidate.label for candidate in answer.candidates] == ["wigeon primary"]


def test_a_name_with_a_typing_error_beside_another_one_is_asked_back(resolve):
    answer = resolve("adress of wheelhuose")
    assert answer.outcome == "unknown"
    answer = resolve("adress of beacno")
    assert [candidate.label for candidate in answer.candidates] == ["beacon"]


def test_a_blank_cell_states_nothing_and_no_other_row_does(tmp_path):
    table = (
        "# Machines\n\n| Machine | Tyre pressure | Plate | Driver |\n|---|---|---|---|\n"
        "| Gator | 1.1 bar | | Shona |\n| Gator trailer | 2.4 bar | KX 4471 | |\n"
    )
    with resolving(tmp_path, {"machines.md": table}) as resolve:
        answer = resolve("plate of the Gator")
        assert answer.is_silent
        assert not any("KX 4471" in quote.text for quote in answer.evidence)


def test_a_row_of_a_longer_name_is_not_quoted_for_a_shorter_one(tmp_path):
    documents = {
        "orion.md": "# Orion\n\nOrion is a microscope.\n\n- Contact: Sunil Pathak\n",
        "orion-mini.md": "# Orion mini\n\nA small one.\n\n| Field | Value |\n|---|---|\n"
        "| Camera | Kestrel M4 |\n",
    }
    with resolving(tmp_path, documents) as resolve:
        answer = resolve("What camera is on the Orion?")
        assert (answer.outcome, answer.is_silent) == ("not_stated", True)
        assert not any("Kestrel" in quote.text for quote in answer.evidence)
