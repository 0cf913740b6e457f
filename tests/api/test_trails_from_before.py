"""What a server left that did not seal trails yet is read, verified and continued, now sealed."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Column, MetaData, Table

from api.sealed_world import Anywhere, Place, founded, restarted
from api.world import accepted
from empty_memory import of_files
from wellworn.application.bootstrap import DATABASE, opening
from wellworn.application.calls import sealed_storage
from wellworn.application.migrations import is_current, upgrade
from wellworn.domain.audit import store
from wellworn.domain.audit.keys import TrailKeys
from wellworn.domain.knowledge.store import learning, rulings
from wellworn.domain.sources import transfer as sources_transfer
from wellworn.domain.sources.store import handbook as handbook_store
from wellworn.domain.sources.store import sources as sources_store
from wellworn.domain.spaces.store import spaces as spaces_store
from wellworn.domain.spaces.tables import invitations
from wellworn.domain.thoughts.store import (
    bridges,
    co_use,
    consolidations,
    decisions,
    events,
    exports,
    policies,
    purge,
    replacements,
    rows,
    sightings,
)
from wellworn.domain.thoughts.tables import thoughts
from wellworn.domain.turns import store as turn_store
from wellworn.engines.storage.sql import Database

BEFORE = "0012"
LATER = {"judged_at", "made_with"}
"""Columns of thoughts and invitations that came since."""
LATER_TABLES = {
    *("thought_ends", "topics", "topic_changes", "topic_trees"),
    *("decisions", "sightings", "co_use_verdicts"),
    *("consolidations", "consolidation_sources", "sleeps", "learned_policies", "bridges"),
}
NOT_DONE = (
    *((decisions, "save"), (decisions, "insert_exported"), (sightings, "save")),
    *((consolidations, "find_covering"), (consolidations, "forget_told")),
    *((co_use, "forget_verdicts"), (policies, "forget"), (bridges, "forget")),
)
"""What was written down later, or brought together."""
LAMP = "The lamp burns whale oil."
ENVELOPE = {"digest", "pen", "sealed"}

pytestmark = of_files


def hide_later(table: Table) -> Table:
    """Return a table as it was."""
    columns = [each for each in table.c if each.name not in LATER]
    return Table(table.name, MetaData(), *(Column(each.name, each.type) for each in columns))


@pytest.fixture
def before():
    """Let servers do as they did before trails were sealed, until this is undone."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (opening, sealed_storage):
            patch.setattr(module, "upgrade", partial(upgrade, to=BEFORE))
        patch.setattr(TrailKeys, "seal", lambda self, at, space, seq, entry, **_: entry)
        for name in ("renew", "confirm", "remember", "release", "forget"):
            patch.setattr(TrailKeys, name, lambda self, *_, **__: None)
        patch.setattr(store, "list_keys", lambda *_: [])
        # What came later of sources and of names; these spaces have none.
        patch.setattr(handbook_store, "find_source", lambda *_: None)
        patch.setattr(sources_store, "list_visible", lambda *_: [])
        patch.setattr(sources_transfer, "read_sources", lambda *_: ())
        patch.setattr(learning, "list_aliases", lambda *_: ())
        patch.setattr(rulings, "list_rulings", lambda *_: ())
        patch.setattr(rulings, "purge", lambda *_: None)
        # What came later of thoughts: no model was asked about these.
        for module in (rows, exports, events):
            patch.setattr(module, "thoughts", hide_later(thoughts))
        # Nothing was kept of what calls decided, and of what reading showed to whom.
        patch.setattr(sightings, "filter_unseen", lambda *_: [])
        patch.setattr(decisions, "export_decisions", lambda *_: {})
        for module, name in NOT_DONE:
            patch.setattr(module, name, lambda *_, **__: None)
        # Nothing was replaced or given an end, and nobody sorted topics.
        for kind in ("replacement", "end"):
            patch.setitem(exports.EXPORTERS, kind, lambda _: iter(()))
        patch.setattr(replacements, "_load_links", lambda _, seqs, *__, **___: ([], {}, seqs))
        nothing = replacements._SIGNALS
        patch.setattr(replacements, "_REPLACEMENTS", nothing)
        patch.setattr(replacements, "_OBJECTIONS", nothing)
        patch.setattr(consolidations, "_COVERING", nothing)
        for name in ("_OF_A_THOUGHT", "_OF_A_SPACE"):
            there = [each for each in getattr(purge, name) if each.name not in LATER_TABLES]
            patch.setattr(purge, name, there)
        # No weights were learned, and no log was judged.
        for module, name in ((co_use, "list_verdicts"), (policies, "list_policies")):
            patch.setattr(module, name, lambda *_, **__: [])
        # Nobody was invited into these spaces.
        patch.setattr(spaces_store, "invitations", hide_later(invitations))
        patch.setattr(spaces_store, "withdraw_made_with", lambda *_: None)
        # Tables of turns that came later; no turn was asked in these spaces.
        patch.setattr(turn_store, "clear_index", lambda *_: None)
        patch.setattr(turn_store, "list_begun", lambda *_: [])
        yield patch


@pytest.fixture
def anywhere(opened):
    return Anywhere(opened)


@pytest.fixture
def left(before, anywhere, opened):
    """Two spaces as they were left: one that was founded sealed, one that is sealed again."""
    opened.home.mkdir()
    with closing(Database(opened.home / DATABASE)) as database:
        upgrade(database, to=BEFORE)
    world = anywhere()
    places = [founded(world), founded(world, "again", sealed=False)]
    places[1].change("/seal")
    for place in places:
        live(place)
    for change in ("/unseal", "/seal"):
        places[1].change(change)
    exports = [export(place) for place in places]
    for place in places:
        world.app.guard.audit.checkpoint(place.space)
    world.app.close()
    names = world.rows(
        "SELECT name FROM sqlite_master WHERE name LIKE 'audit_%' AND type = 'table'"
    )
    assert {name for (name,) in names} == {"audit_entries", "audit_checkpoints"}
    assert world.rows("SELECT version_num FROM alembic_version") == [(BEFORE,)]
    before.undo()
    return list(zip(places, exports, strict=True))


def live(place: Place) -> None:
    place.know(LAMP)
    place.ask("What does the lamp burn?")
    place.shared("bob").ask("What does the lamp burn?")


def export(place: Place) -> str:
    return place.client.get("/api/v1/audit/export").text


def entries(place: Place) -> list[dict[str, Any]]:
    return place.read("audit", limit=1000)["entries"]


def stored(place: Place) -> list[Any]:
    rows = place.rows(
        "SELECT entry FROM audit_entries WHERE space_id = ? ORDER BY seq", place.space
    )
    return [json.loads(entry) for (entry,) in rows]


def test_it_is_verified_read_and_goes_on_sealed(anywhere, left):
    world = restarted(anywhere, left[0][0])
    assert is_current(world.app.database)
    for place, exported in left:
        place = reach(world, place)  # noqa: PLW2901 - the same one on the new server
        clear = stored(place)
        assert clear
        assert not [entry for entry in clear if set(entry) == ENVELOPE]
        assert world.app.guard.audit.verify(place.space).checkpoints == 1
        # Nobody has opened the space yet, so nothing was sealed for a key of it.
        assert place.ask("What does the lamp burn?")["result"]["sources"]
        assert [entry["action"] for entry in entries(place)][: len(clear)] == [
            entry["action"] for entry in clear
        ]
        place.close()
        now = stored(place)
        assert now[: len(clear)] == clear
        assert {frozenset(entry) for entry in now[len(clear) :]} == {frozenset(ENVELOPE)}
        verdict = place.read("audit/verify")
        assert (verdict["ok"], verdict["checkpoints"]) == (True, 1)
        assert export(place).startswith(exported)


@pytest.mark.parametrize("change", ["/rotate", "/unseal"])
def test_its_space_is_given_another_key_or_none(anywhere, left, change):
    world = restarted(anywhere, left[0][0])
    for place, _ in left:
        place = reach(world, place)  # noqa: PLW2901 - the same one on the new server
        place.know("The boat comes on Monday.")
        before = [entry["action"] for entry in entries(place)]
        space = place.change(change)["id"]
        assert world.app.guard.audit.verify(place.space).ok
        if space == place.space:
            assert [entry["action"] for entry in entries(place)][: len(before)] == before
        there = replace(place, client=replace(place.client, space=space))
        assert accepted(there.client.get("/api/v1/search?q=lamp"))["results"]


def reach(world: Place, place: Place) -> Place:
    """Return a space as it is reached on another server."""
    client = replace(place.client, client=world.client.client)
    return replace(place, clock=world.clock, app=world.app, client=client)
