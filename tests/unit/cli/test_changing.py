"""What is set of a source is changed from the command line, beside a server that answers."""

from __future__ import annotations

import io

import pytest

from unit.cli import fake_knowledge as known
from unit.cli.conftest import is_two_lines
from unit.cli.test_knowledge import BELOW, said_to

KINDS = {
    "folder": {"path": "/srv/mytech", "include": "*.md"},
    "git_repo": {"repo_url": "https://x.org/a.git", "branch": "main"},
    "url": {"url": "https://x.org/a.md"},
    "manual_note": {"title": "On call", "text": "Ben is."},
    "upload": {},
}


@pytest.fixture
def changed(run, fake):
    """Change the source `mytech` of a kind with some words; return what was sent."""

    def changed(*words, kind="folder"):
        one = {**known.SOURCE, "source_type": kind, "config": KINDS[kind]}
        fake.answers["GET", f"{BELOW}/sources"] = {"sources": [one]}
        said = run("source", "change", "mytech", *words, "--url", fake.url)
        assert said.code == 0, said.err
        [body] = said_to(fake, "PUT", "sources/7")
        # What the client says always.
        return {name: value for name, value in body.items() if (name, value) != ("everybody", 0)}

    return changed


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        (["--name", "ours"], {"name": "ours"}),
        (["--schedule", "30 2 * * *"], {"sync_schedule": "30 2 * * *"}),
        (["--no-schedule"], {"sync_schedule": ""}),
        (["--time-zone", "Europe/Berlin"], {"time_zone": "Europe/Berlin"}),
        (["--agent", "ana", "--agent", "ben"], {"agents": ["ana", "ben"]}),
        (["--everybody"], {"everybody": True}),
        (["--no-token"], {"secret": ""}),
    ],
)
def test_what_is_named_changes_and_nothing_else_is_sent(changed, words, sent):
    assert changed(*words) == sent


@pytest.mark.parametrize(
    ("kind", "words", "config"),
    [
        ("folder", ["--include", "*.txt"], {"path": "/srv/mytech", "include": "*.txt"}),
        ("git_repo", ["--branch", ""], {"repo_url": "https://x.org/a.git", "branch": ""}),
        (
            "git_repo",
            ["https://x.org/b", "--path-filter", "docs/"],
            {"repo_url": "https://x.org/b", "branch": "main", "path_filter": "docs/"},
        ),
        ("url", ["https://x.org/b.md"], {"url": "https://x.org/b.md"}),
        ("manual_note", ["--note", "Ana is."], {"title": "On call", "text": "Ana is."}),
        ("manual_note", ["At home"], {"title": "At home", "text": "Ben is."}),
    ],
)
def test_the_rest_of_where_a_source_is_stays(changed, kind, words, config):
    assert changed(*words, kind=kind) == {"config": config}


def test_a_folder_is_named_by_its_whole_path(changed, tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    folder = str((tmp_path / "docs").resolve())
    assert changed("docs") == {"config": {"path": folder, "include": "*.md"}}


def test_another_text_of_a_note_may_come_from_stdin(changed, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("Ana is.\n"))
    assert changed("--note", "-", kind="manual_note")["config"]["text"] == "Ana is."


@pytest.mark.parametrize(("kind", "sent"), [("url", "Bearer abc"), ("git_repo", "abc")])
def test_another_token_is_sent_as_for_a_new_source(changed, fake, monkeypatch, kind, sent):
    monkeypatch.setenv("MY_TOKEN", "abc")
    assert changed("--token-env", "MY_TOKEN", kind=kind) == {"secret": sent}
    fake.asked.clear()
    monkeypatch.setattr("typer.prompt", lambda *_, **more: "abc" if more["hide_input"] else "")
    assert changed("--token", kind=kind) == {"secret": sent}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "--schedule or --name"),
        (["--schedule", "0 3 * * *", "--no-schedule"], "either --schedule or --no-schedule"),
        (["--agent", "ana", "--everybody"], "either --agent or --everybody"),
        (["--token", "--no-token"], "either --token or --no-token"),
        (["--token-env", "NOT_SET"], "--token-env"),
        (["--branch", "main"], "--branch is for a git_repo, and this is a folder"),
        (["--note", "Ana is."], "--note is for a manual_note, and this is a folder"),
        (["nowhere/to/be/found"], "there is no such folder"),
    ],
)
def test_what_cannot_be_changed_is_one_clear_line(run, fake, words, why):
    said = run("source", "change", "mytech", *words, "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert why in said.err
    assert said_to(fake, "PUT", "sources/7") == []


def test_a_token_that_was_asked_for_and_not_given_takes_none_away(run, fake, monkeypatch):
    monkeypatch.setattr("typer.prompt", lambda *_, **__: "  ")
    assert is_two_lines(run("source", "change", "mytech", "--token", "--url", fake.url), code=2)
    assert fake.asked == []


def test_uploads_are_at_no_other_place(run, fake):
    one = {**known.SOURCE, "source_type": "upload", "config": {}}
    fake.answers["GET", f"{BELOW}/sources"] = {"sources": [one]}
    said = run("source", "change", "mytech", "https://x.org", "--url", fake.url)
    assert is_two_lines(said, code=2)
    assert said_to(fake, "PUT", "sources/7") == []


def test_a_source_is_shown_as_it_is_now_and_what_its_documents_wait_for(run, fake):
    said = run("source", "change", "mytech", "--no-schedule", "--url", fake.url)
    assert said.out.startswith("changed: mytech (7, folder)\n")
    assert "at 03:00 every day" in said.out
    assert said.err == ""
    said = run("source", "change", "mytech", "--include", "*.md", "--url", fake.url)
    assert said.err == "its documents stay until it is synced: wellworn source sync 7\n"
