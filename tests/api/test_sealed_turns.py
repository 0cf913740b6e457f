"""Turns stay with their space, whether it is sealed or unsealed, and leave nothing behind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from api.routes import query
from api.walls import founded, served
from api.world import accepted, refused
from wellworn.application.calls import sealed_storage
from wellworn.errors import StorageUnavailable

LAMP = "The lamp burns whale oil."


def ask(caller: Any) -> str:
    return accepted(caller.post("turns", query("lamp burns whale oil?")))["turn"]["id"]


@pytest.mark.parametrize("sealed", [True, False])
def test_turns_stay_when_their_space_is_sealed_and_unsealed(sealed):
    with served() as world:
        owner = founded(world, sealed=sealed)
        owner.know(LAMP)
        turns = [ask(member) for member in (owner, owner.guest())]
        before = [see(owner, turn) for turn in turns]
        for change in ("unseal", "seal") if sealed else ("seal", "unseal", "seal"):
            space = accepted(owner.post(f"spaces/{owner.space}/{change}"))["id"]
            owner = replace(owner, space=space)
            with world.app.guard.pool.close_for(space):
                pass
            assert [see(owner, turn) for turn in turns] == before
            assert len(list(world.home.rglob("context.md"))) == (2 if change == "unseal" else 0)


def see(caller: Any, turn: str) -> Any:
    """Return everything that a turn has."""
    files = accepted(caller.get(f"turns/{turn}/files"))["files"]
    texts = [caller.get(f"turns/{turn}/files/{path}").text for path in files]
    return accepted(caller.get(f"turns/{turn}")), files, texts


def test_unsealing_that_fails_leaves_no_turn_readable_on_the_disk(monkeypatch):
    with served() as world:
        owner = founded(world, sealed=True)
        owner.know(LAMP)
        turn = ask(owner)
        before = see(owner, turn)
        with monkeypatch.context() as patch:
            patch.setattr(sealed_storage, "drop_all", fail)
            refused(owner.post(f"spaces/{owner.space}/unseal"), 500, "INTERNAL_ERROR")
        assert list(world.home.rglob("context.md")) == []
        assert see(owner, turn) == before
        owner = replace(owner, space=accepted(owner.post(f"spaces/{owner.space}/unseal"))["id"])
        assert see(owner, turn) == before


def test_turns_of_a_sealed_space_are_archived_inside_of_it():
    with served() as world:
        owner = founded(world, sealed=True)
        owner.know(LAMP)
        turn = ask(owner)
        before = see(owner, turn)
        body = {"before": "2999-01-01"}
        assert len(accepted(owner.post("turns/archive", body | {"dry_run": True}))["turns"]) == 1
        [archived] = accepted(owner.post("turns/archive", body))["turns"]
        assert archived["id"] == turn
        assert accepted(owner.get("turns"))["turns"] == []
        [listed] = accepted(owner.get("turns", params={"archived": "true"}))["turns"]
        assert listed["archived_at"] is not None
        assert see(owner, turn)[1:][0] == before[1]
        assert list(world.home.rglob("context.md")) == []
        restored = accepted(owner.post(f"turns/{turn}/restore"))
        assert restored == before[0]["turn"]
        assert see(owner, turn) == before
        entries = [entry for entry in owner.trail() if entry["action"] == "turn.archived"]
        assert len(entries) == 3


def test_nobody_archives_or_restores_the_turns_of_another_member():
    with served() as world:
        owner = founded(world)
        owner.know(LAMP)
        turn = ask(owner)
        guest = owner.guest("contributor")
        body = {"before": "2999-01-01"}
        assert accepted(guest.post("turns/archive", body))["turns"] == []
        refused(guest.post(f"turns/{turn}/restore"), 404, "TURN_NOT_FOUND")
        assert len(accepted(owner.post("turns/archive", body))["turns"]) == 1


def fail(*_: object) -> None:
    raise StorageUnavailable("the disk is full; nothing was written")


def test_opening_a_sealed_space_in_which_nothing_was_interrupted_writes_nothing():
    with served() as world:
        owner = founded(world, sealed=True)
        ask(owner)
        pool, frames = world.app.guard.pool, []
        for _ in range(2):
            accepted(owner.get("turns"))
            frames.append(pool._open[owner.space].services.seal.frame())
            with pool.close_for(owner.space):
                pass
        assert frames[0] == frames[1]


def test_the_index_of_a_sealed_space_is_made_anew_from_its_files():
    with served() as world:
        owner = founded(world, sealed=True)
        turns = [(member, ask(member)) for member in (owner, owner.guest())]
        before = [see(member, turn) for member, turn in turns]
        assert accepted(owner.post("turns/rebuild")) == {"indexed": 2}
        assert [see(member, turn) for member, turn in turns] == before
