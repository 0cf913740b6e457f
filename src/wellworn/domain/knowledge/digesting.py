"""Digests documents before they are stored: many, and long ones, in a process of its own.

A long document is never digested where calls are answered, but for what is sealed, which no other
process may see. One that takes longer than it may is passed over: it stays as it is, and is found
and quoted, but nothing is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from contextlib import ExitStack, closing
from itertools import cycle
from typing import Final

from wellworn.domain.knowledge.candidates import WordCounts
from wellworn.domain.knowledge.digests import DocumentDigest, digest, digest_reading
from wellworn.domain.knowledge.summaries import Summary
from wellworn.domain.knowledge.views import DocumentView, Reading, TookTooLongError
from wellworn.engines.worker_process import TimeLimit, WorkerProcess, is_worth_a_process
from wellworn.kit.clock import measure_thread_s

LONG: Final = 20_000
"""Characters; a shorter document takes less time than a process needs to start."""
_MILLION: Final = 1_000_000
_LOOK_AFTER_S: Final = 0.2
_LINES_A_LOOK: Final = 64
"""Lines for each look at the clock, which would else take a tenth of the time."""


class Digester:
    """Digests parts of what is to be compiled; what is sealed stays within this process."""

    def __init__(
        self, documents: int, *, stays_here: bool, most_s: float, check: Callable[[], None]
    ) -> None:
        """Start a process if there are many documents, else with the first long one.

        Args:
            documents: how many there are in all.
            stays_here: whether everything is done in this process.
            most_s: seconds of processor time for a document of up to a million characters.
            check: is called while a process is waited for; what it raises ends the process.
        """
        self.long: set[int] = set()
        self.passed_over: set[int] = set()
        self._stays_here = stays_here
        self._most_s = most_s
        self._check = check
        self._ending = ExitStack()
        self._worker: WorkerProcess[DocumentView, DocumentDigest] | None = None
        if is_worth_a_process(documents, stays_here=stays_here):
            self._start()

    def close(self) -> None:
        """End the process, whatever it is at."""
        self._ending.close()

    def digest(self, parts: Iterator[Sequence[DocumentView]]) -> Iterator[Sequence[DocumentDigest]]:
        """Yield the digests of each part, while the process reads the next one."""
        ahead: Future[list[DocumentDigest]] | None = None
        for views in parts:
            self._check()
            if not self._is_for_process(views):
                if ahead is not None:
                    yield self._await(ahead)
                    ahead = None
                yield [*map(self._digest_here, views)]
                continue
            before, ahead = ahead, self._start().submit(views)
            if before is not None:
                yield self._await(before)
        if ahead is not None:
            yield self._await(ahead)

    def _is_for_process(self, views: Sequence[DocumentView]) -> bool:
        long = {view.id for view in views if len(view.text) > LONG}
        self.long |= long
        is_ready = self._worker is not None and self._worker.is_ready
        return not self._stays_here and (bool(long) or is_ready)

    def _digest_here(self, view: DocumentView) -> DocumentDigest:
        """Return the digest of what is short, or must not leave this process."""
        if len(view.text) <= LONG:
            return digest(view)
        last_s = measure_thread_s() + self._measure(view)
        looks = cycle(range(_LINES_A_LOOK))

        def go_on() -> None:
            if next(looks) == 0 and measure_thread_s() > last_s:
                raise TookTooLongError

        try:
            return digest_reading(Reading(view, go_on))
        except TookTooLongError:
            return self._pass_over(view)

    def _start(self) -> WorkerProcess[DocumentView, DocumentDigest]:
        if self._worker is None:
            limit = TimeLimit(self._measure, self._pass_over)
            self._worker = self._ending.enter_context(closing(WorkerProcess(digest, limit)))
        return self._worker

    def _measure(self, view: DocumentView) -> float:
        return self._most_s * max(1.0, len(view.text) / _MILLION)

    def _pass_over(self, view: DocumentView) -> DocumentDigest:
        self.passed_over.add(view.id)
        return make_empty(view)

    def _await(self, ahead: Future[list[DocumentDigest]]) -> list[DocumentDigest]:
        while True:
            try:
                return ahead.result(_LOOK_AFTER_S)
            except NotYetError:
                self._check()


def make_empty(view: DocumentView) -> DocumentDigest:
    """Return what stands for the digest of a document of which nothing is made."""
    return DocumentDigest(
        view.id,
        view.source,
        view.path,
        view.title or "",
        Summary("", 0, 0),
        [],
        [],
        WordCounts({}, {}),
    )
