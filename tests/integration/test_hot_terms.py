"""The file of hot terms: new at once for documents and pins, some time later for what is asked."""

from __future__ import annotations

from contextlib import closing

import pytest

from integration.knowledge_world import local, synced, write
from knowledge_calls import call, sync_source
from wellworn.application.bootstrap import open_app
from wellworn.domain.knowledge import ArtifactName
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def app(tmp_path, clock):
    with closing(open_app(tmp_path / "home", clock=clock, embedder=HashEmbedder())) as app:
        synced(app, local(app), tmp_path / "docs")
        hot(app)
        clock.advance(1)
        yield app


def hot(app):
    return app.read_artifact(local(app), ArtifactName.HOT_TERMS)


def ask_often(app):
    for _ in range(4):
        app.resolve(local(app), "cube", agent_id="ann")


def test_what_is_asked_often_makes_no_caller_wait_for_a_new_file(app, clock):
    before = hot(app)
    ask_often(app)
    assert hot(app) == before
    clock.advance(3_600)
    assert hot(app).compiled_at > before.compiled_at


def test_a_pin_is_in_the_file_at_once(app):
    before = hot(app)
    call(app, "pin")(local(app), "Kopia", pinned=True)
    assert hot(app).compiled_at > before.compiled_at


def test_a_changed_document_is_in_the_file_at_once(app, tmp_path):
    before = hot(app)
    write(tmp_path / "docs", {"backups/README.md": "# Backups\n\nRestic is the backup tool.\n"})
    [source] = call(app, "sources")(local(app))
    sync_source(app, local(app), source.id)
    assert hot(app).compiled_at > before.compiled_at


REPORTS = {
    "reports/2024-03-01-dobrava-down.md": "# 2024-03-01 Dobrava down\n\nIts disk was full.\n",
    "reports/2024-04-02-vrbas-upgrade.md": "# Vrbas upgrade\n\n- **brijeg**: the spare disk\n",
    "reports/2024-05-03-sutla.md": "# Sutla\n\nSutla is the proxy of the east wing.\n",
}


def test_a_report_of_a_day_brings_what_it_is_called_and_nothing_with_a_date(app, tmp_path):
    synced(app, local(app), tmp_path / "lab", REPORTS, name="lab")
    terms = [row.split("|")[1].strip() for row in hot(app).content.splitlines() if "|" in row]
    assert "sutla" in terms
    assert "brijeg" not in terms
    assert not any("2024" in term for term in terms)


def test_what_only_a_report_explains_is_hot_when_it_is_pinned(app, tmp_path):
    synced(app, local(app), tmp_path / "lab", REPORTS, name="lab")
    call(app, "pin")(local(app), "brijeg", pinned=True)
    assert "lab/reports/2024-04-02-vrbas-upgrade.md" in hot(app).content
