"""Asks a server with the usual `/rerank` how well texts answer: Cohere, Jina, vLLM, llama.cpp.

Nothing but the base URL is connected to: no redirect is followed, and a server on this machine is
reached past any proxy. What it answers is read no further than scores for the texts can reach.
After a failure it is not asked for some seconds, so that not every caller waits for it.
"""

from __future__ import annotations

import json
import math
import os
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any, Final

import httpx2

from wellworn.engines.reading.bounds import check_count
from wellworn.engines.reading.models import Reading
from wellworn.engines.reading.settings import ReadingSettings
from wellworn.errors import ReadingFailed
from wellworn.kit.fetch_mark import MARKED

MOST_QUESTION_CHARACTERS: Final = 1_000
MOST_TEXT_CHARACTERS: Final = 4_000
"""Of one text; a text of 256 pieces is hardly longer than a quarter of it."""
_BROKEN_S: Final = 15.0
_BYTES_A_TEXT: Final = 8 * MOST_TEXT_CHARACTERS
"""Some servers send the texts back, escaped, with their scores."""
_BYTES_BESIDE: Final = 64 * 1024
_EMPTY: Final = "."
"""Sent for a text without any words, which many servers refuse."""
_UNUSABLE_KEY: Final = frozenset((401, 403))
_NOT_FOUND: Final = 404


class EndpointReader:
    """Fills the reader port with one model at one server; it names no words."""

    sends_texts = True

    def __init__(
        self, settings: ReadingSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = f"endpoint/{settings.model}"
        self._settings = settings
        self._clock = clock
        self._url = f"{(settings.base_url or '').rstrip('/')}/rerank"
        self._client = httpx2.Client(
            timeout=settings.timeout_s,
            trust_env=not _is_loopback(httpx2.URL(self._url).host),
            follow_redirects=False,
        )
        weakref.finalize(self, self._client.close)
        self._failure = ""
        self._broken_until = 0.0

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
            return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
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
        # A lone surrogate cannot be sent; offsets do not matter here, as no words come back.
        content = json.dumps(body).encode()
        until = self._clock() + self._settings.timeout_s
        try:
            with self._client.stream(
                "POST", self._url, content=content, headers=self._build_headers()
            ) as answer:
                if not answer.is_success:
                    raise _describe(answer)
                return _parse(self._read_body(answer, len(texts), until))
        except httpx2.TimeoutException as error:
            raise _fail(f"did not answer within {self._settings.timeout_s:g} s") from error
        except httpx2.HTTPError as error:
            raise _fail("cannot be reached") from error

    def _read_body(self, answer: httpx2.Response, texts: int, until: float) -> bytes:
        """Return an answer's bytes, unless they are more or later than scores can be."""
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise _fail("packed its answer, although it was asked not to")
        raw = bytearray()
        for piece in answer.iter_raw():
            raw += piece
            if len(raw) > texts * _BYTES_A_TEXT + _BYTES_BESIDE:
                raise _fail("gave an answer that is longer than scores of the texts can be")
            if self._clock() > until:
                raise httpx2.ReadTimeout("it sends, but does not come to an end")
        return bytes(raw)

    def _build_headers(self) -> Mapping[str, str]:
        plain = {"Accept-Encoding": "identity", "Content-Type": "application/json", **MARKED}
        variable = self._settings.api_key_env
        if variable is None:
            return plain
        if not (key := os.environ.get(variable)):
            raise ReadingFailed(f"the variable {variable} with the endpoint's key is not set")
        return {**plain, "Authorization": f"Bearer {key}"}


def _fail(what: str) -> ReadingFailed:
    return ReadingFailed(f"the reading endpoint {what}")


def _parse(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _fail("gave an answer that is not JSON") from error


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


def _describe(answer: httpx2.Response) -> ReadingFailed:
    status = answer.status_code
    if status in _UNUSABLE_KEY:
        return _fail("refused the key; see WELLWORN_READING__API_KEY_ENV")
    if status == _NOT_FOUND:
        return _fail("knows no such model, or has no /rerank at this address")
    if answer.is_redirect:
        return _fail("sends elsewhere, which is not followed; set its new address")
    return _fail(f"failed with status {status}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
