"""What somebody said of names holds: two are one thing, or one is several, whatever is synced."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call, sync_source
from wellworn.domain.audit import Action
from wellworn.domain.knowledge import ArtifactName, NameVerdict
from wellworn.domain.knowledge.answers import ConflictClaim, StoredConflict
from wellworn.domain.knowledge.hot_places import tell_places
from wellworn.domain.knowledge.naming import NameRulings
from wellworn.domain.knowledge.terms import HotTerm
from wellworn.domain.spaces import Role
from wellworn.errors import InvalidInput, NotFound

ONE, SEVERAL = NameVerdict.ONE, NameVerdict.SEVERAL
TABLE = "# {}\n\n| Host | {} |\n|---|---|\n| {} | {} |\n"
LAB = {"hosts.md": TABLE.format("Hosts", "IP", "cube", "10.0.0.7")}
MACHINE = "# Machines\n\n## gpu-box\n\n- Port: {}\n"
DESK = {"notes.md": MACHINE.format(8443)}
EAST = {"hosts.md": TABLE.format("East", "IP", "atlas", "10.1.0.1")}
WEST = {"hosts.md": TABLE.format("West", "IP", "atlas", "10.2.0.2")}


@pytest.fixture
def app(tmp_path):
    with opened(tmp_path / "home") as app:
        yield app


def ruled(app, term, other, verdict, **more):
    with app.call(local(app), Action.KNOWLEDGE_DECIDED, Role.ADMIN) as context:
        names = context.services.discovery.names
        return names.rule(context.access, term, other, verdict, **more)


def undone(app, ruling):
    with app.call(local(app), Action.KNOWLEDGE_DECIDED, Role.ADMIN) as context:
        context.services.discovery.names.undo(context.access, ruling.id)


def values(app, term, **more):
    answer = app.resolve(local(app), term, **more)
    return answer.outcome, sorted(value.value for value in answer.values)


def conflicts(app):
    found = call(app, "conflicts")(local(app), with_closed=False)
    return [(one.term, one.state) for one in found]


@pytest.fixture
def two_names(app, tmp_path):
    synced(app, local(app), tmp_path / "lab", LAB, name="lab")
    return app, synced(app, local(app), tmp_path / "desk", DESK, name="desk")


@pytest.fixture
def namesakes(app, tmp_path):
    synced(app, local(app), tmp_path / "east", EAST, name="east")
    return app, synced(app, local(app), tmp_path / "west", WEST, name="west")


def test_what_is_known_under_one_name_is_known_under_the_other(two_names):
    app, _ = two_names
    assert values(app, "gpu-box ip")[0] == "not_stated"
    said = ruled(app, "gpu-box", "cube", ONE, reason="the sticker says so")
    assert (said.said_by, said.reason) == (local(app).principal, "the sticker says so")
    assert values(app, "gpu-box ip") == ("resolved", ["10.0.0.7"])
    assert values(app, "GPU Box IP") == ("resolved", ["10.0.0.7"])
    assert values(app, "cube port") == ("resolved", ["8443"])
    undone(app, said)
    assert values(app, "gpu-box ip")[0] == "not_stated"


def test_a_name_that_no_document_has_can_be_another_of_a_thing(two_names):
    app, _ = two_names
    said = ruled(app, "the brick", "cube", ONE)
    assert values(app, "the brick") == ("resolved", ["10.0.0.7"])
    assert values(app, "brick") == ("resolved", ["10.0.0.7"])
    assert values(app, "what is the IP of the brick?") == ("resolved", ["10.0.0.7"])
    undone(app, said)
    # Use has taught nothing that outlives it.
    assert values(app, "brick") == ("unknown", [])


def test_hot_terms_list_a_thing_of_two_names_once_by_the_name_it_is_known_by(app, tmp_path):
    documents = {**LAB, "notes.md": MACHINE.format(8443).replace("gpu-box", "dobrava")}
    synced(app, local(app), tmp_path / "lab", documents)

    def list_hot():
        content = app.read_artifact(local(app), ArtifactName.HOT_TERMS).content
        return [name for name in ("cube", "dobrava") if f"| {name} " in content]

    assert list_hot() == ["cube", "dobrava"]
    said = ruled(app, "cube", "dobrava", ONE)
    assert list_hot() == ["cube"]
    undone(app, said)
    assert list_hot() == ["cube", "dobrava"]


def test_what_was_said_holds_after_every_sync(two_names, tmp_path):
    app, desk = two_names
    ruled(app, "gpu-box", "cube", ONE)
    (tmp_path / "desk" / "notes.md").unlink()
    (tmp_path / "desk" / "list.md").write_text(MACHINE.format(9443))
    sync_source(app, local(app), desk.id, confirmed=True)
    assert values(app, "cube port") == ("resolved", ["9443"])


def test_namesakes_of_two_places_are_asked_about_until_somebody_says_they_are_one(namesakes):
    app, _ = namesakes
    assert app.resolve(local(app), "atlas").outcome == "ambiguous"
    assert conflicts(app) == []
    said = ruled(app, "atlas", "atlas", ONE)
    # One thing with two addresses: the documents disagree, and neither is chosen.
    assert conflicts(app) == [("atlas", "open")]
    answer = app.resolve(local(app), "atlas ip")
    assert answer.outcome == "ambiguous"
    [conflict] = call(app, "conflicts")(local(app), with_closed=False)
    call(app, "decide")(local(app), conflict.id, "10.1.0.1", reason="")
    assert values(app, "atlas ip") == ("resolved", ["10.1.0.1"])
    undone(app, said)
    assert conflicts(app) == []
    assert app.resolve(local(app), "atlas").outcome == "ambiguous"


def test_a_name_that_was_split_is_asked_about_within_one_place(app, tmp_path):
    documents = {
        "database.md": "# Atlas\n\nThe atlas database.\n\n- Port: 5432\n",
        "cluster.md": "# Atlas\n\nThe atlas cluster.\n\n- Port: 6443\n",
    }
    synced(app, local(app), tmp_path / "docs", documents)
    assert conflicts(app) == [("atlas", "open")]
    said = ruled(app, "atlas", "atlas", SEVERAL)
    assert conflicts(app) == []
    answer = app.resolve(local(app), "atlas")
    assert answer.outcome == "ambiguous"
    assert len(answer.candidates) == 2
    assert values(app, "atlas port", context="the database.md") == ("resolved", ["5432"])
    undone(app, said)
    assert conflicts(app) == [("atlas", "open")]


def test_the_last_word_on_two_names_is_the_one_that_holds(two_names):
    app, _ = two_names
    ruled(app, "gpu-box", "cube", ONE)
    last = ruled(app, "Cube", "GPU box", SEVERAL)
    with app.call(local(app), Action.KNOWLEDGE_READ) as context:
        assert context.services.discovery.names.list_rulings(context.access) == [last]
    assert values(app, "gpu-box ip")[0] == "not_stated"


def test_what_is_no_name_or_not_there_is_refused(two_names):
    app, _ = two_names
    with pytest.raises(InvalidInput):
        ruled(app, " ", "cube", ONE)
    said = ruled(app, "gpu-box", "cube", ONE)
    undone(app, said)
    with pytest.raises(NotFound):
        undone(app, said)


def hot_summary(app, term):
    content = app.read_artifact(local(app), ArtifactName.HOT_TERMS).content
    return next(line for line in content.splitlines() if line.startswith(f"| {term} |"))


def test_a_hot_term_of_two_places_has_the_address_of_neither_alone(namesakes):
    app, _ = namesakes
    line = hot_summary(app, "atlas")
    assert "10.1.0.1" not in line
    assert "2 things of this name: east/hosts.md, west/hosts.md" in line
    ruled(app, "atlas", "atlas", ONE)
    assert "things of this name" not in hot_summary(app, "atlas")


def test_a_hot_term_tells_what_was_decided_and_nothing_that_lost(namesakes):
    app, _ = namesakes
    ruled(app, "atlas", "atlas", ONE)
    line = hot_summary(app, "atlas")
    assert "10.1.0.1" in line
    assert "10.2.0.2" in line
    [dispute] = call(app, "conflicts")(local(app), with_closed=False)
    call(app, "decide")(local(app), dispute.id, "10.2.0.2", reason="seen there")
    line = hot_summary(app, "atlas")
    assert "10.1.0.1" not in line
    assert "10.2.0.2" in line


def test_a_hot_term_keeps_a_value_of_which_what_lost_is_a_part():
    claims = tuple(ConflictClaim(value, None) for value in ("80", "8080"))
    lost = StoredConflict(
        1, "atlas", "port", "port", claims, "resolved", "8080", None, "ada", 1.0, 1.0
    )
    for summary in ("serves on port 8080", "file server (10.0.80.1)"):
        hot = HotTerm("atlas", 1, "", summary, 0, 1, 1.0)
        assert tell_places([hot], [], {}, NameRulings(()), [lost]) == [hot]
    hot = HotTerm("atlas", 1, "", "ports 80 and 8080", 0, 1, 1.0)
    assert tell_places([hot], [], {}, NameRulings(()), [lost])[0].summary == "port: 8080"


def test_parts_of_numbered_things_stay_apart_under_a_ruled_name(app, tmp_path):
    text = "# node{0}\n\n- IP: 10.0.0.{0}\n\n## Links\n\n- idrac-9: 10.0.0.2{0}\n"
    documents = {f"node{number}.md": text.format(number) for number in (1, 2)}
    synced(app, local(app), tmp_path / "docs", documents)
    ruled(app, "idrac-9", "bmc-9", ONE)
    assert conflicts(app) == []
