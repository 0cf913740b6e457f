"""What a later note must tell to replace an earlier one: a value, where that has one."""

from __future__ import annotations

import pytest

from wellworn.domain.thoughts.truth import LEAST_CONFIDENCE, Statement, relate
from wellworn.domain.thoughts.truth.relations import RelationKind

URL = "The staging URL is https://stage.corvin.example:8443."
PRINTER = "The badge printer stands in room 2.14."
STANDUP = "The standup is at 10:15."
GATE = "Deliveries go to gate 7 of the yard."


def replaces(older: str, newer: str) -> bool:
    """Tell whether two notes as near as can be are taken for a change."""
    relation = relate(Statement(older), Statement(newer), 0.9, lambda _: 0.8)
    return relation.kind is RelationKind.UPDATES and relation.confidence >= LEAST_CONFIDENCE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (URL, "I need the staging URL."),
        (URL, "Still trying to find the staging URL"),
        (URL, "It would help to know the staging URL"),
        (URL, "What I need is the staging URL."),
        (URL, "The testers need the new staging URL."),
        (PRINTER, "the room of the badge printer"),
        (PRINTER, "The room the badge printer is in."),
        (PRINTER, "The badge printer needs new toner."),
        (GATE, "gate for deliveries to the yard"),
        (URL, "The staging URL confuses people."),
        (PRINTER, "The badge printer belongs to facilities."),
        (GATE, "Deliveries block the gate of the yard."),
        (URL, "Ben denies that the staging URL is https://other.corvin.example."),
        (URL, "I never said that the staging URL has changed."),
        (GATE, "I did not say that deliveries go to gate 4, Ben did."),
    ],
)
def test_what_tells_no_value_replaces_none(older: str, newer: str) -> None:
    assert not replaces(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (URL, "The staging URL is https://pre.corvin.example."),
        (PRINTER, "The badge printer stands in the foyer."),
        (PRINTER, "The badge printer is in the foyer."),
        (PRINTER, "The badge printer was sold."),
        (GATE, "Deliveries go to the main gate of the yard."),
        (GATE, "Deliveries to gate 4 of the yard."),
        ("We need the hall on Mondays.", "We need the hall on Tuesdays."),
        (GATE, "I never said that deliveries go to gate 7, they go to gate 4."),
        (GATE, "I did not say that deliveries go to gate 7 but to gate 4."),
        (STANDUP, "Nobody said the standup is at 10:15. It is at 10:30."),
        (PRINTER, "After the move the badge printer is in room 3.07."),
    ],
)
def test_what_tells_a_value_or_the_same_of_it_otherwise_replaces(older: str, newer: str) -> None:
    assert replaces(older, newer)
