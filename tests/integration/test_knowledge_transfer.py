"""Knowledge travels with a space: out as records and in again, into a sealed space, and away."""

from __future__ import annotations

import pytest

from integration.knowledge_world import AGENTS, STORY, local, opened, synced, write
from knowledge_calls import call, sync_source
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import ArtifactName
from wellworn.domain.sources import SourceSettings
from wellworn.domain.spaces import Role
from wellworn.errors import Forbidden


@pytest.fixture
def app(tmp_path):
    settings = Settings(sources=SourceSettings(folder_roots=(str(tmp_path),)))
    with opened(tmp_path / "home", settings=settings) as app:
        yield app


def _worn(app, access, folder):
    """Sync the story with a conflict that is settled, a pin and an alias that was taught."""
    other = {"old.md": "# Old notes\n\n- **cube** (10.9.9.9) - Home GPU server.\n"}
    source = synced(app, access, folder, STORY | other)
    [conflict] = call(app, "conflicts")(access, with_closed=False)
    call(app, "decide")(access, conflict.id, "100.70.237.79", reason="moved in May")
    call(app, "pin")(access, "frigate", pinned=True)
    call(app, "learn")(access, "the box", "mytech/AGENTS.md#servers")
    app.resolve(access, "cube")
    return source


def _files(app, access):
    return {name: app.read_artifact(access, name).content for name in ArtifactName}


def test_what_was_exported_is_knowledge_elsewhere(app, tmp_path):
    access = local(app)
    _worn(app, access, tmp_path / "mytech")
    records = list(app.export(access))
    with opened(tmp_path / "other") as other:
        there = local(other)
        assert other.import_records(there, records).taken.imported == len(records)
        assert other.import_records(there, records).taken.imported == 0
        assert _files(other, there) == _files(app, access)
        [value, *_] = other.resolve(there, "cube").values
        assert value.value == "100.70.237.79"
        assert other.resolve(there, "the box").canonical == "mytech/AGENTS.md#servers"
        [source] = call(other, "sources")(there)
        # Nothing is read again as long as nothing changed where it comes from.
        assert sync_source(other, there, source.id).message == "4 unchanged"


def test_only_an_admin_brings_sources(app, tmp_path):
    synced(app, local(app), tmp_path / "mytech")
    records = [one for one in app.export(local(app)) if one["record"] == "source"]
    issued = app.administration.issue(None, "ann", role=Role.CONTRIBUTOR)
    with pytest.raises(Forbidden):
        app.import_records(app.enter(issued.key, None, writes=True), records)


def _founded(app, *, sealed=False):
    """Make a space and return the access of its admin."""
    made = app.administration.create(None, "lab", sealed=sealed)
    return made.issued.key, made.space.id


def _bytes_on_disk(home):
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_sealing_a_space_seals_its_knowledge(app, tmp_path):
    key, space = _founded(app)
    access = app.enter(key, space, writes=True)
    settled = synced(app, access, tmp_path / "mytech", name="mytech")
    before = _files(app, access)
    assert b"Home GPU server" in _bytes_on_disk(tmp_path / "home")
    app.administration.seal(access)
    sealed = app.enter(key, space, writes=True)
    assert sealed.mode == "sealed"
    assert _files(app, sealed) == before
    assert app.resolve(sealed, "cube").outcome == "resolved"
    assert app.search_documents(sealed, "kopia", limit=3, sources=None)
    [source] = call(app, "sources")(sealed)
    assert source.name == settled.name
    write(tmp_path / "mytech", {"new.md": "# New\n\nA marmalade lantern.\n"})
    assert sync_source(app, sealed, source.id).message == "1 new, 3 unchanged"
    with app.guard.pool.close_for(space):
        pass
    assert app.resolve(sealed, "cube").outcome == "resolved"
    app.close()
    left = _bytes_on_disk(tmp_path / "home")
    assert b"Home GPU server" not in left
    assert b"marmalade" not in left


def test_deleting_a_space_deletes_its_knowledge(app, tmp_path):
    key, space = _founded(app)
    access = app.enter(key, space, writes=True)
    _worn(app, access, tmp_path / "mytech")
    synced(app, local(app), tmp_path / "other", {"a.md": "# A\n\nLantern.\n"}, name="other")
    app.administration.delete(access)
    with app.database.read() as transaction:
        for table in ("knowledge_sources", "knowledge_documents"):
            assert transaction.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 1
        for table in ("term_pins", "learned_aliases", "fact_conflicts", "resolutions"):
            assert transaction.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    assert app.search_documents(local(app), "lantern", limit=3, sources=None)


def test_a_removed_source_leaves_nothing_behind(app, tmp_path):
    access = local(app)
    source = _worn(app, access, tmp_path / "mytech")
    app.syncs.remove_source(access, source.id)
    assert app.resolve(access, "cube").outcome == "unknown"
    assert app.resolve(access, "the box").outcome == "unknown"
    assert app.trace_facts(access, "cube") == ()
    assert call(app, "conflicts")(access, with_closed=False) == []
    assert app.read_artifact(access, ArtifactName.CATALOG).content == ("# Knowledge Base Catalog\n")
    with app.database.read() as transaction:
        for table in ("knowledge_documents", "knowledge_chunks", "derived_facts", "sync_runs"):
            assert transaction.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0


def test_a_decision_holds_after_a_sync_until_a_quote_changes(app, tmp_path):
    access = local(app)
    source = _worn(app, access, tmp_path / "mytech")
    folder = tmp_path / "mytech"
    write(folder, {"AGENTS.md": AGENTS.replace("overview", "survey")})
    sync_source(app, access, source.id)
    [conflict] = call(app, "conflicts")(access, with_closed=False)
    assert (conflict.state, conflict.resolution) == ("resolved", "100.70.237.79")
    best, *_ = app.resolve(access, "cube").values
    assert best.value == "100.70.237.79"
    write(folder, {"old.md": "# Old notes\n\n- **cube** (10.9.9.8) - Home GPU server.\n"})
    sync_source(app, access, source.id)
    [conflict] = call(app, "conflicts")(access, with_closed=False)
    assert conflict.state == "open"
    answer = app.resolve(access, "cube")
    assert answer.outcome == "ambiguous"
    assert "10.9.9.8" in answer.question
    (folder / "old.md").unlink()
    sync_source(app, access, source.id)
    assert call(app, "conflicts")(access, with_closed=False) == []
    assert app.resolve(access, "cube").outcome == "resolved"
