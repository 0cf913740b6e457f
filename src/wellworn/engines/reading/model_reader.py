"""A reader that is a model on this machine, loaded when it is first asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from wellworn.engines.reading.bounds import check_count
from wellworn.engines.reading.logits import Reads, choose_kind
from wellworn.engines.reading.models import Reading, RunsPairs
from wellworn.errors import EmbeddingFailed, ReadingFailed


class ModelReader:
    """Fills the reader port with a model of pairs; safe to share between threads."""

    sends_texts = False

    def __init__(self, name: str, load: Callable[[], RunsPairs]) -> None:
        self.name = name
        self._load_model = load
        self._lock = Lock()
        self._loaded: tuple[RunsPairs, Reads] | None = None

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        check_count(texts)
        try:
            model, reads = self._load()
            return [reads(numbers) for numbers in model.run(question, texts)] if texts else []
        except EmbeddingFailed as error:
            raise ReadingFailed(error.message) from error

    def _load(self) -> tuple[RunsPairs, Reads]:
        if self._loaded is not None:
            return self._loaded
        with self._lock:
            if self._loaded is None:
                model = self._load_model()
                self._loaded = model, choose_kind(model)
            return self._loaded
