"""Who asks what changed is told what replaced what, and not all that was said."""

from __future__ import annotations

import pytest

from api.world import ids


@pytest.mark.parametrize(
    "prompt",
    ["What changed?", "What has changed since yesterday?", "Was hat sich diese Woche geändert?"],
)
def test_what_changed_is_what_replaced_something(place, prompt):
    old = place.know("The ferry leaves from pier 3.", "bo")
    place.clock.advance(60)
    new = place.ask("The ferry leaves from pier 4.", "ana", replaces=[old])["trace"]["thought_id"]
    place.know("The tide tables are in the drawer.", "kim")
    reply = place.ask(prompt, "dev")
    assert ids(reply) == [new]
    response = reply["result"]["response"]
    assert response.startswith("What replaced something, newest first:")
    assert 'replaces what Bo said on 2026-02-23: "The ferry leaves from pier 3."' in response


def test_where_nothing_changed_what_was_said_is_listed(place):
    tide = place.know("The tide tables are in the drawer.", "kim")
    assert ids(place.ask("What changed lately?", "dev")) == [tide]
