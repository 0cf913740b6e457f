"""What a sync costs: the first, one with nothing to do, one with a hundredth changed.

A sync is over when its documents are found by their words; they are embedded afterwards, and calls
meanwhile are compared with the same calls when all is embedded.

The documents are a real documentation folder, first as a folder, then, a part of them, as a git
repository that git itself serves on loopback.
"""

from __future__ import annotations

import statistics
import time

from benchmarks.figures import Figure
from benchmarks.knowledge_git import Repository, served
from benchmarks.knowledge_texts import Docs, changed, questions
from benchmarks.processes import serving
from benchmarks.run import Run
from wellworn.client import Wellworn
from wellworn.client.models import SyncRun
from wellworn.engines.embedding.arithmetic import choose_arithmetic

_ONE_IN = 100
_FROM_GIT = 100
_POLL_S = 0.5
_CALLS = 100
_BETWEEN_CALLS_S = 0.2
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


def wait_for_vectors(memory: Wellworn, source_id: int) -> None:
    """Wait until the documents of a source are found by meaning."""
    while not memory.source(source_id).findable.is_embedded:
        time.sleep(_POLL_S)


def _folder(run: Run, memory: Wellworn, docs: Docs) -> list[Figure]:
    folder = docs.write(run.folder / "docs")
    source = memory.add_source("folder", "docs", {"path": str(folder)})
    began = time.perf_counter()
    first = synced(memory, source.id)
    seconds = time.perf_counter() - began
    chunks = first.counts["indexed"]
    asked = questions(docs, run.samples(_CALLS))
    meanwhile = _call_times(memory, asked)
    left, undisturbed = memory.source(source.id).findable.waiting, time.perf_counter()
    wait_for_vectors(memory, source.id)
    rate = max(1, left) / (time.perf_counter() - undisturbed)
    whole = seconds + chunks / rate
    afterwards = _call_times(memory, asked)
    again, again_s = min((_timed(memory, source.id) for _ in range(3)), key=lambda each: each[1])
    touched = changed(folder, _ONE_IN)
    part, part_s = _timed(memory, source.id)
    embedded = part.counts.get("indexed", 0)
    files = len(docs.texts)
    size = f"{files:,} files of {1e3 * docs.megabytes / files:.1f} KB, {chunks:,} chunks"
    return [
        Figure.at_least(
            "first sync of a folder, until found by words", files / seconds, 60, "files/s", size
        ),
        _embedding_rate(rate),
        Figure(
            "found by words against embedded as well",
            whole / seconds,
            "times sooner",
            note="embedded at that rate",
        ),
        *_slowed(meanwhile, afterwards, is_comparable=bool(left)),
        Figure.at_least("unchanged against first, embedded", whole / again_s, 100, "times faster"),
        Figure.at_most("unchanged, embeddings", again.counts.get("indexed", 0), 0, ""),
        _share("1 % of files changed, embeddings against first", embedded / chunks, touched),
        _share("1 % of files changed, time against first, embedded", part_s / whole, touched),
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


def _call_times(memory: Wellworn, asked: list[str]) -> list[float]:
    """Return the seconds of searches with pauses between them, as agents make them."""
    times: list[float] = []
    for question in asked:
        began = time.perf_counter()
        memory.search_knowledge(question)
        times.append(time.perf_counter() - began)
        time.sleep(_BETWEEN_CALLS_S)
    return times


def _embedding_rate(rate: float) -> Figure:
    name = "embedded after the sync, while nobody calls"
    if choose_arithmetic() == "float32":
        return Figure(name, rate, "chunks/s", note="without dot products of integers")
    return Figure.at_least(name, rate, 110, "chunks/s", "with dot products of integers")


def _slowed(
    meanwhile: list[float], afterwards: list[float], *, is_comparable: bool
) -> list[Figure]:
    """Return what embedding in the background costs a call, if it went on all the time."""
    if not is_comparable:
        return []
    ratio = statistics.median(meanwhile) / statistics.median(afterwards)
    note = f"medians {1e3 * statistics.median(meanwhile):.0f} ms and "
    note += f"{1e3 * statistics.median(afterwards):.0f} ms"
    return [Figure.at_most("a search while others are embedded", ratio, 1.2, "times", note)]


def _timed(memory: Wellworn, source_id: int) -> tuple[SyncRun, float]:
    began = time.perf_counter()
    run = synced(memory, source_id)
    return run, time.perf_counter() - began


def _share(name: str, share: float, touched: int) -> Figure:
    """Return what changing one file in a hundred costs, which is to be in proportion."""
    return Figure.at_most(name, 100 * share, 2, "%", f"{touched} files")
