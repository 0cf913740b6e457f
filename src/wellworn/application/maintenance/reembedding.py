"""Embeds a memory with another encoder, beside the process that serves it.

The new vectors are made by this process, in a folder of their own, while the old ones serve. When
nothing lacks one any more, the server changes over between two calls. A run that was stopped is
gone on with by the next.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from wellworn.application.bootstrap import (
    INDEXED,
    INDEXES,
    ROWS,
    STAGED,
    TAKEN,
    WHOLE,
    change_encoder,
    has_records,
    open_records,
    read_mark,
    write_mark,
)
from wellworn.application.maintenance.rebuilding import Advance, nobody
from wellworn.application.migrations import StagedRows, is_current, list_ended_turns
from wellworn.application.settings import Settings, read_settings
from wellworn.domain.sources import ChunkIndexer
from wellworn.domain.thoughts import ThoughtIndexer
from wellworn.engines.daemon import find_holder, hold_folder
from wellworn.engines.embedding import Embedder, EncoderRecord, choose_encoder, open_encoder
from wellworn.engines.storage.sql import Database, StorageSettings
from wellworn.engines.storage.vectors import StoredVectorIndex, VectorIndex
from wellworn.errors import InvalidInput, NotFound, StoreInUse

CHANGES_WITHIN_S: Final = 180.0
"""The longest wait for a server to change over; it looks for a new encoder now and then."""
_PAUSE_S: Final = 0.2
_AT_ONCE: Final = 128

State = Literal["unchanged", "planned", "changed", "waiting"]


@dataclass(frozen=True, slots=True)
class ReembeddingSummary:
    """A run's work, done or to be done.

    Attributes:
        encoder: the name of the encoder that is to serve.
        former: that of the one that served.
        thoughts, chunks, turns: how many were embedded in this run, or are to be.
        state: `unchanged` if it serves already, `planned` after a dry run, `changed`, or
            `waiting` if a server is yet to change over.
    """

    encoder: str
    dimensions: int
    former: str
    thoughts: int = 0
    chunks: int = 0
    turns: int = 0
    state: State = "unchanged"


def reembed(
    home: Path,
    advance: Advance = nobody,
    *,
    settings: Settings | None = None,
    is_dry: bool = False,
    wait_s: float = CHANGES_WITHIN_S,
) -> ReembeddingSummary:
    """Embed everything with the encoder of the settings; `advance` is told how much is done.

    Raises:
        NotFound: there is no memory in the folder.
        InvalidInput: the memory is of an earlier version.
        StoreInUse: another run is at work.
        EmbeddingFailed: the encoder failed; the next run goes on where this one stopped.
        StorageUnavailable, IndexUnavailable: the disk is full, or failed.
    """
    if not has_records(home):
        raise NotFound("there is no memory in this folder")
    settings = settings or read_settings()
    former, staged = read_mark(home / INDEXES), home / STAGED
    record = choose_encoder(settings.embedding)
    embedder = open_encoder(record, settings.embedding)
    summary = ReembeddingSummary(embedder.name, embedder.dimensions, former)
    with closing(open_records(home, settings.storage)) as database:
        if not is_current(database):
            raise InvalidInput("the memory is of an earlier version; start the server once first")
        if former == embedder.name:
            _drop(staged)
            return summary
        if is_dry:
            return _count(database, embedder, summary)
        with hold_folder(staged, "reembed"):
            embedder = _prepare_folder(staged, record, embedder, settings)
            counts = _fill(staged, database, embedder, advance)
            (staged / WHOLE).touch()
    is_changed = _await_change(home, settings.storage, embedder.name, wait_s)
    thoughts, chunks, turns = counts
    summary = replace(summary, thoughts=thoughts, chunks=chunks, turns=turns)
    return replace(summary, state="changed" if is_changed else "waiting")


def _drop(staged: Path) -> None:
    """Remove what waits for another encoder, now that the present one is to stay."""
    if staged.exists():
        with hold_folder(staged, "reembed"):
            _claim(staged)
            shutil.rmtree(staged)


def _claim(staged: Path) -> None:
    """Make sure that no server changes over to what is about to be written."""
    (staged / WHOLE).unlink(missing_ok=True)
    if (staged / TAKEN).exists():
        raise StoreInUse("the memory is changing over to another encoder just now; try again")


def _prepare_folder(
    staged: Path, record: EncoderRecord | None, embedder: Embedder, settings: Settings
) -> Embedder:
    """Empty the folder unless it is of this encoder already; return the encoder to go on with."""
    _claim(staged)
    if read_mark(staged) == embedder.name:
        # Measured when the first vectors were made; the others must fit them.
        return open_encoder(EncoderRecord.read(staged), settings.embedding)
    for path in staged.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "daemon.lock":
            path.unlink()
    if record is not None:
        record.write(staged)
    write_mark(staged, embedder.name)
    return embedder


def _fill(
    staged: Path,
    database: Database,
    embedder: Embedder,
    advance: Advance,
) -> tuple[int, int, int]:
    """Embed until nothing lacks a vector, what was stored meanwhile included; count by kind."""
    with ExitStack() as opened:
        rows = opened.enter_context(closing(StagedRows(staged / ROWS)))
        indexes = [
            opened.enter_context(
                closing(StoredVectorIndex(staged / name, dimensions=embedder.dimensions))
            )
            for name in INDEXED
        ]
        indexers = _open_indexers(database, indexes, embedder, rows)
        done, former = [0, 0], None
        while (todo := [indexer.missing() for indexer in indexers]) != former and any(todo):
            for at, (indexer, seqs) in enumerate(zip(indexers, todo, strict=True)):
                before = sum(done)
                indexer.index(seqs, lambda count, before=before: advance(before + count))
                done[at] += len(seqs)
            former = todo
        turns = _embed_turns(database, embedder, rows)
    return done[0], done[1], turns


def _open_indexers(
    database: Database, indexes: Sequence[VectorIndex], embedder: Embedder, rows: StagedRows
) -> tuple[ThoughtIndexer, ChunkIndexer]:
    thought_index, chunk_index = indexes
    return (
        ThoughtIndexer(database, thought_index, embedder, stage=rows.stage("thoughts")),
        ChunkIndexer(database, chunk_index, embedder, stage=rows.stage("chunks")),
    )


def _embed_turns(database: Database, embedder: Embedder, rows: StagedRows) -> int:
    there = rows.list_turns()
    todo = [(id_, query) for id_, query in list_ended_turns(database) if id_ not in there]
    for start in range(0, len(todo), _AT_ONCE):
        part = todo[start : start + _AT_ONCE]
        vectors = embedder.embed([query for _, query in part])
        rows.save_turns(
            {id_: vector.tobytes() for (id_, _), vector in zip(part, vectors, strict=True)}
        )
    return len(todo)


def _count(
    database: Database, embedder: Embedder, summary: ReembeddingSummary
) -> ReembeddingSummary:
    """Count what is to be embedded, without making a file."""
    nothing = cast("Any", _Nothing())
    thoughts, chunks = (
        len(indexer(database, nothing, embedder, stage=nothing).missing())
        for indexer in (ThoughtIndexer, ChunkIndexer)
    )
    turns = len(list_ended_turns(database))
    return replace(summary, thoughts=thoughts, chunks=chunks, turns=turns, state="planned")


class _Nothing:
    """Stands in for an index and for staged features where there are none."""

    def ids(self) -> NDArray[np.int64]:
        return np.empty(0, np.int64)

    def list_seqs(self) -> set[int]:
        return set()


def _await_change(home: Path, storage: StorageSettings, name: str, wait_s: float) -> bool:
    """Change over, or wait until the server of the folder has; tell whether it has in time."""
    deadline = time.monotonic() + wait_s
    while read_mark(home / INDEXES) != name:
        if find_holder(home) is None:
            with suppress(StoreInUse), hold_folder(home, "reembed"):
                change_encoder(home, storage)
        elif time.monotonic() > deadline:
            return False
        else:
            time.sleep(_PAUSE_S)
    return True
