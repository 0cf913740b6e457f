"""Syncs as jobs of a server whose process dies: each is made once, and nothing of it is lost."""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager

import pytest

from knowledge_calls import call, sync_source
from patience import LONG_S, wait_until
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.knowledge import ArtifactName, Discovery
from wellworn.domain.sources import SYNC_JOB, NewSource, format_job_key
from wellworn.domain.sources.sync import Syncer
from wellworn.domain.spaces import local_access
from wellworn.testing.embedder import HashEmbedder

LOCAL = local_access()
GUIDE = "# Guide\n\n## Servers\n\ncube is 10.0.0.7.\n"
QUICK = Settings.model_validate({"jobs": {"poll_s": 0.05, "tick_s": 0.05}})


class Died(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    (made / "guide.md").write_text(GUIDE)
    (made / "other.md").write_text("# Other\n\nThe lantern hangs in the harbour.\n")
    return made


@contextmanager
def served(home):
    with closing(open_app(home, QUICK, embedder=HashEmbedder())) as app:
        app.syncs.begin(app.jobs)
        yield app


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def source(home, folder):
    with served(home) as app:
        new = NewSource("folder", "docs", {"path": str(folder)})
        return call(app, "create_source")(LOCAL, new).id


def messages(app, source):
    return [one.message for one in call(app, "runs")(LOCAL, source)]


def is_over(app, source):
    return app.jobs.find_active(SYNC_JOB, format_job_key(LOCAL.space, source)) is None


def die_in(monkeypatch, home, source, where, name):
    """Sync a source in a process that dies at a call."""
    dead = threading.Event()

    def deadly(*_, **__):
        dead.set()
        raise Died

    with served(home) as app, monkeypatch.context() as patch:
        patch.setattr(where, name, deadly)
        app.jobs.submit(SYNC_JOB, format_job_key(LOCAL.space, source))
        assert dead.wait(LONG_S)
        wait_until(lambda: not app.syncs.is_busy)


def test_a_sync_whose_process_died_after_its_end_is_not_made_again(home, source, monkeypatch):
    die_in(monkeypatch, home, source, Discovery, "compile")
    compiled = []
    compile_ = Discovery.compile

    def counted(self, *given, **more):
        compiled.append(more)
        return compile_(self, *given, **more)

    monkeypatch.setattr(Discovery, "compile", counted)
    with served(home) as app:
        wait_until(lambda: is_over(app, source))
        # A server that starts looks at the folder, too, and finds nothing new.
        asked = [one for one in call(app, "runs")(LOCAL, source) if one.trigger != "start"]
        assert [one.message for one in asked] == ["2 new"]
        assert len(compiled) == 1
        assert sync_source(app, LOCAL, source).message == "2 unchanged"


def test_what_moved_before_the_process_died_is_told_of_at_its_new_place(
    home, folder, source, monkeypatch
):
    with served(home) as app:
        sync_source(app, LOCAL, source)
        assert "guide.md" in app.read_artifact(LOCAL, ArtifactName.CATALOG).content
    (folder / "guide.md").rename(folder / "servers.md")
    die_in(monkeypatch, home, source, Discovery, "compile")
    with served(home) as app:
        wait_until(lambda: is_over(app, source))
        catalog = app.read_artifact(LOCAL, ArtifactName.CATALOG).content
        assert "servers.md" in catalog
        assert "guide.md" not in catalog
        # A server that starts looks at the folder, too, unless the job was quicker.
        others = [message for message in messages(app, source) if message != "2 unchanged"]
        assert others == ["1 moved, 1 unchanged", "2 new"]


def test_a_sync_whose_process_died_before_its_end_is_made_again(home, source, monkeypatch):
    die_in(monkeypatch, home, source, Syncer, "_publish")
    with served(home) as app:
        wait_until(lambda: is_over(app, source))
        # The first one had published them, and not compiled.
        assert messages(app, source)[0] == "2 unchanged"
        assert "guide.md" in app.read_artifact(LOCAL, ArtifactName.CATALOG).content
        assert all(one.finished_at for one in call(app, "runs")(LOCAL, source))
        assert len(messages(app, source)) == 2
