"""A backup stands in the server's trail; one that cannot be written down is made all the same."""

from __future__ import annotations

import logging
from contextlib import closing

import pytest

from wellworn.application.bootstrap import open_app
from wellworn.application.calls import SERVER_TRAIL
from wellworn.application.maintenance import backup
from wellworn.errors import InvalidInput
from wellworn.testing.embedder import HashEmbedder


@pytest.fixture
def home(tmp_path):
    open_app(tmp_path / "home", embedder=HashEmbedder()).close()
    return tmp_path / "home"


def told(home):
    """Return the actions of the server's trail and who did them; the trail holds."""
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        audit = app.guard.audit
        assert audit.verify(SERVER_TRAIL).ok
        found = [one.entry for one in audit.entries(SERVER_TRAIL)]
        return [(str(one.action), one.actor.principal) for one in found]


def test_a_backup_is_in_the_trail_of_the_memory_it_was_made_of(home, tmp_path):
    backup(home, tmp_path / "copy")
    assert told(home) == [("backup.made", "local")]


def test_a_backup_beside_a_server_joins_the_trail_that_the_server_writes(home, tmp_path):
    with closing(open_app(home, embedder=HashEmbedder())) as app:
        app.administration.issue(None, "ana")
        backup(home, tmp_path / "copy")
        app.administration.issue(None, "ben")
    assert [action for action, _ in told(home)] == [
        "credential.created",
        "backup.made",
        "credential.created",
    ]


def test_a_backup_that_was_refused_is_not_in_it(home, tmp_path):
    (tmp_path / "copy").mkdir()
    with pytest.raises(InvalidInput):
        backup(home, tmp_path / "copy")
    assert told(home) == []


def test_without_the_server_s_key_the_backup_is_made_and_the_log_says_what_is_missing(
    home, tmp_path, caplog
):
    (home / "server.key").unlink()
    with caplog.at_level(logging.WARNING):
        backup(home, tmp_path / "copy")
    assert "not in the audit trail" in caplog.text
    assert (tmp_path / "copy" / "wellworn.db").is_file()
    assert not (home / "server.key").exists()
