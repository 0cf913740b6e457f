"""The other names that a note gives itself in its front matter resolve to it."""

from __future__ import annotations

import pytest

from integration.knowledge_world import resolving

DOCUMENTS = {
    "acronyms.md": '---\naliases: [EAfE, "Expanded Acronyms"]\n---\n'
    "# Everyone's acronyms\n\nThe acronym office keeps the list of short names.\n",
    "crane.md": "---\naliases:\n  - big bird\n---\n# Crane 7\n\nCrane 7 lifts the boats.\n",
    "hopper.md": "---\naliases: the grey hopper\n---\n# Hopper 7\n\n- IP: 10.9.9.7\n",
    "kiln.md": "---\nalias: oven\n---\n# Kiln\n\nThe kiln fires clay.\n",
}


@pytest.fixture(scope="module")
def resolve(tmp_path_factory):
    with resolving(tmp_path_factory.mktemp("others"), DOCUMENTS) as resolve:
        yield resolve


@pytest.mark.parametrize(
    ("term", "path"),
    [
        ("EAfE", "acronyms.md"),
        ("Expanded Acronyms", "acronyms.md"),
        ("big bird", "crane.md"),
        ("oven", "kiln.md"),
        ("the grey hopper", "hopper.md"),
        ("grey hopper", "hopper.md"),
    ],
)
def test_an_alias_resolves_to_its_note(resolve, term, path):
    answer = resolve(term)
    assert answer.outcome == "resolved"
    assert path in answer.canonical
