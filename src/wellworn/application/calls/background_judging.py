"""Has a language model judge in the background what new notes replace, if the settings say so."""

from __future__ import annotations

import logging
from threading import Event
from typing import Final

from wellworn.application.calls.pool import SpacePool
from wellworn.application.calls.space_services import SpaceServices
from wellworn.errors import IndexUnavailable, WellwornError

_LOOKED_EVERY_S: Final = 10.0
_log = logging.getLogger(__name__)


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
            self._stopped.wait(_LOOKED_EVERY_S)

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
