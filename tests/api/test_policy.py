"""By which weights a space ranks is told, with what they were learned from and what is missing."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest

from api.sealed_world import Anywhere, Place, founded
from api.world import accepted, ids, refused
from empty_memory import over_both
from wellworn.application.settings import Settings
from wellworn.domain.memory import Retrieval
from wellworn.domain.thoughts import ThoughtSettings
from wellworn.domain.thoughts import learning as background
from wellworn.domain.thoughts.store import policies
from wellworn.engines.retrieval import POLICY_VERSION, interleaving
from wellworn.engines.retrieval.learning import (
    REASONS,
    TrainingQuery,
    TrainingResult,
    is_control,
)
from wellworn.kit.clock import to_iso
from wellworn.testing.embedder import HashEmbedder

LAMP = "The lamp of the north tower burns whale oil."
ROPE = "Ropes of the ferry are changed in March."


def test_the_shipped_weights_are_told_with_what_is_missing_to_learn(world):
    world.know(LAMP)
    world.know(ROPE)
    nothing = {"gain": None, "low": None, "high": None, "factors": [], "queries": 0}
    assert world.read("policy") == nothing | {
        "is_on": False,
        "in_use": "shipped",
        "version": POLICY_VERSION,
        "learned_at": None,
        "labelled": 0,
        "needed": 100,
        "versions": [],
        "changes": None,
        "trial": None,
    }
    reply = world.ask("Which oil burns in the north tower, and what of ropes?", "dev", limit=2)
    world.feedback(reply["trace"]["session_id"], ids(reply)[0], "useful")
    assert len(ids(reply)) == 2
    assert world.read("policy")["labelled"] == 1


def lesson(reason=REASONS[0], factor=2.0):
    return TrainingResult({reason: factor}, 0.1, 0.02, 0.2, 60)


@pytest.fixture
def learning(opened):
    """A server that learns weights, and what its default space was taught."""
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    return opened(HashEmbedder(), settings)


def teach(place, *lessons):
    """Adopt lessons, one a day."""
    for each in lessons:
        place.clock.advance(hours=24)
        adopt(place, space_of(place), each)
    return place.read("policy")


def space_of(place):
    return place.space if isinstance(place, Place) else "ks-default"


@contextmanager
def serving(place):
    """Yield the services of a space, which a sealed one has to itself, and who calls."""
    app = place.app
    key = place.key if isinstance(place, Place) else None
    access = app.enter(key, key and place.space, writes=False)
    with app.guard.pool.use(access) as found:
        yield found


def adopt(place, space, lesson, asked=()):
    with serving(place) as (services, _):
        learner = services.thoughts.learner
        return learner._adopt(space, lesson, asked, learner._count_taken_back(space))


def in_force(place):
    with serving(place) as (services, _):
        return services.thoughts.searcher.state.policies[space_of(place)].version


def test_every_version_is_kept_with_what_it_was_learned_from(learning, opened):
    found = teach(learning, lesson(), lesson(factor=3.0), lesson(factor=3.0))
    newer, older = found["versions"]
    assert newer == {
        "version": found["version"],
        "learned_at": "2026-02-25T15:00:00.000000Z",
        "factors": [{"reason": REASONS[0], "factor": 3.0}],
        "gain": 0.1,
        "low": 0.02,
        "high": 0.2,
        "queries": 60,
        "withdrawn_at": None,
        "tried_at": None,
        "taken_at": None,
    }
    assert (older["factors"], older["version"]) == (
        [{"reason": REASONS[0], "factor": 2.0}],
        found["version"] - 1_000,
    )
    learning.app.close()
    again = opened(HashEmbedder(), Settings(thoughts=ThoughtSettings(learned_weights=True)))
    assert again.read("policy")["versions"] == found["versions"]
    assert in_force(again) == found["version"]


def test_one_switch_goes_back_to_the_version_before_and_then_to_the_shipped(learning):
    found = teach(learning, lesson(), lesson(factor=3.0))
    back = accepted(learning.post("policy/back", None))
    assert (back["version"], back["factors"]) == (
        found["version"] - 1_000,
        [{"reason": REASONS[0], "factor": 2.0}],
    )
    assert back["versions"][0]["withdrawn_at"] == "2026-02-25T15:00:00.000000Z"
    assert in_force(learning) == back["version"]
    for _ in range(2):
        back = accepted(learning.post("policy/back", None))
        assert (back["in_use"], back["version"]) == ("shipped", POLICY_VERSION)
        assert in_force(learning) == POLICY_VERSION


def test_after_it_nothing_is_learned_until_enough_new_questions_tell_something(learning):
    learning.know(LAMP)
    learning.ask("Which oil burns in the north tower?", "dev")
    teach(learning, lesson())
    accepted(learning.post("policy/back", None))
    assert teach(learning, lesson(factor=3.0))["in_use"] == "shipped"
    parts = np.zeros((2, len(REASONS)))
    asked = [
        TrainingQuery(number, "dev", "s", parts, np.array([1.0, 0.0]), 2)
        for number in range(1, 102)
    ]
    adopt(learning, "ks-default", lesson(factor=3.0), asked[:-1])
    assert in_force(learning) == POLICY_VERSION
    adopt(learning, "ks-default", lesson(factor=3.0), asked)
    assert learning.read("policy")["factors"] == [{"reason": REASONS[0], "factor": 3.0}]


def test_what_it_would_change_is_told_by_the_last_questions(learning):
    """The words say the one, the meaning the other; what is learned is to look at words alone."""
    wordy = learning.know(
        "Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9
    )
    plain = learning.know("The lamp.")
    asked = [text for n in range(40) if not is_control(text := f"the lamp of night {n}?")][:3]
    control = next(text for n in range(99) if is_control(text := f"the lamp of week {n}?"))
    before = [ids(learning.ask(text, "dev", limit=2, contribute="never")) for text in asked]
    assert learning.read("policy")["changes"] is None
    reply = learning.ask(control, "eve", limit=2, contribute="never")
    first = before[0][0]
    last = wordy if first == plain else plain
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    reply = learning.ask(asked[0], "eve", limit=2, contribute="never")
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    found = teach(learning, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    told = found["changes"]
    assert (told["version"], told["questions"], told["controls"]) == (found["version"], 5, 1)
    assert (told["reordered"], told["first_places"]) == (4, 4)
    assert (told["gained"], told["lost"]) == (0, 0)
    change = told["changes"][0]
    assert change["question"] == asked[0]
    assert (change["shipped"]["thought_id"], change["learned"]["thought_id"]) == (first, last)
    assert (change["shipped"]["evidence"], change["learned"]["evidence"]) == ("shown", "unknown")
    assert change["reason"] in away
    assert learning.read("policy", questions=1)["changes"]["questions"] == 1
    assert learning.read("policy", questions=0)["changes"] is None


def test_of_what_was_used_it_is_told_that_it_comes_first_now(learning):
    wordy = learning.know(
        "Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9
    )
    plain = learning.know("The lamp.")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    reply = learning.ask(asked, "dev", limit=2, contribute="never")
    first = ids(reply)[0]
    last = wordy if first == plain else plain
    learning.feedback(reply["trace"]["session_id"], last, "useful")
    learning.feedback(reply["trace"]["session_id"], first, "irrelevant")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    told = teach(learning, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))["changes"]
    [change] = told["changes"]
    assert (change["shipped"]["evidence"], change["learned"]["evidence"]) == ("irrelevant", "used")
    assert (told["gained"], told["lost"]) == (1, 0)


def test_members_are_told_of_their_own_questions_and_nobody_of_what_is_erased(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    owner.know("Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9)
    plain = owner.know("The lamp.")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    for place in (owner, guest):
        place.ask(asked, "dev", limit=2, contribute="never")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    adopt(owner, owner.space, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    told = [place.read("policy")["changes"] for place in (owner, guest)]
    assert [each["questions"] for each in told] == [2, 1]
    [change] = told[1]["changes"]
    assert plain in {change[by]["thought_id"] for by in ("shipped", "learned")}
    owner.forget(plain)
    assert plain not in str(owner.read("policy"))
    refused(guest.post("policy/back", None), 403, "FORBIDDEN")


def test_what_was_learned_since_what_a_member_did_is_taken_back_with_it(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    adopt(owner, owner.space, lesson())
    owner.clock.advance(hours=24)
    since = to_iso(owner.clock.now())
    owner.clock.advance(hours=24)
    guest.know(LAMP)
    adopt(owner, owner.space, lesson(factor=3.0))
    before = owner.read("policy")
    owner.change("/rollback", owner=guest.member, since=since)
    after = owner.read("policy")
    assert [each["version"] for each in after["versions"]] == [before["versions"][1]["version"]]
    assert after["factors"] == [{"reason": REASONS[0], "factor": 2.0}]
    owner.change("/rollback", owner=guest.member, since="2026-01-01")
    after = owner.read("policy")
    assert (after["versions"], after["in_use"]) == ([], "shipped")
    assert owner.app.thoughts.searcher.state.policies[owner.space].version == POLICY_VERSION


def test_two_who_saw_the_same_version_go_back_once(learning):
    found = teach(learning, lesson(), lesson(factor=3.0))
    seen, before = (each["version"] for each in found["versions"])
    for _ in range(2):
        back = accepted(learning.post(f"policy/back?version={seen}", None))
        assert back["version"] == before


def test_what_an_admin_refused_stays_refused_after_a_rollback(opened, monkeypatch):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    guest = owner.shared("bo", role="contributor")
    guest.ask("Which oil burns in the north tower?", "dev")
    adopt(owner, owner.space, lesson())
    accepted(owner.post("policy/back", None))
    owner.change("/rollback", owner=guest.member, since="2026-01-01")
    adopt(owner, owner.space, lesson())
    assert owner.read("policy")["in_use"] == "shipped"
    monkeypatch.setattr(policies, "MOST", 1)
    for factor in (0.0, 3.0):
        policies_of = [TrainingResult({}, 0, 0, 0, 60), lesson(factor=factor)]
        for each in policies_of:
            monkeypatch.setattr(background, "_is_refused", lambda *_: False)
            adopt(owner, owner.space, each)
    kept = owner.read("policy")["versions"]
    assert [each["withdrawn_at"] is None for each in kept] == [True, False]


def test_a_rollback_that_failed_leaves_the_weights_as_they_were(learning):
    version = teach(learning, lesson())["version"]
    app = learning.app
    access = app.enter(None, None, writes=False)
    with suppress(ZeroDivisionError), app.database.write() as transaction:
        app.thoughts.learner.forget(transaction, access)
        assert in_force(learning) == POLICY_VERSION
        raise ZeroDivisionError
    assert learning.read("policy")["version"] == in_force(learning) == version


def test_what_was_taken_back_meanwhile_teaches_nothing_and_nothing_else_is_lost(learning):
    learner = learning.app.thoughts.learner
    since, other = (learner._count_taken_back(space) for space in ("ks-default", "ks-other"))
    with learning.app.database.write() as transaction:
        learner.forget(transaction, learning.app.enter(None, None, writes=False))
    assert not learner._adopt("ks-default", lesson(), (), since)
    assert learning.read("policy")["versions"] == []
    assert adopt(learning, "ks-default", lesson())
    assert learner._count_taken_back("ks-other") == other


def test_who_is_shown_a_thought_by_what_changed_has_seen_it(opened):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=False)
    owner.know("Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9)
    plain = owner.know("The lamp.")
    guest = owner.shared("bo", role="contributor")
    admin = owner.shared("cy", role="admin")
    asked = next(text for n in range(40) if not is_control(text := f"the lamp of night {n}?"))
    guest.ask(asked, "dev", limit=2, contribute="never")
    away = {"meaning", "words", "pieces", "nearby", "around"}
    adopt(owner, owner.space, TrainingResult(dict.fromkeys(away, -1.0), 0.1, 0.02, 0.2, 60))
    seen = (
        "SELECT count(*) FROM sightings JOIN thoughts ON seq = thought_seq "
        "WHERE id = ? AND seen_by = ?"
    )
    assert owner.rows(seen, plain, admin.member) == [(0,)]
    assert plain in str(admin.read("policy")["changes"])
    assert owner.rows(seen, plain, admin.member) == [(1,)]


AWAY = {"meaning", "words", "pieces", "nearby", "around"}
REVERSED = TrainingResult(dict.fromkeys(AWAY, -1.0), 0.1, 0.02, 0.2, 60)
TRYING = Settings(thoughts=ThoughtSettings(learned_weights=True, try_weights=True))
FREE = [text for n in range(99) if not is_control(text := f"the lamp of night {n}?")]
CONTROL = next(text for n in range(99) if is_control(text := f"the lamp of week {n}?"))


def try_anywhere(opened):
    """Return what opens a server that tries what it learns, on a folder of a name."""
    return lambda name: Anywhere(opened)(name, thoughts=TRYING.thoughts)


@pytest.fixture
def openly(opened):
    """The same at the open door, where every agent counts as a user."""
    place = try_anywhere(opened)("home")
    tell_of_lamps(place)
    return place


@pytest.fixture(params=["open", "sealed"])
def trying(request, opened):
    """A space where what is learned is tried, and where the lamp has two thoughts."""
    if request.param == "open":
        return request.getfixturevalue("openly")
    place = founded(try_anywhere(opened)("home"))
    tell_of_lamps(place)
    return place


@pytest.fixture(params=[False, True], ids=["open", "sealed"])
def sealed(request):
    return request.param


def tell_of_lamps(place):
    place.know("Lamp lamp lamp: " + "the north tower and its keeper and its stairs. " * 9)
    place.know("The lamp.")


def ask(place, text, agent="dev", **more):
    return place.ask(text, agent, limit=2, contribute="never", **more)


def last_decision(place):
    return place.read("decisions", limit=1)["decisions"][0]


@over_both
def test_what_is_on_trial_picks_in_turn_with_what_is_in_use(trying):
    before = ids(ask(trying, FREE[0]))
    assert {each["team"] for each in last_decision(trying)["shown"]} == {None}
    found = teach(trying, REVERSED)
    version = found["versions"][0]["version"]
    assert (found["in_use"], found["trial"]["version"]) == ("shipped", version)
    firsts = set()
    for text in FREE[:12]:
        shown = ids(ask(trying, text))
        told = last_decision(trying)
        is_tried = shown != before
        assert (told["policy_version"], told["propensity"]) == (version, 0.5)
        assert [each["team"] for each in told["shown"]] == [
            ("in_use", "tried")[team] for team in (is_tried, not is_tried)
        ]
        assert shown in (before, before[::-1])
        firsts.add(shown[0])
    assert firsts == {*before}
    assert trying.read("policy")["trial"]["questions"] == 12


def test_controls_follow_ups_and_statements_keep_the_order_in_use(trying):
    version = teach(trying, REVERSED)["trial"]["version"]
    replies = [ask(trying, CONTROL) for _ in range(6)]
    assert len({tuple(ids(reply)) for reply in replies}) == 1
    trying.ask("The lamp of the ferry is green.", "dev", contribute="always")
    told = trying.read("decisions")["decisions"]
    assert version not in {each["policy_version"] for each in told}
    assert {each["team"] for one in told for each in one["shown"]} == {None}
    assert {each["propensity"] for each in told} == {1.0}


def test_a_trial_never_shows_what_was_replaced_above_what_replaced_it(trying):
    old = trying.know("The lamp of the south tower burns tallow.")
    new = trying.know("The lamp of the south tower burns rapeseed oil.", replaces=[old])
    gone = trying.know("The lamp of the south tower burns wax.")
    reply = trying.ask("the lamp of the south tower?", "zoe", limit=9, contribute="never")
    session = reply["trace"]["session_id"]
    trying.feedback(session, gone, "wrong")
    asked = {"limit": 9, "contribute": "never", "history": True}
    before = [ids(trying.ask(text, "dev", **asked)) for text in FREE[:4]]
    teach(trying, REVERSED)
    assert [ids(trying.ask(text, "dev", **asked)) for text in FREE[:4]] == before
    for text in FREE[:8]:
        shown = ids(trying.ask(text, "dev", limit=9, contribute="never"))
        assert new in shown
        assert not {old, gone} & {*shown}


def test_the_same_call_has_the_same_order(trying):
    teach(trying, REVERSED)
    orders = set()
    for number in range(8):
        named = f"00000000-0000-4000-8000-{number:012}"
        asked = Retrieval("dev", named, FREE[0], query_id=named)
        with serving(trying) as (services, access):
            once, again = (
                [found.seq for found in services.memory.retrieve(access, asked)] for _ in range(2)
            )
        assert once == again
        orders.add(tuple(once))
    assert len(orders) == 2


def use(place, text, agent, wanted):
    reply = ask(place, text, agent)
    place.feedback(reply["trace"]["session_id"], wanted, "useful")


def test_uses_decide_sessions_and_it_is_told_how_many_are_missing(openly):
    shipped, tried = ids(ask(openly, FREE[0]))
    teach(openly, REVERSED)
    for number, wanted in enumerate([tried] * 3 + [shipped]):
        use(openly, FREE[number], f"agent-{number}", wanted)
    ask(openly, FREE[5])
    reply = ask(openly, FREE[6], "agent-9")
    for thought in ids(reply):
        openly.feedback(reply["trace"]["session_id"], thought, "useful")
    trial = openly.read("policy")["trial"]
    assert (trial["questions"], trial["wins"], trial["losses"], trial["ties"]) == (6, 3, 1, 1)
    assert (trial["needed"], trial["lead"], trial["more"]) == (100, None, None)
    assert (trial["in_use"], trial["tried"]) == (None, None)


@pytest.fixture
def easily_told(monkeypatch):
    monkeypatch.setattr(interleaving, "LEAST_DECIDED", 10)
    monkeypatch.setattr(interleaving, "LEAST_EFFECTIVE", 8.0)


@pytest.mark.usefixtures("easily_told")
def test_enough_sessions_tell_who_wins_and_what_each_would_have_got(openly):
    _, tried = ids(ask(openly, FREE[0]))
    teach(openly, REVERSED)
    for number in range(24):
        use(openly, FREE[number % 20], f"agent-{number}", tried)
    trial = openly.read("policy")["trial"]
    assert (trial["wins"], trial["losses"], trial["more"]) == (24, 0, 0)
    assert trial["lead"] == 1.0
    assert 0.0 < trial["low"] < trial["high"] <= 1.0
    assert (trial["tried"]["rate"], trial["in_use"]["rate"]) == (1.0, 0.0)
    assert trial["in_use"]["high"] < trial["tried"]["low"]
    assert trial["in_use"]["effective"] + trial["tried"]["effective"] == 24


@over_both
def test_an_admin_tries_what_was_withdrawn_takes_it_and_goes_back(learning):
    tell_of_lamps(learning)
    version = teach(learning, REVERSED)["version"]
    refused(learning.post("policy/try", None), 400, "VALIDATION_ERROR")
    accepted(learning.post("policy/back", None))
    for _ in range(2):
        tried = accepted(learning.post(f"policy/try?version={version}", None))
        assert (tried["in_use"], tried["trial"]["version"]) == ("shipped", version)
        assert tried["versions"][0]["tried_at"] == "2026-02-24T15:00:00.000000Z"
        assert tried["versions"][0]["withdrawn_at"] is None
    assert accepted(learning.post("policy/take?version=7", None))["trial"]
    taken = accepted(learning.post("policy/take", None))
    assert (taken["in_use"], taken["version"], taken["trial"]) == ("learned", version, None)
    assert taken["versions"][0]["taken_at"] == "2026-02-24T15:00:00.000000Z"
    assert in_force(learning) == version
    back = accepted(learning.post("policy/back", None))
    assert (back["in_use"], back["versions"][0]["withdrawn_at"]) == (
        "shipped",
        "2026-02-24T15:00:00.000000Z",
    )


def test_a_trial_that_is_ended_leaves_what_is_in_use(trying):
    ask(trying, FREE[0])
    teach(trying, REVERSED)
    back = accepted(trying.post("policy/back", None))
    assert (back["in_use"], back["trial"]) == ("shipped", None)
    assert len({tuple(ids(ask(trying, text))) for text in FREE[:8]}) == 1
    assert teach(trying, lesson())["trial"] is None


@over_both
def test_meanwhile_nothing_else_is_learned_and_a_restart_goes_on_with_it(trying, opened):
    before = teach(trying, REVERSED)["trial"]
    assert teach(trying, lesson())["trial"] == before
    again = reopen(trying, try_anywhere(opened))
    assert again.read("policy")["trial"] == before
    again.clock.advance(hours=48)
    ask(again, FREE[0])
    assert again.read("policy")["trial"]["questions"] == 1


def reopen(place, anywhere):
    """End the server and start another on the same folder; a sealed space is locked then."""
    place.app.close()
    world = anywhere(place.home.name)
    if not isinstance(place, Place):
        return world
    client = replace(place.client, client=world.client)
    return replace(place, clock=world.clock, app=world.app, client=client)


def test_a_space_that_is_sealed_or_unsealed_learns_again_and_tries_nothing(opened):
    owner = founded(try_anywhere(opened)("home"), sealed=False)
    tell_of_lamps(owner)
    ask(owner, FREE[0])
    for number, change in enumerate(("seal", "unseal"), 1):
        owner.clock.advance(60)
        adopt(owner, owner.space, REVERSED)
        before = ids(ask(owner, FREE[number]))
        assert owner.read("policy")["trial"]["questions"] == 1
        owner.change(f"/{change}")
        found = owner.read("policy")
        assert (found["in_use"], found["versions"], found["trial"]) == ("shipped", [], None)
        orders = {tuple(ids(ask(owner, text))) for text in FREE[3:7]}
        assert orders in ({tuple(before)}, {tuple(before[::-1])})
        told = last_decision(owner)
        assert ({each["team"] for each in told["shown"]}, told["propensity"]) == ({None}, 1.0)
        assert owner.read("decisions", limit=5)["decisions"][-1]["propensity"] == 0.5


def test_without_a_log_of_decisions_or_without_learning_nothing_is_tried(opened):
    no_log = ThoughtSettings(learned_weights=True, try_weights=True, decision_days=0)
    place = opened(HashEmbedder(), Settings(thoughts=no_log))
    assert teach(place, REVERSED)["in_use"] == "learned"
    refused(place.post("policy/try", None), 400, "VALIDATION_ERROR")


@over_both
def test_a_rollback_takes_back_what_a_members_feedback_said_in_a_trial(opened, sealed):
    owner = founded(opened(HashEmbedder(), TRYING), sealed=sealed)
    tell_of_lamps(owner)
    guest, other = (owner.shared(name, role="contributor") for name in ("bo", "cy"))
    _, tried = ids(ask(owner, FREE[0]))
    adopt(owner, owner.space, REVERSED)
    owner.clock.advance(hours=1)
    since = to_iso(owner.clock.now())
    for number, member in enumerate((guest, other, other)):
        use(member, FREE[number], member.member, tried) if number < 2 else ask(member, FREE[2])
    owner.clock.advance(hours=1)
    assert accepted(owner.post("policy/take", None))["in_use"] == "learned"
    owner.change("/rollback", owner=guest.member, since=since)
    found = owner.read("policy")
    assert (found["in_use"], found["trial"]["wins"], found["trial"]["questions"]) == (
        "shipped",
        1,
        2,
    )
    refused(guest.post("policy/try", None), 403, "FORBIDDEN")
    refused(guest.post("policy/take", None), 403, "FORBIDDEN")
    owner.change("/rollback", owner=other.member, since="2026-01-01")
    assert owner.read("policy")["trial"] is None


def test_a_trial_begins_again_when_what_it_was_shown_beside_is_taken_back(opened, sealed):
    settings = Settings(thoughts=ThoughtSettings(learned_weights=True))
    owner = founded(opened(HashEmbedder(), settings), sealed=sealed)
    tell_of_lamps(owner)
    guest = owner.shared("bo", role="contributor")
    adopt(owner, owner.space, REVERSED)
    accepted(owner.post("policy/back", None))
    owner.clock.advance(hours=24)
    since = to_iso(owner.clock.now())
    guest.know(LAMP)
    with serving(owner) as (services, _), services.database.write() as transaction:
        policy = policies.KeptPolicy(POLICY_VERSION + 7_000, owner.clock.now(), lesson())
        policies.add_policy(transaction, owner.space, policy)
    accepted(owner.post("policy/try", None))
    ask(owner, FREE[0])
    assert owner.read("policy")["trial"]["questions"] == 1
    owner.clock.advance(hours=1)
    owner.change("/rollback", owner=guest.member, since=since)
    found = owner.read("policy")
    assert (found["in_use"], found["trial"]["questions"]) == ("shipped", 0)
    assert found["trial"]["since"] == to_iso(owner.clock.now())


def test_an_export_tells_who_picked_what(opened):
    owner = founded(Anywhere(opened)(thoughts=TRYING.thoughts), sealed=False)
    tell_of_lamps(owner)
    adopt(owner, owner.space, REVERSED)
    for text in FREE[:3]:
        ask(owner, text)
    lines = owner.client.get("/api/v1/export").text
    other = founded(Anywhere(opened)("elsewhere"))
    other.import_records(*map(json.loads, lines.splitlines()))
    told = other.read("decisions")
    assert told == owner.read("decisions")
    assert {each["team"] for one in told["decisions"] for each in one["shown"]} == {
        "in_use",
        "tried",
    }
    assert other.client.get("/api/v1/export").text == lines


def test_weights_that_put_the_same_first_win_nothing_by_it(openly):
    shipped, _ = ids(ask(openly, FREE[0]))
    teach(openly, TrainingResult({"asks": 2.0}, 0.1, 0.02, 0.2, 60))
    use(openly, FREE[0], "agent-1", shipped)
    told = last_decision(openly)
    assert ({each["team"] for each in told["shown"]}, told["propensity"]) == ({"both"}, 1.0)
    trial = openly.read("policy")["trial"]
    assert (trial["questions"], trial["wins"], trial["losses"], trial["ties"]) == (1, 0, 0, 1)
