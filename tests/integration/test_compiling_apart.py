"""Documents compiled by a process of its own: the same facts and names, whatever it does."""

from __future__ import annotations

import pytest

from integration.knowledge_world import local, opened, synced
from wellworn.engines import worker_process
from wellworn.engines.worker_process import WorkerProcess, open_worker

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
