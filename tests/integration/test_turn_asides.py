"""What a turn keeps, what it looks for and where, in small sentences about things and people."""

from __future__ import annotations

import pytest

from integration.turn_world import READ_LAPTOP
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.profile import FACTS, list_lines


def test_without_a_search_engine_it_is_said_that_nothing_was_searched_on_the_web(person):
    reply = person.ask("How tall is the tower of Pisa?")
    results = person.read(reply, "toolresults.md")
    research = results.partition("internet.research")[2]
    assert "Nothing was searched on the web, as no search engine is configured" in research
    assert "**Outcome:** SUCCESS" not in research


@pytest.mark.parametrize("said", ["I work in California.", "I work at Acme.", "I work as a diver."])
def test_where_somebody_works_is_kept_and_not_searched_for(person, said):
    reply = person.ask(said)
    value = said.rstrip(".").split(" ", 3)[3]
    assert value in reply.text
    facts = [line.line.value for line in list_lines(FolderVault(person.vault), FACTS)]
    assert facts == [value]
    assert not (person.vault / reply.turn.folder / "toolresults.md").exists()


@pytest.mark.parametrize(
    ("asked", "resolved"),
    [
        ("What does the Lenovo LOQ 15 cost?", "What does the Lenovo LOQ 15 cost?"),
        (
            "is the laptop still in stock?",
            "is the 'Lenovo LOQ 15 laptop' page on 127.0.0.1 still in stock?",
        ),
    ],
)
def test_a_whole_name_stays_as_it_is_asked(person, asked, resolved):
    person.ask(READ_LAPTOP)
    assert person.ask(asked).turn.resolved_query == resolved
