"""What an older wellworn or another model left to be indexed: told, and worked off meanwhile."""

from __future__ import annotations

import pytest

from api.sealed_world import Anywhere, Talk, founded, is_in, restarted, seen
from api.world import ids
from empty_memory import look_into
from wellworn.application.bootstrap import opening
from wellworn.domain.thoughts.features import IndexInput, prepare
from wellworn.domain.thoughts.models import ThoughtKind
from wellworn.testing.embedder import HashEmbedder

SAID = ("Roles stay apart.", "The lamp burns whale oil.", "Salt spoils the glass.")
LOST = {
    "missing": "DELETE FROM features",
    "of another maker": "UPDATE features SET maker = maker + 1",
}


@pytest.fixture
def busy(monkeypatch):
    """Leave whatever is missing to the background, as a large memory does."""
    monkeypatch.setattr(opening, "REPAIRED_AT_ONCE", 0)


@pytest.fixture(params=LOST)
def behind(request, opened, busy):
    """A memory opened again after its features were lost."""
    world = opened(HashEmbedder())
    for content in SAID:
        world.know(content)
    world.app.close()
    with look_into(world.home) as raw:
        raw.execute(LOST[request.param])
    return opened(HashEmbedder())


def whole(world):
    """Return how many features there are that this model and these rules made."""
    statement = "SELECT count(*) FROM features WHERE maker = ?"
    [(many,)] = world.rows(statement, world.app.thoughts.searcher._versions.whole)
    return many


def test_health_tells_how_many_thoughts_want_indexing(behind):
    health = behind.read("health")
    assert (health["status"], health["unindexed"]) == ("degraded", len(SAID))
    assert health["collections"]["thought_space"]["points"] == len(SAID)


def test_what_wants_indexing_is_found_meanwhile(behind):
    for content in SAID:
        found = behind.ask(content)["result"]["sources"]
        assert found[0]["content_preview"] == content


def test_what_is_said_meanwhile_is_whole_at_once(behind):
    new = behind.know("Whales sing at night.")
    assert whole(behind) == 1
    assert ids(behind.ask("whales sing"))[0] == new
    assert behind.read("health")["unindexed"] == len(SAID)


def test_the_background_makes_up_for_it_and_health_says_so(behind):
    assert behind.read("health")["findable"] == {"thoughts": 3, "by_words": 0, "by_meaning": 0}
    behind.app.maintain()
    health = behind.read("health")
    assert (health["status"], health["unindexed"]) == ("ok", 0)
    assert health["findable"] == {"thoughts": 3, "by_words": 3, "by_meaning": 0}
    assert behind.ask("whale oil")["result"]["sources"][0]["content_preview"] == SAID[1]
    behind.app.embedding.finish()
    assert whole(behind) == len(SAID)
    health = behind.read("health")
    assert health["findable"] == {"thoughts": 3, "by_words": 3, "by_meaning": 3}
    assert health["collections"]["thought_space"]["points"] == len(SAID)
    [first, *_] = behind.ask("whale oil", explain=True)["result"]["sources"]
    assert first["content"] == SAID[1]
    assert "pieces" in first["why"]


def test_a_few_are_made_up_for_before_the_first_call(opened):
    world = opened(HashEmbedder())
    world.know(SAID[0])
    world.app.close()
    with look_into(world.home) as raw:
        raw.execute(LOST["missing"])
    again = opened(HashEmbedder())
    health = again.read("health")
    assert (health["unindexed"], health["findable"]["by_words"]) == (0, 1)
    again.app.embedding.finish()
    assert whole(again) == 1


# ---------------------------------------------------------------- sealed spaces


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def sealed(anywhere):
    place = founded(anywhere())
    place.read("highways")  # the first call opens it
    return place


def inside(place):
    """Return the database of an open sealed space."""
    return place.app.guard.pool._open[place.space].services.database


def sealed_rows(place):
    with inside(place).read() as transaction:
        return transaction.exec_driver_sql("SELECT codes, counts FROM features").all()


def test_features_of_a_sealed_space_are_in_its_sealed_records_alone(sealed, anywhere):
    talk = Talk()
    for _ in range(3):
        content = talk.new()
        sealed.know(content, "zoe")
        wording = IndexInput(ThoughtKind.THOUGHT, content, "Zoe", sealed.clock.now())
        [made] = prepare(HashEmbedder(), [wording])
        talk.said += [made.features.codes, made.features.counts]
    rows = sealed_rows(sealed)
    # What is looked for is what is there.
    assert all(
        is_in(codes, talk.windows()) and is_in(counts, talk.windows()) for codes, counts in rows
    )
    assert len(rows) == 3
    assert sealed.rows("SELECT * FROM features") == []
    assert sealed.app.indexes[0].ids().tolist() == []
    assert seen(sealed.home, talk.windows()) == []
    sealed.close()
    again = restarted(anywhere, sealed)
    again.read("highways")
    assert sealed_rows(again) == rows
    assert seen(sealed.home, talk.windows()) == []


def test_a_space_that_is_sealed_takes_its_features_along_and_leaves_none(anywhere):
    place = founded(anywhere(), sealed=False)
    for content in SAID:
        place.know(content)
    [(before,)] = place.rows("SELECT count(*) FROM features")
    place.change("/seal")
    assert (before, place.rows("SELECT * FROM features")) == (len(SAID), [])
    assert place.ask(SAID[1])["result"]["sources"][0]["content_preview"] == SAID[1]
    assert len(sealed_rows(place)) == len(SAID)


def test_a_sealed_space_that_lost_its_features_gets_them_when_it_opens(sealed, anywhere):
    for content in SAID:
        sealed.know(content)
    before = sealed_rows(sealed)
    with inside(sealed).write() as transaction:
        transaction.exec_driver_sql("DELETE FROM features")
    sealed.close()
    again = restarted(anywhere, sealed)
    assert again.ask(SAID[2])["result"]["sources"][0]["content_preview"] == SAID[2]
    again.app.embedding.finish()
    assert sealed_rows(again) == before
    # They are kept, not made at every opening.
    again.close()
    last = restarted(anywhere, again)
    last.read("highways")
    assert sealed_rows(last) == before


def test_erasing_and_rolling_back_in_a_sealed_space_leave_no_features(sealed):
    first = sealed.know(SAID[0])
    sealed.know(SAID[1])
    sealed.forget(first)
    assert len(sealed_rows(sealed)) == 1
