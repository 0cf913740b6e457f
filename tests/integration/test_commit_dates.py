"""A git source tells when a commit changed each document last, and answers say so."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from integration.fetch_servers import LOOPBACK
from integration.git_servers import GitServer, Repository
from integration.knowledge_world import local, opened
from knowledge_calls import call, sync_source
from wellworn.application.bootstrap import DATABASE
from wellworn.application.settings import Settings
from wellworn.domain.sources import NewSource
from wellworn.engines.fetch import FetchSettings
from wellworn.kit.clock import format_day

OLD = b"# Hosts\n\n- **kite-1** (10.0.0.1) - the file server.\n"
NEW = b"# Network\n\n- **kite-1** (10.0.0.2) - serves files.\n"


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "served" / "docs.git")


@pytest.fixture
def world(tmp_path, repository):
    """Yield what syncs the repository and returns what is then asked with."""
    fetch = FetchSettings(private_networks=LOOPBACK)
    with (
        closing(GitServer(repository.folder.parent)) as server,
        opened(tmp_path / "home", settings=Settings(fetch=fetch)) as app,
    ):
        access = local(app)
        new = NewSource("git_repo", "docs", {"repo_url": server.url()})
        source = call(app, "create_source")(access, new)

        def sync():
            run = sync_source(app, access, source.id)
            assert run.status == "success", run.message
            return app, access

        yield sync


def test_of_two_values_the_later_commit_is_told_first_and_none_is_chosen(world, repository):
    first = repository.commit({"hosts.md": OLD}, day="2021-03-04")
    repository.commit({"hosts.md": OLD, "network.md": NEW}, parent=first, day="2025-06-07")
    app, access = world()
    answer = app.resolve(access, "kite-1 ip")
    assert answer.outcome == "ambiguous"
    days = [(quote.path, format_day(quote.committed_at)) for quote in answer.evidence]
    assert days == [("network.md", "2025-06-07"), ("hosts.md", "2021-03-04")]
    assert "10.0.0.2 (docs/network.md, 2025-06-07) or" in answer.question


def test_a_document_that_stays_has_the_day_of_its_latest_commit(world, repository):
    first = repository.commit({"hosts.md": OLD}, day="2021-03-04")
    world()
    files = {"hosts.md": OLD.replace(b"file", b"mail"), "network.md": b"# Network\n\nCables.\n"}
    changed = repository.commit(files, parent=first, day="2025-06-07")
    repository.commit({**files, "hosts.md": OLD}, parent=changed, day="2026-01-02")
    app, access = world()
    quotes = app.resolve(access, "kite-1").evidence
    assert [format_day(quote.committed_at) for quote in quotes] == ["2026-01-02"]


@pytest.mark.parametrize("moment", ["1700000000000", "'2025-06-07'", "-1"])
def test_what_is_no_moment_is_no_date(world, repository, tmp_path, moment):
    repository.commit({"hosts.md": OLD}, day="2021-03-04")
    app, access = world()
    lie = (
        f"UPDATE knowledge_documents SET metadata = json_set(metadata, '$.committed_at', {moment})"
    )
    with closing(sqlite3.connect(tmp_path / "home" / DATABASE)) as database:
        database.execute(lie)
        database.commit()
    [quote] = app.resolve(access, "kite-1").evidence
    assert quote.committed_at is None
