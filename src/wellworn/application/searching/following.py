"""A process that searches, on both sides of its pipe."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from wellworn.application.searching.processes import SearchFailed, SearchProcesses
from wellworn.domain.memory import Memory, PromptSearch, SearchOutcome
from wellworn.domain.thoughts import SearcherChange, Thoughts, ThoughtSettings
from wellworn.engines.answering_process import AnsweringProcess, ProcessEnded
from wellworn.engines.embedding import EmbeddingSettings, EncoderRecord, open_encoder
from wellworn.engines.storage.sql import Database
from wellworn.engines.storage.vectors import FollowedVectorIndex, IndexUpdate, VectorSettings
from wellworn.kit.clock import SystemClock

_News = IndexUpdate | SearcherChange


@dataclass(frozen=True, slots=True)
class SearcherSetup:
    """What a process needs to know; no key is among it.

    Attributes:
        encoder: the folder with the record of the encoder, if it is not the shipped one.
        copy: the folder of the process's own copy of the index.
    """

    database: Path
    encoder: Path
    copy: Path
    embedding: EmbeddingSettings
    vectors: VectorSettings
    thoughts: ThoughtSettings


class FollowingSearcher:
    """In the process: searches for prompts, and follows what changes in the server."""

    def __init__(self, setup: SearcherSetup) -> None:
        # The encoder is asked for its name alone, and so is never loaded.
        embedder = open_encoder(EncoderRecord.read(setup.encoder), setup.embedding)
        database, clock = Database(setup.database), SystemClock()
        self._index = FollowedVectorIndex(setup.copy, setup.vectors)
        self._thoughts = Thoughts(database, self._index, embedder, clock, setup.thoughts)
        self._memory = Memory(database, self._thoughts, embedder, clock)
        self._thoughts.searcher.warmer.warm()

    def answer(self, question: PromptSearch, /) -> SearchOutcome:
        """Return what the server would find, without what it does not read of that."""
        return self._memory.searcher.search_here(question).without_links()

    def note(self, news: _News, /) -> None:
        """Change the index, or what is kept in memory beside it, as the server did."""
        if isinstance(news, IndexUpdate):
            self._index.repeat(news)
        else:
            self._thoughts.searcher.state.change(news)


class FollowingProcess:
    """In the server: one process, and what it is told."""

    def __init__(
        self, setup: SearcherSetup, thoughts: Thoughts, index: FollowedVectorIndex
    ) -> None:
        """Start the process, and let it follow a copy of the index.

        Raises:
            IndexUnavailable, StorageUnavailable: the index cannot be copied.
            OSError: the process cannot be started.
        """
        self._setup, self._index, self._state = setup, index, thoughts.searcher.state
        index.require_room()
        self._process: AnsweringProcess[PromptSearch, _News, SearchOutcome] = AnsweringProcess(
            FollowingSearcher
        )
        try:
            # Followed before it reads anything, so that nothing is missed.
            self._state.follow(self._process.tell)
            self._number = index.follow(setup.copy, self._process.tell)
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Return when it is ready to search.

        Raises:
            SearchFailed: it ended before.
        """
        try:
            self._process.begin(self._setup)
        except ProcessEnded as error:
            raise SearchFailed from error

    @property
    def is_current(self) -> bool:
        """Whether it runs, and follows the index that serves."""
        return not self._process.has_ended and self._number == self._index.number

    def search(self, asked: PromptSearch) -> SearchOutcome:
        """Return what the server would find.

        Raises:
            SearchFailed: it did not.
        """
        try:
            return self._process.ask(asked.without_key())
        except ProcessEnded as error:
            raise SearchFailed from error

    def close(self) -> None:
        """End the process, and remove its copy of the index."""
        self._state.unfollow(self._process.tell)
        self._index.unfollow(self._process.tell)
        self._process.close()
        shutil.rmtree(self._setup.copy, ignore_errors=True)


def open_search_processes(
    setup: SearcherSetup, memory: Memory, thoughts: Thoughts, index: FollowedVectorIndex
) -> SearchProcesses:
    """Return the processes that the settings want for a memory; none of them runs yet.

    `setup.copy` is the folder for the copies of all of them; what earlier ones left there is
    removed.
    """
    shutil.rmtree(setup.copy, ignore_errors=True)
    numbers = count(1)

    def start() -> FollowingProcess:
        own = replace(setup, copy=setup.copy / str(next(numbers)))
        return FollowingProcess(own, thoughts, index)

    searcher, most = memory.searcher, setup.thoughts.search_processes
    for_crowds = most is None
    if most is None:
        # On a single processor another process would only take turns with the server.
        most = int((os.cpu_count() or 1) > 1)
    processes = SearchProcesses(most, start, searcher.search_here, for_crowds=for_crowds)
    if most:
        searcher.search_somewhere = processes.search
    return processes
