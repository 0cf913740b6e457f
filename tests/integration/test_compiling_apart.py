"""Documents compiled by a process of its own: the same facts and names, whatever it does."""

from __future__ import annotations

import math
from contextlib import closing

import pytest

from integration.knowledge_world import local, opened, synced
from knowledge_calls import call
from wellworn.application.settings import Settings
from wellworn.domain.knowledge.digesting import LONG, Digester
from wellworn.domain.knowledge.views import DocumentView
from wellworn.domain.sources import SourceSettings
from wellworn.engines import worker_process
from wellworn.engines.worker_process import TimeLimit, WorkerProcess, open_worker

FILES = 66
DOCUMENTS = {
    f"{number:02}.md": f"# Guide {number}\n\n- **cube-{number}** (10.0.0.{number}): runs Kopia.\n"
    for number in range(FILES)
}
ROWS = (
    "SELECT document_id, content_hash, digest FROM document_digests ORDER BY 1",
    "SELECT source_doc_id, term, fact_type, value FROM derived_facts ORDER BY 1, 2, 3, 4",
    "SELECT document_id, term_key FROM glossary_entries ORDER BY 1, 2",
)


@pytest.fixture
def compiled(tmp_path):
    """Return what a compile of all documents leaves."""
    with opened(tmp_path / "home") as app:
        synced(app, local(app), tmp_path / "docs", DOCUMENTS)

        def compile_all():
            services = app.guard.pool.shared
            summary = services.discovery.compile(local(app), all_anew=True)
            assert summary.recompiled == FILES
            with services.database.read() as transaction:
                return [transaction.exec_driver_sql(rows).all() for rows in ROWS]

        yield compile_all


@pytest.fixture
def alone(compiled, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(worker_process, "WORTH_A_PROCESS", FILES + 1)
        return compiled()


@pytest.fixture
def handed_over(monkeypatch):
    """The documents that were given to another process, which is up at once."""
    batches = []
    submit = WorkerProcess.submit

    def noted(self, items):
        batches.extend(items)
        return submit(self, items)

    monkeypatch.setattr(WorkerProcess, "is_ready", True)
    monkeypatch.setattr(WorkerProcess, "submit", noted)
    return batches


def test_another_process_makes_the_same(compiled, alone, handed_over):
    assert compiled() == alone
    assert [view.path for view in handed_over] == [*DOCUMENTS]
    assert all(alone)


def test_a_process_that_is_killed_changes_nothing(compiled, alone, monkeypatch):
    submit = WorkerProcess.submit

    def killed(self, items):
        self._child.kill()
        return submit(self, items)

    monkeypatch.setattr(WorkerProcess, "is_ready", True)
    monkeypatch.setattr(WorkerProcess, "submit", killed)
    assert compiled() == alone


def test_what_is_sealed_and_what_is_little_is_compiled_here(handed_over):
    for documents, stays_here in ((FILES, True), (1, False)):
        with open_worker(str, documents, stays_here=stays_here) as worker:
            assert worker is None
    assert handed_over == []


def test_what_takes_too_long_is_passed_over_even_where_nothing_can_interrupt_it():
    limit = TimeLimit(lambda _: 0.2, lambda number: -number)
    endless = 30_000_000
    with closing(WorkerProcess(math.factorial, limit)) as worker:
        assert worker.submit([3, endless, 4]).result() == [6, -endless, 24]
        assert worker.submit([5]).result() == [120]


LONG_TEXT = "".join(f"- **key{number}**: value {number}\n" for number in range(30_000))
SHORT_TEXT = "# Servers\n\n- **cube** (10.0.0.7): runs Kopia.\n"


@pytest.fixture
def hurried(tmp_path):
    """Return what opens a memory whose compiler has so much time for a document."""

    def open_with(seconds):
        sources = SourceSettings(compile_s=seconds, folder_roots=(str(tmp_path),))
        settings = Settings(sources=sources)
        return opened(tmp_path / "home", settings=settings)

    return open_with


def list_flags(app, access=None):
    return {
        document.path: document.metadata.get("flags")
        for document in call(app, "documents")(access or local(app))
    }


def test_a_document_that_takes_too_long_is_said_to_and_the_others_are_compiled(hurried, tmp_path):
    with hurried(0.05) as app:
        synced(app, local(app), tmp_path / "docs", {"a.md": LONG_TEXT, "b.md": SHORT_TEXT})
        assert app.resolve(local(app), "cube").values
        [flag] = list_flags(app)["a.md"]
        assert "took too long" in flag
        assert list_flags(app)["b.md"] is None
        compile_again = app.guard.pool.shared.discovery.compile
        assert compile_again(local(app)).recompiled == 0
    with hurried(100) as app:
        app.guard.pool.shared.discovery.compile(local(app), all_anew=True)
        assert list_flags(app)["a.md"] is None


def test_a_sealed_document_that_takes_too_long_is_said_to_and_not_read_again(
    hurried, tmp_path, handed_over
):
    with hurried(0.05) as app:
        made = app.administration.create(None, "lab", sealed=True)
        key, space = made.issued.key, made.space.id
        access = app.enter(key, space, writes=True)
        synced(app, access, tmp_path / "docs", {"a.md": LONG_TEXT, "b.md": SHORT_TEXT})
        assert app.resolve(access, "cube").values
    with hurried(0.05) as app:
        access = app.enter(key, space, writes=True)
        [flag] = list_flags(app, access)["a.md"]
        assert "took too long" in flag
        assert list_flags(app, access)["b.md"] is None
        assert call(app, "compile")(access, all_anew=False).recompiled == 0
    with hurried(100) as app:
        access = app.enter(key, space, writes=True)
        call(app, "compile")(access, all_anew=True)
        assert list_flags(app, access)["a.md"] is None
    assert handed_over == []


def test_a_long_document_is_never_digested_here(handed_over):
    long, short = (
        DocumentView(number, "docs", "a.md", None, "It runs.\n" * lines)
        for number, lines in enumerate((LONG, 1))
    )
    digester = Digester(2, stays_here=False, most_s=100, check=lambda: None)
    with closing(digester):
        digested = list(digester.digest(iter([[short], [long]])))
    assert handed_over == [long]
    assert [made.document for [made] in digested] == [short.id, long.id]


def test_whoever_stops_a_compile_does_not_wait_for_the_document():
    asked = []

    def check():
        asked.append(len(asked))
        if len(asked) > 2:
            raise InterruptedError

    view = DocumentView(1, "docs", "a.md", None, LONG_TEXT * 4)
    digester = Digester(1, stays_here=False, most_s=100, check=check)
    with pytest.raises(InterruptedError):
        list(digester.digest(iter([[view]])))
    digester.close()
    assert digester.passed_over == set()
