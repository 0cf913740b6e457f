"""Links that take the place of a folder which is a source: nothing outside of the roots is read."""

from __future__ import annotations

import pytest

from api.walls import founded
from api.world import accepted
from integration.hostile_server import KNOWLEDGE, Nobody, added, all_that_is_told, attacked, synced
from wellworn.engines.folder_watch import WatchedFolder

SECRET = "# Payroll\n\nThe vault word is Quillfeather.\n"


@pytest.fixture
def world(tmp_path):
    with attacked(tmp_path) as world:
        team = tmp_path / "docs" / "area" / "team"
        team.mkdir(parents=True)
        (team / "plain.md").write_text("# Plain\n\nThe lamp burns oil.\n")
        outside = tmp_path / "private"
        (outside / "team").mkdir(parents=True)
        for folder in (outside, outside / "team"):
            (folder / "payroll.md").write_text(SECRET)
        yield world


@pytest.fixture
def docs(tmp_path):
    return tmp_path / "docs"


def swap(folder, target):
    """Put a link in the place of a folder, as whoever may write beside it can."""
    folder.rename(folder.with_name(f"{folder.name}.before"))
    folder.symlink_to(target, target_is_directory=True)


@pytest.mark.parametrize("who", ["member", "open door"])
@pytest.mark.parametrize("place", ["area/team", "area", ""])
def test_a_link_in_the_place_of_a_folder_leads_nowhere(world, docs, tmp_path, who, place):
    caller = founded(world) if who == "member" else Nobody(world)
    config = {"path": str(docs / "area/team"), "watch": True}
    number = added(caller, "folder", "team", config)
    assert synced(caller, number)["message"] == "1 new"
    assert world.app.syncs.list_watched() == {number: WatchedFolder(str(docs / "area/team"))}
    swap(docs / place, tmp_path / "private")
    run = synced(caller, number)
    assert run["status"] == "blocked_by_policy"
    assert "name the folder itself" in run["message"]
    told = all_that_is_told(caller, "payroll", "vault")
    assert "Quillfeather" not in told
    assert "payroll.md" not in told
    assert "burns oil" in told
    assert world.app.syncs.list_watched() == {}


def test_a_member_names_a_link_and_gets_the_folder_that_it_led_to(world, docs, tmp_path):
    caller = founded(world)
    (docs / "current").symlink_to(docs / "area", target_is_directory=True)
    number = added(caller, "folder", "team", {"path": str(docs / "current" / "team")})
    shown = accepted(caller.get(f"{KNOWLEDGE}/sources/{number}"))
    assert shown["config"]["path"] == str(docs / "area/team")
    (docs / "current").unlink()
    (docs / "current").symlink_to(tmp_path / "private", target_is_directory=True)
    assert synced(caller, number)["message"] == "1 new"
    assert "Quillfeather" not in all_that_is_told(caller, "vault")


def test_a_link_that_stays_within_the_roots_is_followed_at_the_open_door(world, docs):
    caller = Nobody(world)
    (docs / "current").symlink_to(docs / "area", target_is_directory=True)
    number = added(caller, "folder", "team", {"path": str(docs / "current" / "team")})
    assert synced(caller, number)["message"] == "1 new"
