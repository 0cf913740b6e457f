"""Asks a server with the usual `/rerank` how well texts answer: Cohere, Jina, vLLM, llama.cpp.

What it answers is read no further than scores for the texts can reach. After a failure it is not
asked for some seconds, so that not every caller waits for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from wellworn.engines.reading.models import Reading, check_count, get_probability
from wellworn.engines.reading.settings import ReadingSettings
from wellworn.errors import ReadingFailed
from wellworn.kit.model_endpoint import EndpointFailure, ModelEndpoint

MOST_QUESTION_CHARACTERS: Final = 1_000
MOST_TEXT_CHARACTERS: Final = 4_000
"""Of one text; a text of 256 pieces is hardly longer than a quarter of it."""
_BROKEN_S: Final = 15.0
_BYTES_A_TEXT: Final = 8 * MOST_TEXT_CHARACTERS
"""Some servers send the texts back, escaped, with their scores."""
_BYTES_BESIDE: Final = 64 * 1024
_EMPTY: Final = "."
"""Sent for a text without any words, which many servers refuse."""


class EndpointReader:
    """Fills the reader port with one model at one server; it names no words."""

    sends_texts = True

    def __init__(
        self, settings: ReadingSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = f"endpoint/{settings.model}"
        self._settings = settings
        self._clock = clock
        self._endpoint = ModelEndpoint(
            "the reading endpoint",
            settings.base_url or "",
            "/rerank",
            key=settings.api_key_env,
            key_setting="WELLWORN_READING__API_KEY_ENV",
            timeout_s=settings.timeout_s,
            clock=clock,
        )
        self._failure = ""
        self._broken_until = 0.0

    def can_read(self, question: str) -> bool:  # noqa: ARG002 - any
        return True

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        check_count(texts)
        if not texts:
            return []
        if self._clock() < self._broken_until:
            raise ReadingFailed(self._failure)
        try:
            scores = _read_scores(self._ask(question, texts), len(texts))
            return [Reading(self._weigh(score)) for score in scores]
        except ReadingFailed as error:
            self._failure, self._broken_until = error.message, self._clock() + _BROKEN_S
            raise

    def _weigh(self, score: float) -> float:
        if self._settings.scores == "logit":
            return get_probability(score)
        if not 0 <= score <= 1:
            raise _fail(
                "gives scores that are no probabilities; set WELLWORN_READING__SCORES=logit"
            )
        return score

    def _ask(self, question: str, texts: Sequence[str]) -> Any:
        body = {
            "model": self._settings.model,
            "query": question[:MOST_QUESTION_CHARACTERS].strip() or _EMPTY,
            "documents": [text[:MOST_TEXT_CHARACTERS].strip() or _EMPTY for text in texts],
            "top_n": len(texts),
            "return_documents": False,
        }
        most_bytes = len(texts) * _BYTES_A_TEXT + _BYTES_BESIDE
        try:
            return self._endpoint.post(body, most_bytes=most_bytes)
        except EndpointFailure as failure:
            raise ReadingFailed(failure.message) from failure


def _fail(what: str) -> ReadingFailed:
    return ReadingFailed(f"the reading endpoint {what}")


def _read_scores(answer: Any, count: int) -> list[float]:
    """Check an answer, and put its scores in the order of the texts."""
    try:
        rows = answer["results"]
        scores = {int(row["index"]): float(row["relevance_score"]) for row in rows}
        is_whole = len(rows) == count and scores.keys() == {*range(count)}
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _fail("gave an answer that is not of the usual form") from error
    if not is_whole:
        raise _fail("did not give each text one score")
    if not all(map(math.isfinite, scores.values())):
        raise _fail("gave a score that is not a finite number")
    return [scores[at] for at in range(count)]
