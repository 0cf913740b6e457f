"""Asking a system, summing up what it answered, and comparing two runs on disk."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from benchmarks.retrieval.models import Corpus, DataUnusable, Doc, Query, Task
from benchmarks.retrieval.records import records
from benchmarks.retrieval.report import reported
from benchmarks.retrieval.runner import answered
from benchmarks.retrieval.runs import compared
from benchmarks.retrieval.served import ServedMemory

from unit.cli.fake_server import REPLY, running

DOCS = tuple(Doc(str(n), f"text {n}", f"g{n // 2}", position=n) for n in range(6))
QUERIES = (
    Query("q0", "first", frozenset({"0"}), "plain"),
    Query("q1", "both", frozenset({"1", "5"}), "hard"),
)


def task(*, grouped=True, corpora=1):
    made = tuple(Corpus(f"c{n}", DOCS, QUERIES) for n in range(corpora))
    return Task("made-up", "dev", made, "recall@5", grouped)


class Fixed:
    """Answers every question with the units in order, from where it is told."""

    def __init__(self, first=0):
        self.first = first
        self.calls = []

    def index(self, docs):
        self.calls.append(("index", len(docs)))
        self.ids = [doc.id for doc in docs]

    def search(self, query, k, *, asked_at=""):
        self.calls.append((query, k, asked_at))
        return self.ids[self.first :][:k]


def test_each_corpus_is_indexed_and_then_asked_its_questions():
    system = Fixed()
    prepared = []
    answers = list(answered(system, task(corpora=2), prepare=lambda: prepared.append("now")))
    once = [("index", 6), ("first", 100, ""), ("both", 100, "")]
    assert system.calls == once * 2
    assert len(prepared) == 2
    assert [(one.corpus, one.query) for one in answers] == [
        *(("c0", "q0"), ("c0", "q1"), ("c1", "q0"), ("c1", "q1"))
    ]


def test_units_and_the_groups_they_are_in_are_both_judged():
    first, both = answered(Fixed(), task())
    assert first.metrics["hit@5"] == first.metrics["group.hit@1"] == 1.0
    assert both.metrics["recall@5"] == 0.5
    assert both.metrics["group.recall@5"] == both.metrics["group.all@5"] == 1.0
    assert both.top == ("0", "1", "2", "3", "4", "5")


def test_a_task_without_groups_is_judged_by_units_alone():
    first, _ = answered(Fixed(), task(grouped=False))
    assert not any(name.startswith("group.") for name in first.metrics)


def test_an_answer_that_repeats_itself_is_refused():
    system = Fixed()
    system.search = lambda *_, **__: ["0", "0"]
    with pytest.raises(ValueError, match="twice"):
        next(answered(system, task()))


def test_a_report_sums_up_by_metric_and_by_kind_of_question():
    made = task()
    report = reported(made, list(answered(Fixed(), made)))
    assert (report.units, report.questions, report.corpora) == (6, 2, 1)
    assert report.mean.value == report.metrics["recall@5"] == 0.75
    assert {name: one.mean for name, one in report.categories.items()} == {
        "hard": 0.5,
        "plain": 1.0,
    }
    assert 0 <= report.p50_ms <= report.p95_ms
    assert report.units_per_s > 0


def saved(folder, name, first):
    folder.mkdir(exist_ok=True)
    lines = [answer.as_line() for answer in answered(Fixed(first), task())]
    (folder / f"{name}.jsonl").write_text("".join(lines))
    return folder / f"{name}.jsonl"


def test_two_runs_are_compared_on_the_questions_they_share(tmp_path):
    ours, theirs = saved(tmp_path, "ours", 0), saved(tmp_path, "theirs", 1)
    theirs.write_text("".join(theirs.read_text().splitlines(keepends=True)[:1]))
    [one] = compared(ours, theirs, "recall@5")
    assert (one.task, one.first, one.second) == ("made-up", 1.0, 0.0)
    assert (one.difference.mean.count, one.difference.better, one.difference.worse) == (1, 1, 0)


def test_folders_of_runs_are_compared_task_by_task_and_in_all(tmp_path):
    for name in ("a", "b"):
        file = saved(tmp_path / name, "made-up", 0)
        renamed = file.read_text().replace('"task": "made-up"', '"task": "other"')
        (tmp_path / name / "other.jsonl").write_text(renamed)
    found = compared(tmp_path / "a", tmp_path / "b", "hit@5")
    assert [(one.task, one.difference.mean.count) for one in found] == [
        *(("made-up", 2), ("other", 2), ("all", 4))
    ]


@pytest.mark.parametrize("content", ["no json\n", "[]\n", '{"task": "x"}\n'])
def test_a_file_that_is_no_run_is_named_with_its_line(content, tmp_path):
    ours = saved(tmp_path, "ours", 0)
    bad = tmp_path / "bad.jsonl"
    bad.write_text(ours.read_text() + content)
    with pytest.raises(DataUnusable, match=r"bad\.jsonl, line 3"):
        compared(ours, bad, "recall@5")


def test_runs_that_share_no_question_cannot_be_compared(tmp_path):
    ours = saved(tmp_path, "ours", 0)
    with pytest.raises(DataUnusable, match=r"recall@7"):
        compared(ours, ours, "recall@7")


@pytest.fixture
def hosts():
    """A host that runs one fake server for every folder, and what it was asked for."""
    told = {"homes": [], "ended": []}

    with running() as server:
        server.answers["POST", "/api/v1/import"] = {"imported": 1, "known": 0, "clashing": []}

        @contextmanager
        def host(home):
            told["homes"].append(home)
            yield server.url
            told["ended"].append(home)

        yield host, server, told


def test_a_memory_is_started_empty_for_each_corpus_and_ended_with_its_folder(hosts):
    host, _, told = hosts
    with ServedMemory(host) as memory:
        memory.renew()
        memory.index(DOCS[:1])
        assert len(told["homes"]) == 1
        assert told["homes"][0].parent.is_dir()
        memory.index(DOCS[1:2])
        assert told["ended"] == told["homes"][:1]
    assert told["ended"] == told["homes"]
    assert len({*told["homes"]}) == 2
    assert not any(home.parent.exists() for home in told["homes"])


def test_units_are_imported_and_found_again_by_their_own_ids(hosts):
    host, server, _ = hosts
    batches, settled = [], []
    [imported] = records(DOCS[:1])
    source = {**REPLY["result"]["sources"][0], "thought_id": imported["id"]}
    found = {**REPLY["result"], "sources": [source]}
    server.answers["POST", "/api/v1/memory"] = {**REPLY, "result": found}
    with ServedMemory(
        host, method="vector", on_batch=batches.append, settle=settled.append
    ) as memory:
        memory.index(DOCS[:1])
        assert memory.search("what is first?", 100) == [DOCS[0].id]
    (_, _, brought), (_, path, question) = server.asked
    assert brought == imported
    assert path == "/api/v1/memory"
    assert (question["contribute"], question["limit"]) == ("never", 50)
    assert question["retrieval_method"] == "vector"
    assert (batches, settled) == ([1], [1])


def test_the_callers_key_and_space_are_not_shown_to_the_memory_under_measure(hosts, monkeypatch):
    host, server, _ = hosts
    monkeypatch.setenv("WELLWORN_KEY", "ww_mine")
    monkeypatch.setenv("WELLWORN_SPACE", "ks-mine")
    with ServedMemory(host) as memory:
        memory.index(DOCS[:1])
    assert server.shown == [(None, None)]
