"""What a release wrote is opened by every later version, without loss.

`released/VERSION` holds what that version left: `database.sql` is its database as SQLite dumps it,
`server.key` its key, `bundle` its export. A release adds a folder; nothing in one ever changes.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wellworn.application.bootstrap import DATABASE
from wellworn.application.migrations import is_current, upgrade
from wellworn.engines.storage.sql import Database

RELEASED = Path(__file__).parent / "released"
RELEASES = sorted(folder.name for folder in RELEASED.iterdir())
KEY = "ww_hhobimaskm7b_kibhdaxkj7hsygxafklzma3n45edulmpa3pyeuaf6v5z47yxykgq"
ROLES = "Roles stay apart: explicit boundaries prevent role collapse."
pytestmark = pytest.mark.parametrize("release", RELEASES)


@pytest.fixture
def left(home, release):
    """A data folder as the release left it, with its index lost."""
    home.mkdir()
    with closing(sqlite3.connect(home / DATABASE)) as raw:
        raw.executescript((RELEASED / release / "database.sql").read_text("utf-8"))
    (home / "server.key").write_bytes((RELEASED / release / "server.key").read_bytes())
    (home / "server.key").chmod(0o600)
    return home


def said(ran):
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def recalled(wellworn, *words):
    sources = said(wellworn("recall", *words, "--json"))["result"]["sources"]
    return [(source["contributor"], source["content_preview"]) for source in sources]


def resolved(wellworn, term):
    [*values] = said(wellworn("knowledge", "resolve", term, "--json"))["values"]
    return [(value["attribute"], value["value"]) for value in values]


def schema(path):
    with closing(sqlite3.connect(path)) as raw:
        rows = raw.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: re.sub(r'[\s"]', "", sql) for name, sql in rows}


def test_its_database_becomes_what_a_new_one_is_and_keeps_its_rows(left, tmp_path):
    for path in (left / DATABASE, tmp_path / "new.db"):
        with closing(Database(path)) as database:
            upgrade(database)
            assert is_current(database)
    assert schema(left / DATABASE) == schema(tmp_path / "new.db")
    with closing(sqlite3.connect(left / DATABASE)) as raw:
        tables = ("thoughts", "query_log", "feedback", "credentials", "knowledge_documents")
        counts = [raw.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
    assert counts == [4, 7, 1, 1, 2]


def test_its_memory_answers(left, wellworn):
    assert recalled(wellworn, "what prevents role collapse?")[0] == ("ana", ROLES)
    assert ("cyd", "Whale oil keeps the lamp burning.") in recalled(wellworn, "lamp", "--key", KEY)
    assert ("ip", "100.70.237.79") in resolved(wellworn, "cube")
    assert said(wellworn("knowledge", "resolve", "the box", "--json"))["canonical"] == (
        "mytech/AGENTS.md#servers"
    )
    assert wellworn("stop").returncode == 0
    found = wellworn("doctor")
    assert found.returncode == 0, found.stdout


def test_its_export_is_imported(release, wellworn):
    bundle = RELEASED / release / "bundle"
    whole = sum(json.loads((bundle / "manifest.json").read_text("utf-8"))["records"].values())
    taken = said(wellworn("import", "bundle", str(bundle), "--json"))
    assert taken["imported"] == whole
    assert recalled(wellworn, "what prevents role collapse?")[0] == ("ana", ROLES)
    assert ("ip", "100.70.237.79") in resolved(wellworn, "cube")
