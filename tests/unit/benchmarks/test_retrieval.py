"""What `benchmarks retrieval` takes, skips, refuses and prints; no server is started here."""

from __future__ import annotations

import json

import pytest
from benchmarks.retrieval import command
from benchmarks.retrieval.tasks import TASKS

from unit.benchmarks import published
from unit.cli.conftest import Said, is_two_lines


@pytest.fixture(autouse=True)
def _without_a_folder_of_ones_own(monkeypatch):
    monkeypatch.delenv("WELLWORN_BENCH_DATA", raising=False)


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words):
        code = command.main(list(words))
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return run


@pytest.fixture
def asked_nothing(monkeypatch):
    def refuse(_home, **_settings):
        pytest.fail("a server was started")

    monkeypatch.setattr(command, "serving", refuse)


def line(task, query, **metrics):
    return json.dumps({"task": task, "query": query, "metrics": metrics}) + "\n"


def test_the_list_names_every_task_with_its_files(run):
    said = run("--list", "--json")
    assert [one["task"] for one in said.json] == list(TASKS)
    locomo = said.json[0]
    assert locomo["files below the folder"] == "locomo/locomo10.json"
    assert (locomo["known by"], locomo["finds"]) == ("recall@10", "turns")
    for name in TASKS:
        assert name in run("--list").out


def test_the_list_says_which_data_is_there(run, tmp_path):
    published.product_docs(tmp_path)
    listed = {
        one["task"]: one["here"] for one in run("--list", "--data", str(tmp_path), "--json").json
    }
    assert (listed["product-docs"], listed["locomo"]) == ("yes", "no")


@pytest.mark.usefixtures("asked_nothing")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no folder with data was named"),
        (["--data", "nowhere"], "there is no folder nowhere"),
        (["sudoku", "--data", "."], "there is no task sudoku"),
        (["--data", ".", "--split", "train"], "train"),
        (["--data", ".", "--limit-questions", "0"], "--limit-questions"),
        (["--data", ".", "--method", "guess"], "guess"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_two_lines(run, words, told):
    said = run(*words)
    assert is_two_lines(said, 2)
    assert told in said.err


@pytest.mark.usefixtures("asked_nothing")
def test_a_folder_without_data_says_how_to_lay_it_out(run, tmp_path):
    said = run("--data", str(tmp_path))
    assert said.code == 2
    assert said.out == ""
    *skipped, error, remedy = said.err.splitlines()
    assert [one.partition(":")[0] for one in skipped] == list(TASKS)
    assert error == "error: there was nothing to measure"
    assert "python -m benchmarks retrieval --list" in remedy


@pytest.mark.usefixtures("asked_nothing")
def test_a_task_is_skipped_with_one_line_that_says_why(run, tmp_path):
    published.written(tmp_path / "locomo" / "locomo10.json", "[7]")
    published.product_docs(tmp_path)
    published.written(tmp_path / "anthropic-docs" / "docs_evaluation_dataset.json", [])
    said = run("locomo", "realtalk", "product-docs", "--data", str(tmp_path))
    damaged, absent, empty = said.err.splitlines()[:3]
    assert damaged.startswith("locomo: skipped, the data of locomo is not as published")
    assert absent.startswith("realtalk: skipped, there is no realtalk/Chat_*.json in ")
    assert empty == "product-docs: skipped, its data here has no question in the split dev"


def test_two_runs_are_compared_without_any_data(run, tmp_path):
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"
    ours.write_text(line("t", "1", **{"hit@5": 1.0}) + line("t", "2", **{"hit@5": 1.0}))
    theirs.write_text(line("t", "1", **{"hit@5": 0.0}) + line("t", "2", **{"hit@5": 1.0}))
    words = ["--compare", str(ours), str(theirs), "--metric", "hit@5"]
    [one] = run(*words, "--json").json
    assert (one["first"], one["second"], one["difference"]["better"]) == (1.0, 0.5, 1)
    said = run(*words)
    assert "ours.jsonl against theirs.jsonl" in said.out
    assert "+0.500" in said.out


def test_runs_that_cannot_be_compared_are_refused(run, tmp_path):
    ours = tmp_path / "ours.jsonl"
    ours.write_text(line("t", "1", **{"hit@5": 1.0}))
    assert is_two_lines(run("--compare", str(ours), str(ours)), 1)
    assert is_two_lines(run("--compare", str(ours), str(tmp_path / "gone.jsonl")), 1)
