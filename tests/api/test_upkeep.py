"""The work in the background: a step that fails keeps no other from running, and is told."""

from __future__ import annotations

import pytest

from api.sealed_world import IDLE_S, Anywhere, founded
from wellworn.engines.storage.sql import Database


def fail(*_):
    raise RuntimeError("nobody foresaw this")


@pytest.fixture
def places(opened):
    anywhere = Anywhere(opened)
    first = founded(anywhere("home"), "first")
    second = founded(first, "second")
    for place in (first, second):
        place.read("search", q="anything")
    return first, second


def test_after_a_step_that_fails_idle_spaces_are_locked_all_the_same(places, monkeypatch):
    place, _ = places
    monkeypatch.setattr(Database, "scrub_if_due", fail)
    place.clock.advance(IDLE_S)
    place.app.maintain()
    assert not place.is_open


def test_what_fails_in_a_space_is_done_in_the_others(places, monkeypatch):
    first, second = places
    services = [first.app.guard.pool.shared]
    services += [first.app.guard.pool._open[place.space].services for place in (first, second)]
    done = []
    for each in services:
        monkeypatch.setattr(
            each.thoughts.topics, "update_if_due", lambda each=each: done.append(each)
        )
    for each in services[:2]:
        monkeypatch.setattr(each.thoughts.needed_next, "update_if_due", fail)
    monkeypatch.setattr(
        services[2].thoughts.needed_next, "update_if_due", lambda: done.append("needs")
    )
    first.app.maintain()
    assert done == ["needs", *services]


def test_a_space_that_cannot_be_tidied_up_keeps_no_other_open(places, monkeypatch):
    first, second = places
    first.clock.advance(IDLE_S)
    first.read("search", q="anything")
    database = first.app.guard.pool._open[first.space].services.database
    monkeypatch.setattr(database, "scrub_if_due", fail, raising=False)
    first.app.maintain()
    assert (first.is_open, second.is_open) == (True, False)


def test_health_names_a_step_that_fails_until_it_no_longer_does(places, monkeypatch, caplog):
    place, _ = places

    def store_uses(_):
        fail()

    with monkeypatch.context() as broken:
        broken.setattr(type(place.app.authenticator), "store_uses", store_uses)
        place.app.maintain()
    health = place.read("health")
    assert health["status"] == "degraded"
    assert "store_uses" in health["advice"]
    assert "nobody foresaw this" in caplog.text
    place.app.maintain()
    assert place.read("health")["status"] == "ok"
