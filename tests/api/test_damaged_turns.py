"""What stands in place of a turn's file and is none spoils that file alone."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.routes import query
from api.walls import Caller, founded, served
from api.world import accepted, refused
from wellworn.application.maintenance import doctor
from wellworn.testing.embedder import HashEmbedder

SECRET = "the key of the pier"
Damage = Callable[[Path], object]


def link(path: Path) -> None:
    outside = path.parents[6] / "outside.txt"
    outside.write_text(SECRET)
    path.symlink_to(outside)


DAMAGES: dict[str, Damage] = {
    "link": link,
    "link to nothing": lambda path: path.symlink_to("/nonexistent"),
    "loop": lambda path: path.symlink_to(path.name),
    "folder": lambda path: (path / "inside.md").parent.mkdir(),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
NAMES = ["context.md", "journal.jsonl", "metadata.json"]


def ask(caller: Caller, text: str) -> Any:
    return accepted(caller.post("turns", query(text)))["turn"]


def assert_answered(caller: Caller, text: str) -> None:
    """Ask what no source tells, and expect the answer to say so."""
    answer = accepted(caller.post("turns", query(text)))
    assert answer["missing"] == ["GOAL_1"]
    assert answer["turn"]["ended_at"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_named_and_everything_else_goes_on(damage, name):
    with served() as world:
        owner = founded(world)
        owner.know("The lamp burns whale oil.")
        first, second = (ask(owner, f"What does the lamp burn {word}?") for word in ("on", "off"))
        [path] = Path(world.home).rglob(f"turn_{first['number']:06d}/{name}")
        path.unlink()
        DAMAGES[damage](path)
        answer = owner.get(f"turns/{first['id']}/files/{name}")
        refused(answer, 404, "TURN_NOT_FOUND")
        assert name in answer.json()["error"]["message"]
        assert "damaged" in answer.json()["error"]["message"]
        accepted(owner.get(f"turns/{first['id']}"))
        assert accepted(owner.get(f"turns/{second['id']}"))["turn"] == second
        files = accepted(owner.get(f"turns/{first['id']}/files"))["files"]
        assert name not in files
        assert "toolresults.md" in files or "ticket.md" in files
        exported = owner.everything()
        paths = {each["path"] for each in exported if each["record"] == "turn_file"}
        assert f"turns/turn_000002/{name}" in paths
        assert f"turns/turn_000001/{name}" not in paths
        assert SECRET not in json.dumps(exported)
        assert_answered(owner, "What does the lamp burn now?")
        [finding] = [
            each
            for each in doctor(world.home, embedder=HashEmbedder()).findings
            if each.check == "turns"
        ]
        assert f"turns/turn_000001/{name}" in finding.message
        accepted(owner.post("turns/rebuild"))
        if name != "metadata.json":  # Without it nothing says which turn the others are of.
            accepted(owner.send("DELETE", f"turns/{first['id']}"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["turns/index.md", ".owner"])
def test_a_damaged_index_is_written_anew_or_spoils_one_vault(damage, name):
    with served() as world:
        owner = founded(world)
        other = owner.guest(name="o")
        ask(owner, "Where is the lamp?")
        ask(other, "Where is the lamp?")
        [path] = [
            path
            for path in Path(world.home).rglob(name)
            if owner.member_id in str(path.parents[len(Path(name).parts) - 1])
        ]
        path.unlink()
        DAMAGES[damage](path)
        assert_answered(owner, "Where is the pier?")
        assert_answered(other, "Where is the pier?")
        assert path.is_file()
        assert not path.is_symlink()
        accepted(owner.get("turns"))
        assert SECRET not in owner.get("export").text


@pytest.mark.timeout(60)
def test_a_folder_of_a_turn_that_is_a_link_out_of_the_vault_is_not_followed():
    with served() as world:
        owner = founded(world)
        first, second = ask(owner, "Where is the lamp?"), ask(owner, "Where is the pier?")
        [path] = Path(world.home).rglob(f"turn_{first['number']:06d}")
        outside = Path(world.home).parent / "outside-turn"
        shutil.move(path, outside)
        (outside / "context.md").write_text(SECRET)
        path.symlink_to(outside)
        assert accepted(owner.get(f"turns/{second['id']}"))["turn"] == second
        assert_answered(owner, "Where is the lamp?")
        assert SECRET not in owner.get("export").text
        assert accepted(owner.get(f"turns/{first['id']}/files"))["files"] == []
        shutil.rmtree(outside)
