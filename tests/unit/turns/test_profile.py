"""What turns say of their users: what holds, what held before, and what comes back."""

from __future__ import annotations

import pytest

from wellworn.domain.thoughts.truth import read_scope
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.models import Intent, Turn, TurnStatus
from wellworn.domain.turns.profile import FACTS, PREFERENCES, UserProfiles, list_lines
from wellworn.kit.clock import from_iso

NOW = from_iso("2026-06-01")


@pytest.fixture
def vault(tmp_path):
    return FolderVault(tmp_path)


@pytest.fixture
def profiles():
    return UserProfiles()


def say(profiles, vault, number, query, day=None):
    moment = from_iso(day or f"2026-05-{number:02d}")
    turn = Turn(
        "id", "ada", number, TurnStatus.DONE, query, query, "general", Intent.INFORMATIONAL,
        "extractive", "", None, moment,
    )  # fmt: skip
    profiles.learn(vault, turn)


def list_held(vault, path, question=""):
    scope = read_scope(question, NOW)
    return [each.line.value for each in list_lines(vault, path, scope, now=NOW)]


def read_rows(vault, path):
    return [row for row in vault.read(path).split("\n") if row.startswith("- ")]


def test_a_later_statement_takes_the_place_of_an_earlier_one_which_stays_with_its_dates(
    vault, profiles
):
    say(profiles, vault, 1, "My editor is Helix.")
    say(profiles, vault, 2, "My editor is now Zed.")
    assert list_held(vault, FACTS) == ["Zed"]
    link = "[[turns/turn_000001/context|turn_000001]]"
    assert read_rows(vault, FACTS) == [
        f"- ~~**editor:** Helix~~ (replaced in turn 2; turn 1, {link}, 2026-05-01 to 2026-05-02)",
        "- **editor:** Zed (turn 2, [[turns/turn_000002/context|turn_000002]], since 2026-05-02)",
    ]


@pytest.mark.parametrize(
    ("gone", "held"),
    [({3}, ["Zed"]), ({2}, ["Vim"]), ({2, 3}, ["Helix"]), ({1, 2, 3}, []), ({9}, ["Vim"])],
)
def test_a_turn_that_is_gone_gives_back_what_it_replaced(vault, profiles, gone, held):
    for number, editor in enumerate(("Helix", "Zed", "Vim"), 1):
        say(profiles, vault, number, f"My editor is {editor}.")
    profiles.forget(vault, gone)
    assert list_held(vault, FACTS) == held
    assert len(read_rows(vault, FACTS)) == 3 - len(gone & {1, 2, 3})


def test_a_statement_that_was_repeated_outlives_its_first_turn(vault, profiles):
    say(profiles, vault, 1, "My editor is Helix.")
    say(profiles, vault, 2, "My editor is helix.")
    assert "said again in turn 2" in read_rows(vault, FACTS)[0]
    profiles.forget(vault, {1})
    assert list_held(vault, FACTS) == ["helix"]


def test_what_can_be_true_beside_another_replaces_nothing(vault, profiles):
    say(profiles, vault, 1, "I use Postgres. I prefer window seats.")
    say(profiles, vault, 2, "I use Helix. I prefer black tea.")
    assert list_held(vault, FACTS) == ["Postgres", "Helix"]
    assert list_held(vault, PREFERENCES) == ["window seats", "black tea"]


@pytest.mark.parametrize(
    "change",
    ["I prefer coffee instead of tea.", "I now prefer coffee rather than tea.",
     "I no longer prefer tea."],
)  # fmt: skip
def test_what_a_user_puts_in_place_of_another_replaces_it_however_unlike(vault, profiles, change):
    say(profiles, vault, 1, "I prefer tea. I prefer window seats.")
    say(profiles, vault, 2, change)
    assert list_held(vault, PREFERENCES)[0] == "window seats"
    assert "replaced in turn 2;" in read_rows(vault, PREFERENCES)[0]
    assert "tea" not in list_held(vault, PREFERENCES)


def test_that_something_holds_now_is_no_part_of_it(vault, profiles):
    say(profiles, vault, 1, "My editor is Emacs.")
    say(profiles, vault, 2, "My editor is Vim now.")
    assert list_held(vault, FACTS) == ["Vim"]


def test_a_turn_that_is_imported_later_and_older_replaces_nothing(vault, profiles):
    say(profiles, vault, 1, "My editor is Zed.")
    say(profiles, vault, 2, "My editor is Emacs.", day="2019-01-01")
    assert list_held(vault, FACTS) == ["Zed"]
    assert "2019-01-01 to 2026-05-01" in read_rows(vault, FACTS)[1]


def test_who_asks_about_the_past_is_told_what_held_and_what_followed(vault, profiles):
    say(profiles, vault, 1, "My editor is Helix.")
    say(profiles, vault, 2, "My editor is Helix.")
    say(profiles, vault, 10, "My editor is Zed.")
    question = "What was my editor previously?"
    titles = [each.title for each in list_lines(vault, FACTS, read_scope(question, NOW), now=NOW)]
    assert titles == ["editor (2026-05-02 to 2026-05-10, then Zed)", "editor"]
    assert list_held(vault, FACTS, "What was my editor on 5 May 2026?") == ["Helix", "Zed"]
    assert list_held(vault, FACTS, "What is my editor?") == ["Zed"]


def test_saving_a_turn_again_learns_nothing_twice(vault, profiles):
    say(profiles, vault, 1, "My editor is Helix.")
    before = vault.read(FACTS)
    say(profiles, vault, 1, "My editor is Helix.")
    assert vault.read(FACTS) == before


def test_what_people_write_and_strike_out_stays(vault, profiles):
    say(profiles, vault, 1, "My editor is Helix. My city is Berlin.")
    text = vault.read(FACTS).replace("**city:** Berlin", "~~**city:** Berlin~~")
    vault.write(FACTS, text.replace("Helix", "Kakoune") + "\nA note of my own.\n")
    assert list_held(vault, FACTS) == ["Kakoune"]
    say(profiles, vault, 2, "My shell is fish.")
    profiles.forget(vault, {2})
    assert list_held(vault, FACTS) == ["Kakoune"]
    assert "\nA note of my own.\n" in vault.read(FACTS)


def test_files_of_earlier_versions_are_read(vault, profiles):
    link = "[[turns/turn_000001/context|turn_000001]]"
    vault.write(
        FACTS,
        f"# Facts\n\n- ~~**editor:** Vim~~ (superseded in turn 2; turn 1, {link})\n"
        f"- **editor:** Helix (turn 2, {link})\n",
    )
    assert list_held(vault, FACTS) == ["Helix"]
    profiles.forget(vault, {2})
    assert list_held(vault, FACTS) == ["Vim"]
