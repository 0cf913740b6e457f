"""A fake server, the command line beside it, and what the command line said."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
import typer

from unit.cli.fake_server import running
from wellworn.interfaces.cli import main
from wellworn.interfaces.cli.app import app

VARIABLES = ("URL", "AGENT", "AGENT_NAME", "KEY", "SPACE")


@dataclass
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def fake():
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def commands():
    """Make the commands once: making them takes three times as long as running one of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wellworn.interfaces.cli.app.app", typer.main.get_command(app))
        yield


@pytest.fixture
def run(capsys, monkeypatch, tmp_path, commands):
    for name in VARIABLES:
        monkeypatch.delenv(f"WELLWORN_{name}", raising=False)
    monkeypatch.setenv("WELLWORN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return run


def is_two_lines(said, code):
    assert said.code == code
    assert said.out == ""
    first, second = said.err.splitlines()
    assert first.startswith("error: ")
    assert second.startswith("try: ")
    return True


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A home directory of its own, and a project in it."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setattr("sys.platform", "linux")
    project = tmp_path / "user" / "shop"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    return tmp_path / "user"
