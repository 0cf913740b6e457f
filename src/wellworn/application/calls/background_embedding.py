"""Embeds in the background what is found by its words already, and has new notes judged.

What waits is written nowhere but in the rows themselves, so a killed process loses at most the
batch it was at, and the next one goes on. Passages of documents that somebody was shown come first,
then the newest: who has just brought documents asks for them. The encoder makes way for calls:
before each text and each transaction it waits until nobody has called for a moment, and it takes
one thread instead of two while somebody is about.

A language model judges what new notes replace, if the settings say so.
"""

from __future__ import annotations

import logging
from threading import Event
from typing import Final

from wellworn.application.calls.activity import CallActivity, Patience, WayMaker
from wellworn.application.calls.pool import SpacePool
from wellworn.application.calls.space_services import SpaceServices
from wellworn.engines.embedding import AT_ONCE, Pace
from wellworn.errors import IndexUnavailable, WellwornError

_JUDGED_EVERY_S: Final = 10.0


class BackgroundJudging:
    """Asks about what waits in every space that is open, until told to stop."""

    def __init__(self, pool: SpacePool) -> None:
        self._pool = pool
        self._stopped = Event()

    def run(self) -> None:
        """Judge whatever comes until `stop`; a failure is logged, and tried again later.

        Without a model that may read open spaces, none may read any.
        """
        if self._pool.shared.judge_next is None:
            return
        while not self._stopped.is_set():
            try:
                self.finish()
            except WellwornError:
                if not self._stopped.is_set():
                    _log.exception("judging notes failed and will be tried again")
            self._stopped.wait(_JUDGED_EVERY_S)

    def finish(self) -> None:
        """Judge all that waits, as long as the model answers.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the rest waits.
        """
        while not self._stopped.is_set() and self._judge_next():
            pass

    def _judge_next(self) -> bool:
        """Have one note of each service judged that waits for it; return whether any was."""
        has_judged: list[bool] = []

        def judge(services: SpaceServices) -> None:
            has_judged.append(services.judge_next is not None and services.judge_next())

        self._pool.visit_all(judge, IndexUnavailable)
        return any(has_judged)

    def stop(self) -> None:
        """End with the note that is being judged; what is left waits for the next process."""
        self._stopped.set()


_BATCH: Final = 16
"""Units that one transaction stores."""
_ABOUT_S: Final = 5.0
"""After a call for how long the next may come at any moment."""
_LOOKED_EVERY_S: Final = 20.0
_log = logging.getLogger(__name__)


class _Stopped(Exception):
    """The process is about to end."""


class BackgroundEmbedding:
    """Embeds what waits in every space that is open, until told to stop."""

    def __init__(
        self, pool: SpacePool, activity: CallActivity, patience: Patience | None = None
    ) -> None:
        self._pool = pool
        self._activity = activity
        self._way_maker = WayMaker(activity, patience)
        self._stopped = Event()
        self.is_busy = False

    def run(self) -> None:
        """Embed whatever comes until `stop`; a failure is logged, and tried again later."""
        while not self._stopped.is_set():
            self._activity.has_brought.clear()
            try:
                self._embed_all()
            except WellwornError as error:
                _log.warning(
                    "embedding in the background failed and will be tried again: %s", error.message
                )
            self._activity.has_brought.wait(_LOOKED_EVERY_S)

    def _embed_all(self) -> None:
        try:
            while self._pool.embed_pending(self._choose_pace(), _BATCH):
                self.is_busy = True
        except _Stopped:
            return
        finally:
            self.is_busy = False

    def _choose_pace(self) -> Pace:
        """Return a pace for one batch."""
        threads = AT_ONCE.threads if self._activity.is_quiet(_ABOUT_S) else 1
        return Pace(most=1, threads=threads, wait=self._make_way)

    def _make_way(self) -> None:
        if not self._stopped.is_set():
            self._way_maker.make_way()
        if self._stopped.is_set():
            raise _Stopped

    def finish(self) -> None:
        """Embed all that waits, making way for nobody.

        Raises:
            EmbeddingFailed, IndexUnavailable, StorageUnavailable: the rest waits.
        """
        while self._pool.embed_pending(AT_ONCE, _BATCH):
            pass

    def stop(self) -> None:
        """End with the text that is being embedded; what is left waits for the next process."""
        self._stopped.set()
        self._activity.has_brought.set()
