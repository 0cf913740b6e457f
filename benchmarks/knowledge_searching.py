"""What asking knowledge costs once there is much of it: search and resolver, over HTTP.

A server is filled with the documentation and with reworded copies of it until there are as many
chunks as wanted. As this takes long, `--keep` names a folder that has it for the next run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from benchmarks.figures import Figure, median, quantile
from benchmarks.filling import embedded
from benchmarks.knowledge_syncing import synced, wait_for_vectors
from benchmarks.knowledge_texts import Docs, questions
from benchmarks.processes import Server, serving
from benchmarks.run import Run
from benchmarks.wire import Caller
from wellworn.client import Wellworn
from wellworn.engines.embedding import EmbeddingSettings, MiniLM

_QUESTIONS = 400
_TERMS = 200
_WARM_UP = 20
_HOT = re.compile(r"^\|\s*`?([^|`]+?)`?\s*\|", re.MULTILINE)


def measured(run: Run, docs: Docs) -> list[Figure]:
    """Return what a search and a resolved term cost among so many chunks."""
    folder = run.keep or run.folder / "grown"
    with ExitStack() as stack:
        server = stack.enter_context(serving(folder / "home"))
        chunks = _grown(run, server, docs, folder)
        embedded(server)
        figures = _searched(run, server, docs, chunks)
        return figures + _resolved(run, server, chunks)


def _grown(run: Run, server: Server, docs: Docs, folder: Path) -> int:
    """Sync copies until there are enough chunks; return how many there are."""
    with Wellworn(server.url, key="", space="") as memory:
        for one in memory.sources():
            synced(memory, one.id)  # the last one may have been interrupted
            wait_for_vectors(memory, one.id)
        held = [memory.source_runs(one.id, limit=100) for one in memory.sources()]
        chunks = sum(each.counts.get("indexed", 0) for of_one in held for each in of_one)
        copy = len(held)
        with run.progress(f"growing to {run.chunks:,} chunks", run.chunks) as advance:
            advance(chunks)
            while chunks < run.chunks:
                texts = docs.reworded(copy) if copy else docs
                where = texts.write(folder / f"copy-{copy}")
                source = memory.add_source("folder", where.name, {"path": str(where)})
                new = synced(memory, source.id).counts["indexed"]
                wait_for_vectors(memory, source.id)
                advance(new)
                chunks, copy = chunks + new, copy + 1
    return chunks


def _searched(run: Run, server: Server, docs: Docs, chunks: int) -> list[Figure]:
    """Ask by name, in words and by identifier; the encoder alone takes its turn."""
    model = MiniLM(EmbeddingSettings())
    asked = questions(docs, run.samples(_QUESTIONS) + _WARM_UP)
    with Caller(server.port) as caller, run.progress("searching", len(asked)) as advance:
        base = _timed(asked, model.encode_query)
        took = _timed(asked, lambda text: caller.get(f"/api/knowledge/search?q={quote(text)}"))
        advance(len(asked))
    slowest, middle = 1e3 * quantile(took, 0.95), 1e3 * median(took)
    note = f"p50 {middle:.1f} ms; embedding alone {1e3 * median(base):.1f}"
    return [
        Figure.at_most(f"search p95, {chunks:,} chunks", slowest, 40, "ms", note),
        Figure("resident memory", server.resident_mb(), "MB"),
    ]


def _resolved(run: Run, server: Server, chunks: int) -> list[Figure]:
    """Resolve terms that are hot, and some that nothing explains."""
    with Wellworn(server.url, key="", space="") as memory:
        hot = _HOT.findall(memory.artifact("hot_terms.md"))[2:]
    terms = [*hot, *(f"zebra{number}" for number in range(len(hot) // 4 + 1))]
    count = run.samples(_TERMS) + _WARM_UP
    asked = [terms[number % len(terms)] for number in range(count)]
    with Caller(server.port) as caller:
        took = _timed(asked, lambda term: caller.get(f"/api/knowledge/resolve?term={quote(term)}"))
    note = f"p95 {1e3 * quantile(took, 0.95):.1f} ms; {len(hot)} hot terms and unknown ones"
    return [Figure(f"resolve p50, {chunks:,} chunks", 1e3 * median(took), "ms", note=note)]


def _timed(texts: Sequence[str], call: Callable[[str], object]) -> list[float]:
    seconds: list[float] = []
    for number, text in enumerate(texts):
        began = time.perf_counter()
        call(text)
        if number >= _WARM_UP:
            seconds.append(time.perf_counter() - began)
    return seconds
