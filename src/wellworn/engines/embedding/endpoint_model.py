"""Asks a server with OpenAI's `/embeddings` for vectors: Ollama, TEI, vLLM, OpenAI.

What the server answers is checked before it is used, and read no further than vectors for the
texts can reach. Only vectors come from there: a text's pieces are estimated, on the safe side.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

import numpy as np

from wellworn.engines.embedding.custom import TextStates
from wellworn.engines.embedding.models import FloatArray
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import Word
from wellworn.errors import EmbeddingFailed
from wellworn.kit.model_endpoint import EndpointFailure, ModelEndpoint

RETRY_WAITS_S: Final = (0.5, 2.0, 5.0)
_DEFAULT_WINDOW: Final = 384
_DAY_S: Final = 86_400.0
_CHUNK: Final = re.compile(r"[^\W_]+|[^\w\s]|_")
_LETTERS_A_PIECE: Final = 4
_OTHER_LETTERS_A_PIECE: Final = 2
_WIDEST_ASCII: Final = 0x7F
_FIRST_WITHOUT_SPACES: Final = 0x0E00
"""Thai is the first such script; those of China, Japan and Korea are far behind it."""
_URGENT_S: Final = 5.0
_URGENT_WAIT_S: Final = 1.0
_BROKEN_S: Final = 15.0
_NO_STATES: Final[FloatArray] = np.empty((0, 0), np.float32)
_EMPTY: Final = "."
"""Sent for a text without any words, which many servers refuse."""
_MOST_NUMBERS: Final = 8_192
_BYTES_A_NUMBER: Final = 64
"""A double has up to 24 characters, and where JSON is made for people, blanks before it."""
_BYTES_BESIDE: Final = 64 * 1024


class EndpointModel:
    """One model at one server; every method may be called by several threads at once."""

    def __init__(
        self,
        settings: EmbeddingSettings,
        name: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.query_prefix = settings.query_prefix or ""
        self.text_prefix = settings.text_prefix or ""
        self._settings = settings
        self._wait = wait
        self._tokens = _DailyTokens(settings.most_tokens_a_day, clock)
        self._endpoint = ModelEndpoint(
            "the embedding endpoint",
            settings.base_url or "",
            "/embeddings",
            key=settings.api_key_env,
            key_setting="WELLWORN_EMBEDDING__API_KEY_ENV",
            timeout_s=settings.timeout_s,
            clock=clock,
        )
        self._breaker = _Breaker(clock)
        prefixes = self.lengths([self.query_prefix, self.text_prefix])
        self.window_pieces = (settings.window_pieces or _DEFAULT_WINDOW) - max(prefixes)

    def encode(
        self, texts: Sequence[str], prefix: str, *, is_urgent: bool = False
    ) -> list[TextStates]:
        """Return one vector of length one for each text, without states.

        Raises:
            EmbeddingFailed: the server does not answer, or not with as many usable vectors. After
                that, urgent texts are refused at once for some seconds.
        """
        parts: list[FloatArray] = []
        for part in _split(texts, self._settings.request_texts):
            cut = [prefix + (self._cut(text).strip() or _EMPTY) for text in part]
            with self._breaker.guard(is_urgent=is_urgent):
                self._tokens.spend(sum(self.lengths(cut)))
                parts.append(_read_vectors(self._ask(cut, is_urgent=is_urgent), len(part)))
        if len({part.shape[1] for part in parts}) > 1:
            raise _fail("gave vectors of different lengths")
        return [TextStates(vector, _NO_STATES, ()) for part in parts for vector in part]

    def words(self, text: str) -> list[Word]:
        """Return every word of the text, each with as many pieces as it may have at most."""
        return [
            word for match in _CHUNK.finditer(text) for word in _split_word(text, *match.span())
        ]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many word pieces each text has, as estimated."""
        return [sum(word.pieces for word in self.words(text)) for text in texts]

    def _cut(self, text: str) -> str:
        """Return as much of a text as fits a window."""
        room = self.window_pieces
        for word in self.words(text):
            room -= word.pieces
            if room < 0:
                return text[: word.start]
        return text

    def _ask(self, texts: Sequence[str], *, is_urgent: bool) -> Any:
        """Send texts; try again where the server is busy, for as long as the settings allow."""
        body: dict[str, object] = {
            "model": self._settings.model,
            "input": [*texts],
            "encoding_format": "float",
        }
        if self._settings.dimensions is not None:
            body["dimensions"] = self._settings.dimensions
        timeout_s = self._settings.timeout_s
        left_s = self._settings.longest_wait_s
        if is_urgent:
            timeout_s, left_s = min(timeout_s, _URGENT_S), min(left_s, _URGENT_WAIT_S)
        most_bytes = len(texts) * _MOST_NUMBERS * _BYTES_A_NUMBER + _BYTES_BESIDE
        for wait_s in (*RETRY_WAITS_S, None):
            try:
                return self._endpoint.post(body, most_bytes=most_bytes, timeout_s=timeout_s)
            except EndpointFailure as failure:
                pause_s = _compute_pause(failure, wait_s)
                if pause_s is None or pause_s > left_s:
                    raise EmbeddingFailed(failure.message) from failure
            left_s -= pause_s
            self._wait(pause_s)
        raise AssertionError("the last try waits for no other")


def _compute_pause(failure: EndpointFailure, wait_s: float | None) -> float | None:
    """Return the seconds until the next try; None when it would not help."""
    if wait_s is None or not failure.is_passing:
        return None
    try:
        asked_s = float(failure.retry_after)
    except ValueError:
        return wait_s  # a date; a plain wait is right for most
    return max(wait_s, asked_s) if math.isfinite(asked_s) else wait_s


class _Breaker:
    """Remembers for some seconds that the server failed, so that not every caller waits for it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failure: EmbeddingFailed | None = None
        self._until = 0.0

    @contextmanager
    def guard(self, *, is_urgent: bool) -> Generator[None]:
        failure = self._failure
        if is_urgent and failure is not None and self._clock() < self._until:
            raise EmbeddingFailed(failure.message)
        try:
            yield
        except EmbeddingFailed as error:
            self._failure, self._until = error, self._clock() + _BROKEN_S
            raise
        self._failure = None


class _DailyTokens:
    """Counts the tokens of a day, and refuses to spend more than allowed."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self._lock = Lock()
        self._began = clock()
        self._spent = 0

    def spend(self, tokens: int) -> None:
        """Count tokens about to be sent; `EmbeddingFailed` when they would be too many."""
        with self._lock:
            if self._clock() - self._began >= _DAY_S:
                self._began, self._spent = self._clock(), 0
            if self._spent + tokens > self._most:
                message = (
                    f"the embedding endpoint was sent {self._spent} tokens today, and "
                    f"WELLWORN_EMBEDDING__MOST_TOKENS_A_DAY allows no more"
                )
                raise EmbeddingFailed(message)
            self._spent += tokens


def _fail(what: str) -> EmbeddingFailed:
    return EmbeddingFailed(f"the embedding endpoint {what}")


def _split(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def _split_word(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield a word, or each of its characters where its script has no spaces."""
    highest = max(map(ord, text[start:end]))
    if highest < _FIRST_WITHOUT_SPACES:
        letters = _LETTERS_A_PIECE if highest <= _WIDEST_ASCII else _OTHER_LETTERS_A_PIECE
        yield Word(start, end, math.ceil((end - start) / letters))
        return
    for at in range(start, end):
        yield Word(at, at + 1, 1)


def _read_vectors(answer: Any, count: int) -> FloatArray:
    """Check an answer, and put its vectors in the order of the texts."""
    try:
        rows = sorted(answer["data"], key=lambda row: int(row["index"]))
        numbers = [row["index"] for row in rows]
        vectors = np.array([row["embedding"] for row in rows], np.float64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _fail("gave an answer that is not of the usual form") from error
    if len(rows) != count:
        raise _fail(f"gave {len(rows)} vectors for {count} texts")
    if numbers != [*range(count)]:
        raise _fail("did not say which vector is of which text")
    if vectors.ndim != 2 or not vectors.shape[1]:  # noqa: PLR2004 - a row a text
        raise _fail("gave vectors of different lengths")
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise _fail("gave a vector that is not of finite numbers")
    return (vectors / lengths).astype(np.float32)
