"""What a sync costs: the first, one with nothing to do, one with a hundredth changed.

The documents are a real documentation folder, first as a folder, then, a part of them, as a git
repository that git itself serves on loopback.
"""

from __future__ import annotations

import time

from benchmarks.figures import Figure
from benchmarks.knowledge_git import Repository, served
from benchmarks.knowledge_texts import Docs, changed
from benchmarks.processes import serving
from benchmarks.run import Run
from wellworn.client import Wellworn
from wellworn.client.models import SyncRun

_ONE_IN = 100
_FROM_GIT = 100
_POLL_S = 0.5
_LOOPBACK = '["127.0.0.0/8"]'


def measured(run: Run, docs: Docs) -> list[Figure]:
    """Return the figures of a folder and of a repository."""
    with (
        serving(run.folder / "synced", WELLWORN_FETCH__PRIVATE_NETWORKS=_LOOPBACK) as server,
        Wellworn(server.url, key="", space="") as memory,
    ):
        return _folder(run, memory, docs) + _repository(run, memory)


def synced(memory: Wellworn, source_id: int) -> SyncRun:
    """Sync a source and wait for as long as it takes.

    Raises:
        RuntimeError: it did not succeed.
    """
    run = memory.sync_source(source_id)
    while run.finished_at is None:
        time.sleep(_POLL_S)
        [run] = memory.source_runs(source_id, limit=1)
    if run.status != "success":
        raise RuntimeError(f"the sync ended as {run.status}: {run.message}")
    return run


def _folder(run: Run, memory: Wellworn, docs: Docs) -> list[Figure]:
    folder = docs.write(run.folder / "docs")
    source = memory.add_source("folder", "docs", {"path": str(folder)})
    first, seconds = _timed(memory, source.id)
    chunks = first.counts["indexed"]
    again, again_s = min((_timed(memory, source.id) for _ in range(3)), key=lambda each: each[1])
    touched = changed(folder, _ONE_IN)
    part, part_s = _timed(memory, source.id)
    embedded = part.counts.get("indexed", 0)
    files = len(docs.texts)
    size = f"{files:,} files of {1e3 * docs.megabytes / files:.1f} KB, {chunks:,} chunks"
    return [
        Figure.at_least("first sync of a folder", files / seconds, 15, "files/s", size),
        Figure("first sync of a folder, by chunks", chunks / seconds, "chunks/s"),
        Figure.at_least("unchanged against first", seconds / again_s, 100, "times faster"),
        Figure.at_most("unchanged, embeddings", again.counts.get("indexed", 0), 0, ""),
        _share("1 % of files changed, embeddings against first", embedded / chunks, touched),
        _share("1 % of files changed, time against first", part_s / seconds, touched),
    ]


def _repository(run: Run, memory: Wellworn) -> list[Figure]:
    """Sync a bare repository, so that only what git costs is told apart from embedding."""
    docs = Docs.read(run.folder / "docs", most=run.samples(_FROM_GIT))
    repository = Repository(run.folder / "docs.git")
    repository.commit(docs.texts)
    with served(run.folder) as address:
        config = {"repo_url": f"{address}/docs.git"}
        source = memory.add_source("git_repo", "docs in git", config)
        _, seconds = _timed(memory, source.id)
        again, again_s = min((_timed(memory, source.id) for _ in range(3)), key=lambda it: it[1])
    files = len(docs.texts)
    return [
        Figure("first sync of a git repository", files / seconds, "files/s", note=f"{files} files"),
        Figure("git, unchanged against first", seconds / again_s, "times faster"),
        Figure.at_most("git, unchanged, embeddings", again.counts.get("indexed", 0), 0, ""),
    ]


def _timed(memory: Wellworn, source_id: int) -> tuple[SyncRun, float]:
    began = time.perf_counter()
    run = synced(memory, source_id)
    return run, time.perf_counter() - began


def _share(name: str, share: float, touched: int) -> Figure:
    """Return what changing one file in a hundred costs, which is to be in proportion."""
    return Figure.at_most(name, 100 * share, 2, "%", f"{touched} files")
