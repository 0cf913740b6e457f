"""Runs an ONNX model from a folder like those of model hubs.

A model with dynamic quantisation rounds by what else is in a batch, so its texts go one by one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from wellworn.engines.embedding.custom import TextStates
from wellworn.engines.embedding.engine import (
    RUNTIME_ERRORS,
    InferenceSession,
    make_encodable,
    open_session,
)
from wellworn.engines.embedding.model_files import ModelFiles, Pooling
from wellworn.engines.embedding.models import FloatArray, Span, to_unit_length
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import Word, group_by_length
from wellworn.errors import EmbeddingFailed

_READ: Final = frozenset(("input_ids", "attention_mask", "token_type_ids", "position_ids"))
_LONGEST_WORD: Final = 16
"""Pieces of a word; what is longer is of a script without spaces, and is cut between pieces."""
_SPARE: Final = 2
"""A window cut between pieces may have other pieces at its ends."""
_ROUNDS_BY_BATCH: Final = b"DynamicQuantizeLinear"


class _Sequence(NamedTuple):
    """A text for the model, and where its own pieces are in it."""

    ids: list[int]
    types: list[int]
    rows: list[int]
    spans: list[Span]


class HubModel:
    """One loaded model; every method may be called by several threads at once."""

    def __init__(self, files: ModelFiles, settings: EmbeddingSettings) -> None:
        """Load it.

        Raises:
            EmbeddingFailed: a file is damaged, or the model is not an encoder of texts.
        """
        self.name = files.name
        self.query_prefix, self.text_prefix = files.query_prefix, files.text_prefix
        self._files = files
        self._tokenizer = load_tokenizer(files)
        self._session = load_session(files, settings.threads)
        self._inputs = {each.name for each in self._session.get_inputs()}
        if not {"input_ids"} <= self._inputs <= _READ:
            raise EmbeddingFailed("the ONNX file is no encoder of texts: it reads other things")
        self._pooling = files.pooling
        self._output = _choose_output(self._session, self._pooling)
        self._batch_tokens = 1 if rounds_by_batch(files) else settings.batch_tokens
        marks = len(self._tokenizer.encode("").ids)
        prefixes = (files.query_prefix, files.text_prefix)
        longest = max(len(self._encode_plainly(prefix).ids) for prefix in prefixes)
        self.window_pieces = files.window_pieces - marks - longest - _SPARE

    def encode(
        self, texts: Sequence[str], prefix: str, *, is_urgent: bool = False
    ) -> list[TextStates]:
        """Return what the model makes of each text, which may be cut short.

        Raises:
            EmbeddingFailed: inference failed, or gave what is not a vector.
        """
        del is_urgent  # it always takes what it takes
        sequences = [self._read(text, prefix) for text in texts]
        made: dict[int, TextStates] = {}
        for group in group_by_length([len(each.ids) for each in sequences], self._batch_tokens):
            made |= self._run(group, sequences)
        return [made[at] for at in range(len(texts))]

    def words(self, text: str) -> list[Word]:
        """Return every word of the text, without cutting and without marks."""
        encoding = self._encode_plainly(text)
        numbered = [
            (number, span)
            for number, span in zip(encoding.word_ids, encoding.offsets, strict=True)
            if span[1] > span[0]
        ]
        words: list[Word] = []
        for _, group in groupby(numbered, lambda each: each[0]):
            spans = [_strip(text, span) for _, span in group]
            if len(spans) > _LONGEST_WORD:
                words += [Word(*span, 1) for span in spans]
            else:
                words.append(Word(spans[0].start, spans[-1].end, len(spans)))
        return [word for word in words if word.end > word.start]

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many word pieces each text has, without marks."""
        return [sum(word.pieces for word in self.words(text)) for text in texts]

    def _encode_plainly(self, text: str) -> Encoding:
        return self._tokenizer.encode(make_encodable(text), add_special_tokens=False)

    def _read(self, text: str, prefix: str) -> _Sequence:
        encoding = self._tokenizer.encode(prefix + make_encodable(text))
        special = encoding.special_tokens_mask
        closing = next((at for at, mark in enumerate(reversed(special)) if not mark), 0)
        ids, types, spans = encoding.ids, encoding.type_ids, encoding.offsets
        count = min(len(ids), self._files.window_pieces)
        rows = [*range(count - closing), *range(len(ids) - closing, len(ids))]
        own_rows = [
            (row, _strip(text, (start - len(prefix), end - len(prefix))))
            for row, (start, end) in ((at, spans[at]) for at in rows[: count - closing])
            if not special[row] and end > len(prefix)
        ]
        return _Sequence(
            [ids[at] for at in rows],
            [types[at] for at in rows],
            [row for row, _ in own_rows],
            [span for _, span in own_rows],
        )

    def _run(self, group: Sequence[int], sequences: Sequence[_Sequence]) -> dict[int, TextStates]:
        chosen = [sequences[at] for at in group]
        output = self._infer(chosen)
        if output.ndim == 2 and len(output) == len(chosen):  # noqa: PLR2004 - one vector a text
            vectors = output
        else:
            lengths = [len(each.ids) for each in chosen]
            vectors = np.stack([self._pool(row, n) for row, n in zip(output, lengths, strict=True)])
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise EmbeddingFailed("the model gave a vector that is not of finite numbers")
        return {
            at: TextStates(vector, row[each.rows] if output.ndim > 2 else _NONE, tuple(each.spans))  # noqa: PLR2004
            for at, each, vector, row in zip(
                group, chosen, to_unit_length(vectors), output, strict=True
            )
        }

    def _infer(self, sequences: Sequence[_Sequence]) -> FloatArray:
        shape = (len(sequences), max(len(each.ids) for each in sequences))
        ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
        for row, sequence in enumerate(sequences):
            ids[row, : len(sequence.ids)] = sequence.ids
            types[row, : len(sequence.ids)] = sequence.types
            mask[row, : len(sequence.ids)] = 1
        positions: NDArray[np.int64] = np.cumsum(mask, axis=1, dtype=np.int64) - mask
        feed = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": types,
            "position_ids": positions,
        }
        try:
            [output] = self._session.run(
                [self._output], {name: feed[name] for name in self._inputs}
            )
        except RUNTIME_ERRORS as error:
            raise EmbeddingFailed("the model in the folder could not be run") from error
        return np.asarray(output, np.float32)

    def _pool(self, states: FloatArray, length: int) -> FloatArray:
        """Return the vector of `length` states; several ways of pooling are joined end to end."""
        states = states[:length]
        ways: dict[Pooling, FloatArray] = {
            "mean": states.mean(axis=0),
            "cls": states[0],
            "max": states.max(axis=0),
            "last": states[-1],
        }
        return np.concatenate([ways[name] for name in self._pooling])


_NONE: Final[FloatArray] = np.empty((0, 0), np.float32)


def _strip(text: str, span: tuple[int, int]) -> Span:
    """Return the span without the white space that some tokenizers count to a piece."""
    start, end = max(0, span[0]), max(0, span[1])
    while start < end and text[start].isspace():
        start += 1
    return Span(start, end)


def load_tokenizer(files: ModelFiles) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_buffer(files.tokenizer.read_bytes())
    except Exception as error:
        # The library raises plain exceptions for a file that it cannot read.
        raise EmbeddingFailed("tokenizer.json in the model folder is damaged") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "</s>" in a text is what somebody wrote, not a mark
    return tokenizer


def load_session(files: ModelFiles, threads: int) -> InferenceSession:
    try:
        # By its path: a large model's numbers lie in a file beside it.
        return open_session(os.fspath(files.onnx), threads)
    except RUNTIME_ERRORS as error:
        message = "the ONNX file in the model folder is damaged or of a kind that cannot be run"
        raise EmbeddingFailed(message) from error


def _choose_output(session: InferenceSession, pooling: Sequence[Pooling]) -> str:
    outputs = [each.name for each in session.get_outputs()]
    if not pooling and "sentence_embedding" in outputs:
        return "sentence_embedding"
    if not pooling:
        message = (
            "the model folder does not say how states become a vector (1_Pooling/config.json); "
            "set WELLWORN_EMBEDDING__POOLING to mean, cls, max or last, as its description says"
        )
        raise EmbeddingFailed(message)
    return next(
        (each for each in ("last_hidden_state", "token_embeddings") if each in outputs), outputs[0]
    )


def rounds_by_batch(files: ModelFiles) -> bool:
    return _ROUNDS_BY_BATCH in files.onnx.read_bytes()
