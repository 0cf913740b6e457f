"""The demonstration plays through, and what it prints is what the memory holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from journeys.conftest import clean_environment
from patience import LONG_S

DEMO = Path(__file__).resolve().parents[2] / "scripts" / "demo.py"
SECRET = "swordfish-7391"


def played(folder, *words):
    """Play the demonstration with `folder` for temporary files; return what it printed."""
    done = subprocess.run(
        [sys.executable, str(DEMO), *words],
        check=False,
        env=clean_environment(folder / "unused", TMPDIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=LONG_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder for temporary files and the story told there, with the memory kept."""
    folder = tmp_path_factory.mktemp("demo")
    return folder, played(folder, "--keep")


@pytest.fixture(scope="module")
def story(kept):
    return kept[1]


def test_the_demo_shows_a_highway_that_several_agents_made(story):
    rows = re.findall(r"│ Payment retries must carry .*?│ +(\d+) │ +(\d+) │", story)
    assert rows, story
    accesses, agents = map(int, rows[0])
    assert accesses >= 10
    assert agents >= 4


def test_the_demo_walks_a_provenance_of_two_steps(story):
    tree = story.partition("Provenance of")[2].partition("Who gave what")[0]
    assert re.search(r"refinement The idempotency key must outlive", tree)
    assert re.search(r"│ +└── original Payment retries must carry", tree)
    assert "Quinn, tester" in tree


def test_the_demo_asks_back_affirms_and_gives_reasons(story):
    assert "Which area interests you?" in story
    assert "known already, affirmed" in story
    assert "why the first is first: meaning" in story
    assert "its trail is now" in story


def test_the_demo_answers_an_exact_identifier_first(story):
    answer = story.partition("14:20")[2].partition("14:32")[0]
    assert re.search(r"PAY-4012\n +\d\.\d\d PAY-4012 means", answer)


def test_the_demo_seeds_the_documentation_and_answers_from_it(story):
    assert re.search(r"documentation: [1-9]\d* sections", story)
    assert "wellworn's documentation" in story.partition("17:05")[2].partition("17:20")[0]


def test_the_erased_secret_is_neither_told_again_nor_left_in_the_data_folder(kept):
    folder, story = kept
    said, _, afterwards = story.partition("erases what was just said")
    assert SECRET in said
    assert SECRET not in afterwards
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.name == "wellworn.db" for file in files)
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []


def test_the_demo_leaves_nothing_behind_unless_asked_to(tmp_path):
    played(tmp_path)
    assert list(tmp_path.glob("wellworn*")) == []
