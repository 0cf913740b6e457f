"""Folders that a stranger made, in which somebody runs commands: what they may not do there."""

from __future__ import annotations

import os

import pytest

from unit.cli.fake_turns import ANSWER, TURN
from wellworn.engines.formats import (
    read_markdown,
    read_practices,
    read_transcript,
    write_bundle,
)
from wellworn.engines.projects import find_project

SECRET = "quillfeather"


@pytest.fixture
def private(tmp_path):
    """What the one who runs a command can read and write, and the stranger cannot."""
    folder = tmp_path / "private"
    folder.mkdir()
    for name in ("notes.md", "talk.jsonl", "profile"):
        (folder / name).write_text(f'{{"speaker": "ana", "text": "{SECRET}"}}\n')
    return folder


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    folder = tmp_path / "stranger"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def read_all(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_an_export_to_a_file_follows_no_link_in_the_place_of_its_draft(
    run, fake, private, stranger
):
    (stranger / "all.jsonl.partial").symlink_to(private / "profile")
    before = read_all(private)
    assert run("export", "all.jsonl", "--url", fake.url).code == 0
    assert "record" in (stranger / "all.jsonl").read_text()
    assert read_all(private) == before


def test_an_export_to_a_folder_follows_no_link_in_the_place_of_its_draft(private, stranger):
    (stranger / "bundle.partial").symlink_to(private)
    before = read_all(private)
    write_bundle([], stranger / "bundle")
    assert (stranger / "bundle" / "manifest.json").is_file()
    assert read_all(private) == before


def test_an_export_over_a_bundle_deletes_nothing_behind_a_link(run, fake, private, stranger):
    write_bundle([], stranger / "bundle")
    (stranger / "bundle" / "markdown").rmdir()
    (stranger / "bundle" / "markdown").symlink_to(private)
    before = read_all(private)
    said = run("export", "bundle", "--url", fake.url)
    assert (said.code, read_all(private)) == (1, before)
    assert "link" in said.err


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read_markdown, "notes.md"),
        (read_practices, "notes.md"),
        (read_transcript, "talk.jsonl"),
    ],
)
def test_an_import_of_a_folder_brings_in_nothing_from_outside(private, stranger, read, name):
    (stranger / "own").mkdir()
    (stranger / "own" / f"own-{name}").write_text((private / name).read_text())
    (stranger / "own" / name).symlink_to(private / name)
    os.mkfifo(stranger / f"pipe-{name}")
    (stranger / f"device-{name}").symlink_to("/dev/zero")
    told = []
    assert str(list(read(stranger, told.append))).count(SECRET) == 1
    assert f"own/{name}: a link out of the folder; it was left out" in told


@pytest.mark.parametrize("place", [".git/config", ".git", ".git/commondir"])
@pytest.mark.parametrize("kind", ["pipe", "device", "size"])
def test_what_has_no_end_in_a_repository_ends_no_command(stranger, place, kind):
    file = stranger / place
    file.parent.mkdir(exist_ok=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.touch()
        os.truncate(file, 1 << 40)
    project = find_project(stranger)
    assert project is None or project.directory == stranger


def test_a_question_to_whoever_runs_a_command_steers_no_terminal(run, fake):
    turn = {**ANSWER["turn"], "query": "what burns\x07\x9b2K\u202e"}
    fake.answers["GET", f"/api/v1/turns/{TURN}"] = {**ANSWER, "turn": turn}
    said = run("turn", "delete", TURN, "--url", fake.url)
    assert "what burns" in said.err
    assert not {"\x07", "\x9b", "\u202e"} & set(said.err)
