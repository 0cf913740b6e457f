"""What chose among several things or values of one name is said, with what was passed over."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, resolving, synced
from knowledge_calls import call
from wellworn.kit.project_ids import derive_project_id

TABLE = "# {} hosts\n\n| Host | IP |\n|---|---|\n| atlas | {} |\n"
EAST = {"hosts.md": TABLE.format("East", "10.1.0.1")}
WEST = {"hosts.md": TABLE.format("West", "10.2.0.2")}


def fill(app, folder, access):
    synced(app, access, folder / "east", EAST, name="east")
    synced(app, access, folder / "west", WEST, name="west")


@pytest.fixture
def app(tmp_path):
    with opened(tmp_path / "home") as app:
        fill(app, tmp_path, local(app))
        yield app


def choices(answer):
    """Return what chose, its words, and what was passed over."""
    return [
        (choice.kind, choice.words, [(other.label, other.citation) for other in choice.others])
        for choice in answer.chosen_by
    ]


def values(answer):
    return [value.value for value in answer.values]


OTHER = [("atlas", "west/hosts.md")]


@pytest.mark.parametrize(
    ("term", "context"), [("east atlas ip", ""), ("atlas ip", "the machines in the east")]
)
def test_words_of_the_question_or_its_context_are_said_to_have_chosen(app, term, context):
    answer = app.resolve(local(app), term, context=context)
    assert values(answer) == ["10.1.0.1"]
    assert choices(answer) == [("context", "east", OTHER)]


def test_nothing_is_said_where_nothing_chose(app, tmp_path):
    assert app.resolve(local(app), "atlas ip").chosen_by == ()
    synced(
        app,
        local(app),
        tmp_path / "north",
        {"a.md": TABLE.format("N", "10.3.0.3").replace("atlas", "boreas")},
        name="north",
    )
    answer = app.resolve(local(app), "boreas ip", context="the machines in the north")
    assert (values(answer), answer.chosen_by) == (["10.3.0.3"], ())


def test_the_project_that_is_asked_from_chooses_where_nothing_else_does(tmp_path):
    with opened(tmp_path / "home") as app:
        access = app.enter(None, derive_project_id("west", "somewhere"), writes=True)
        fill(app, tmp_path, access)
        answer = app.resolve(access, "atlas ip")
        assert values(answer) == ["10.2.0.2"]
        assert choices(answer) == [("project", "west", [("atlas", "east/hosts.md")])]
        answer = app.resolve(access, "atlas ip", context="the machines in the east")
        assert choices(answer) == [("context", "east", OTHER)]


def test_what_somebody_taught_is_said_to_have_decided(app):
    call(app, "learn")(local(app), "atlas", "west/hosts.md")
    answer = app.resolve(local(app), "atlas")
    assert values(answer) == ["10.2.0.2"]
    [(kind, words, others)] = choices(answer)
    assert (kind, words) == ("decision", "west/hosts.md")
    assert others == [("atlas", "east/hosts.md")]


def test_a_decision_between_values_is_said_with_who_and_why(app, tmp_path):
    synced(
        app,
        local(app),
        tmp_path / "north",
        {
            "a.md": TABLE.format("Old", "10.3.0.3").replace("atlas", "boreas"),
            "b.md": TABLE.format("New", "10.3.0.4").replace("atlas", "boreas"),
        },
        name="north",
    )
    assert app.resolve(local(app), "boreas ip").chosen_by == ()
    [conflict] = call(app, "conflicts")(local(app), with_closed=False)
    call(app, "decide")(local(app), conflict.id, "10.3.0.4", reason="it was moved")
    answer = app.resolve(local(app), "boreas ip")
    assert values(answer) == ["10.3.0.4"]
    assert choices(answer) == [("decision", "it was moved", [("10.3.0.3", "north/a.md")])]
    assert answer.chosen_by[0].by == local(app).principal


def test_the_newest_of_several_copies_says_what_it_replaced(tmp_path):
    documents = {
        "2024-01-05-hosts.md": TABLE.format("January", "10.1.0.1"),
        "2024-06-05-hosts.md": TABLE.format("June", "10.1.0.6"),
    }
    with resolving(tmp_path, documents) as resolve:
        answer = resolve("atlas ip")
        assert values(answer) == ["10.1.0.6"]
        assert choices(answer) == [
            (
                "newest",
                "mytech/2024-06-05-hosts.md",
                [("10.1.0.1", "mytech/2024-01-05-hosts.md")],
            )
        ]


def test_a_context_that_chooses_among_values_of_one_thing_is_said(tmp_path):
    rows = "| atlas | {} | storage |\n| atlas | {} | office |\n"
    table = f"# Hosts\n\n| Host | IP | Network |\n|---|---|---|\n{rows}"
    with resolving(tmp_path, {"hosts.md": table.format("10.1.0.1", "10.2.0.2")}) as resolve:
        answer = resolve("atlas ip", "mount the storage share")
        assert values(answer) == ["10.1.0.1"]
        assert choices(answer) == [("context", "storage", [("10.2.0.2", "mytech/hosts.md")])]


def test_a_place_that_alone_states_what_is_asked_is_said(tmp_path):
    with opened(tmp_path / "home") as app:
        synced(app, local(app), tmp_path / "east", EAST, name="east")
        plain = {"notes.md": "# Notes\n\n## Atlas\n\nA book of maps is kept in the hall.\n"}
        synced(app, local(app), tmp_path / "west", plain, name="west")
        answer = app.resolve(local(app), "atlas ip")
        assert values(answer) == ["10.1.0.1"]
        [(kind, _, others)] = choices(answer)
        assert kind == "stated"
        assert [citation for _, citation in others] == ["west/notes.md#atlas"]


def test_no_more_than_four_are_shown_and_the_rest_is_counted(app, tmp_path):
    for number in range(5):
        name = f"site{number}"
        documents = {"hosts.md": TABLE.format(name, f"10.9.0.{number}")}
        synced(app, local(app), tmp_path / name, documents, name=name)
    [choice] = app.resolve(local(app), "atlas ip", context="the machines in the east").chosen_by
    assert (len(choice.others), choice.more) == (4, 2)
