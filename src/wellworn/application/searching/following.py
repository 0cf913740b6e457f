"""A process that searches, on both sides of its pipe."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wellworn.application.searching.processes import SearchFailed, SearchProcesses
from wellworn.domain.memory import Memory, PromptSearch, SearchOutcome
from wellworn.domain.thoughts import SearcherChange, Thoughts, ThoughtSettings
from wellworn.engines.answering_process import AnsweringProcess, ProcessEnded
from wellworn.engines.embedding import EmbeddingSettings, EncoderRecord, open_encoder
from wellworn.engines.storage.sql import Database, StorageSettings
from wellworn.engines.storage.vectors import StoredVectorIndex, Update, copy_index
from wellworn.kit.clock import SystemClock
from wellworn.kit.text import fingerprint

_News = Update | SearcherChange


@dataclass(frozen=True, slots=True)
class SearcherSetup:
    """The setup of a search process; no key is among it.

    Attributes:
        encoder: the folder with the record of the encoder, if it is not the shipped one.
        index: the folder of the index, which the process reads into memory of its own.
    """

    home: Path
    open_database: Callable[[Path, StorageSettings], Database]
    storage: StorageSettings
    encoder: Path
    index: Path
    embedding: EmbeddingSettings
    thoughts: ThoughtSettings


class FollowingSearcher:
    """In the process: searches for prompts, and follows what changes in the server."""

    def __init__(self, setup: SearcherSetup) -> None:
        # The encoder is asked for its name alone, and so is never loaded.
        embedder = open_encoder(EncoderRecord.read(setup.encoder), setup.embedding)
        database, clock = setup.open_database(setup.home, setup.storage), SystemClock()
        self._database = database
        self._index = copy_index(
            setup.index,
            setup.storage,
            database,
            kind=setup.index.name,
            encoder=fingerprint(embedder.name)[:12],
            dimensions=embedder.dimensions,
        )
        self._thoughts = Thoughts(database, self._index, embedder, clock, setup.thoughts)
        self._memory = Memory(database, self._thoughts, embedder, clock)
        self._thoughts.searcher.warmer.warm()

    def answer(self, question: PromptSearch, /) -> SearchOutcome:
        """Return what the server would find, without what it does not read of that."""
        with self._database.confine(question.access.spaces):
            return self._memory.searcher.search_here(question).without_links()

    def note(self, news: _News, /) -> None:
        """Change the index, or what is in memory beside it, as the server did."""
        if isinstance(news, Update):
            self._index.repeat(news)
        else:
            self._thoughts.searcher.state.change(news)


class FollowingProcess:
    """In the server: one process, and what it is told."""

    def __init__(self, setup: SearcherSetup, thoughts: Thoughts, index: StoredVectorIndex) -> None:
        """Start the process, and let it follow the index.

        Raises:
            IndexUnavailable: the index is closed.
            OSError: the process cannot be started.
        """
        self._setup, self._index, self._state = setup, index, thoughts.searcher.state
        self._process: AnsweringProcess[PromptSearch, _News, SearchOutcome] = AnsweringProcess(
            FollowingSearcher
        )
        try:
            # Followed before it reads anything, so that nothing is missed.
            self._state.follow(self._process.tell)
            index.follow(self._process.tell)
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
        """Whether it runs."""
        return not self._process.has_ended

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
        """End the process."""
        self._state.unfollow(self._process.tell)
        self._index.unfollow(self._process.tell)
        self._process.close()


def open_search_processes(
    setup: SearcherSetup, memory: Memory, thoughts: Thoughts, index: StoredVectorIndex
) -> SearchProcesses:
    """Return the processes that the settings want for a memory; none of them runs yet."""

    def start() -> FollowingProcess:
        return FollowingProcess(setup, thoughts, index)

    searcher, most = memory.searcher, setup.thoughts.search_processes
    for_crowds = most is None
    if most is None:
        # On a single processor another process would only take turns with the server.
        most = int((os.cpu_count() or 1) > 1)
    processes = SearchProcesses(most, start, searcher.search_here, for_crowds=for_crowds)
    if most:
        searcher.search_somewhere = processes.search
    return processes
