"""Measuring from end to end: data of one's own, a real server, a table, files, a comparison."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from journeys.conftest import clean_environment
from patience import LONG_S
from unit.benchmarks import published
from unit.benchmarks.published import asked

ROOT = Path(__file__).resolve().parents[2]


QUESTIONS = (
    asked("D10:1", question="What did the surgeon sell?"),
    asked("D2:1", question="How much was the boat that Ben bought?", kind=1),
    asked("D1:2-3", question="Which boat did Ben show?", kind=2),
)


@pytest.fixture
def benchmarks(home):
    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "benchmarks", *words],
            env=clean_environment(home),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=LONG_S,
            check=False,
        )

    return run


def test_a_folder_of_data_is_measured_written_and_compared(benchmarks, home, tmp_path):
    data, ours, theirs = tmp_path / "data", tmp_path / "ours", tmp_path / "vector.jsonl"
    published.locomo(data, *QUESTIONS, names=("conv-26", "conv-41", "conv-30"))
    told = benchmarks("retrieval", "locomo", "beam-100k", "--data", str(data), "--out", str(ours))
    assert told.returncode == 0, told.stderr
    assert "locomo, dev: 12 turns in 2 corpora, 6 questions" in told.stdout
    assert "recall@10 1.000, 95 % 1.000 to 1.000" in told.stdout
    assert "by kind: multi-hop 1.000 of 2, single-hop 1.000 of 2" in told.stdout
    assert told.stderr.startswith("beam-100k: skipped, ")

    lines = (ours / "locomo.jsonl").read_text("utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    assert [one["query"] for one in answers] == [
        f"conv-{number}/{question}" for number in (26, 41) for question in range(3)
    ]
    assert answers[0]["top"][0] == "D10:1"
    assert answers[0]["metrics"]["group.hit@1"] == 1.0

    words = ("--method", "vector", "--limit-questions", "2", "--json")
    by_vector = benchmarks("retrieval", "locomo", "--data", str(data), "--out", str(theirs), *words)
    [report] = json.loads(by_vector.stdout)["reports"]
    assert (report["corpora"], report["questions"], report["units"]) == (1, 2, 6)

    compared = benchmarks("retrieval", "--compare", str(ours), str(theirs), "--json")
    [one] = json.loads(compared.stdout)
    assert (one["task"], one["difference"]["mean"]["count"]) == ("locomo", 2)
    assert not home.exists(), "the memory of the caller was touched"
