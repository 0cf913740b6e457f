"""Side by side: environments made on demand, what outlives a kill, and the tables of it."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.retrieval.models import Doc
from benchmarks.rivals import environments
from benchmarks.rivals.contestants import Entry
from benchmarks.rivals.durability import Durability, count_flush_calls, measure_durability
from benchmarks.rivals.environments import Recipe, RivalNotInstalled, install
from benchmarks.rivals_latency import RIVALS, Place, figures, shown
from rich.console import Console

TOY = Recipe("toy", ("toy==1",))
DOCS = [Doc(str(number), f"text {number}", position=number) for number in range(5)]
COMPARISONS = Path(__file__).resolve().parents[3] / "docs/comparisons.md"


@pytest.fixture
def toy_module(monkeypatch):
    monkeypatch.setattr(Recipe, "module", "tests.unit.benchmarks.toy_rival")


def probe(folder, strategy=""):
    toy = Entry("toy", TOY, strategy)
    asked = ["text", "1"]
    return measure_durability(toy, sys.executable, folder, "", docs=DOCS, questions=asked)


def place(name, *seconds, kept=2, flushes=1.0):
    durability = Durability(
        writes=2, kept=kept, flushes_a_write=flushes, flushes_a_question=flushes
    )
    return Place(
        name, "1.0", 100, acknowledged_s=0.5, findable_s=4, durability=durability,
        resident_mb=300.4, disk_mb=1.26, seconds=[*seconds],
    )  # fmt: skip


def test_writes_that_reached_the_disk_outlive_a_kill(toy_module, tmp_path):
    seen = probe(tmp_path)
    assert (seen.writes, seen.kept) == (5, 5)


def test_writes_held_in_memory_alone_do_not_outlive_a_kill(toy_module, tmp_path):
    assert probe(tmp_path, "forget").kept == 0


@pytest.mark.skipif(shutil.which("strace") is None, reason="flushes are counted by strace")
def test_flushes_are_those_of_a_write_and_of_a_question(toy_module, tmp_path):
    seen = probe(tmp_path)
    assert (seen.flushes_a_write, seen.flushes_a_question) == (1.0, 0.0)


def test_without_strace_nothing_is_said_of_flushes(toy_module, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    seen = probe(tmp_path)
    assert seen.kept == 5
    assert seen.flushes_a_write is seen.flushes_a_question is None


def test_a_flush_that_another_thread_interrupts_counts_once():
    trace = (
        "11 fsync(5) = 0\n"
        "11 fdatasync(7 <unfinished ...>\n"
        "12 msync(0x7f, 4096, MS_SYNC) = 0\n"
        "11 <... fdatasync resumed>) = 0\n"
        "12 +++ killed by SIGKILL +++\n"
    )
    assert count_flush_calls(trace) == 3
    assert count_flush_calls("") == 0


def test_the_median_is_held_against_the_fastest_rival_that_keeps_what_it_takes():
    places = [place("wellworn", 0.02, 0.03, 0.9), place("slow", 0.05), place("fast", 0.02)]
    *medians, ratio = figures([*places, place("forgetful", 0.001, kept=0)])
    assert [figure.value for figure in medians] == [30.0, 50.0, 20.0, 1.0]
    assert (ratio.value, ratio.holds, ratio.note) == (pytest.approx(1.5), False, "fast")


def test_without_a_rival_there_is_nothing_to_hold_it_against():
    assert [figure.name for figure in figures([place("wellworn", 0.02)])] == ["wellworn, p50"]


def test_a_row_says_time_rates_size_and_what_is_kept():
    places = [place("wellworn", 0.02), place("other", 0.01, kept=1, flushes=None)]
    console = Console(file=io.StringIO(), width=200)
    console.print(shown(places, [0.005], 205.0))
    rows = [
        [cell.strip() for cell in line.strip("│ \n").split("│")]
        for line in console.file.getvalue().splitlines()
        if line.startswith("│")
    ]
    shared = ["200", "25", "300", "1.3"]
    assert rows[0] == ["wellworn 1.0", "20.0", "20.0", "4.0", *shared, "2/2", "1.0", "1.0"]
    unknown = ["1/2", "unknown", "unknown"]
    assert rows[1] == ["other 1.0", "10.0", "10.0", "2.0", *shared, *unknown]
    assert rows[2][:7] == ["the encoder's endpoint", "5.0", "5.0", "1.0", "", "", "205"]


def test_an_environment_made_by_hand_goes_before(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVAL_TOY_PYTHON", "/opt/toy/python")
    assert install(TOY, tmp_path) == "/opt/toy/python"
    assert not [*tmp_path.iterdir()]


def test_an_environment_is_made_once_for_the_same_versions(tmp_path, monkeypatch):
    commands = []

    def run(command):
        commands.append(command)
        (tmp_path / "toy").mkdir(exist_ok=True)

    monkeypatch.setattr(environments, "_run", run)
    python = install(TOY, tmp_path)
    assert python == str(tmp_path / "toy/bin/python")
    assert [command[1:3] for command in commands] == [["-m", "venv"], ["-m", "pip"]]
    assert commands[1][-1] == "toy==1"
    assert install(TOY, tmp_path) == python
    assert len(commands) == 2
    install(Recipe("toy", ("toy==2",)), tmp_path)
    assert commands[3][-1] == "toy==2"


def test_what_cannot_be_installed_is_named_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(RivalNotInstalled, match="no-such-toy"):
        install(Recipe("toy", ("no-such-toy==1",)), tmp_path)


def test_the_comparison_names_the_versions_that_are_installed():
    page = COMPARISONS.read_text("utf-8")
    packages = {package for entry in RIVALS for package in entry.recipe.packages}
    assert {package for package in packages if package not in page} == set()
