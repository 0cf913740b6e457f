"""Runs models that read a question together with a text: from a file of our own, or from a folder.

It knows pieces and numbers only. What the numbers say is for the caller: see engine `reading`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from tokenizers import Encoding, Tokenizer

from wellworn.engines.embedding.arithmetic import Arithmetic, choose_arithmetic
from wellworn.engines.embedding.engine import (
    RUNTIME_ERRORS,
    SEQUENCE_LIMIT,
    InferenceSession,
    load_tokenizer,
    make_encodable,
    share_session,
)
from wellworn.engines.embedding.hub_model import load_session, rounds_by_batch
from wellworn.engines.embedding.hub_model import load_tokenizer as load_hub_tokenizer
from wellworn.engines.embedding.minilm import OWN_FOLDER
from wellworn.engines.embedding.model_files import read_model_files
from wellworn.engines.embedding.models import FloatArray, Span
from wellworn.engines.embedding.settings import EmbeddingSettings
from wellworn.engines.embedding.windows import group_by_length
from wellworn.errors import EmbeddingFailed

MOST_QUESTION_PIECES: Final = 64
_BATCH_TOKENS: Final = 256
"""Of texts that are read at once: with 1,024 each takes a fifth longer, as it is padded."""
_LONGEST_WORD: Final = 24
"""Characters of a piece, at most, as far as cutting a very long text beforehand goes."""
_UNKNOWN: Final = frozenset(("[UNK]", "<unk>"))
"""Signs for a word without pieces, in the vocabularies of the usual kinds."""
_READ: Final = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class PairLogits(NamedTuple):
    """The numbers that a model gave for a question and a text.

    Attributes:
        outputs: each output by its name: a row of numbers, one a piece where it is that long.
        first: the number of the first piece that is the text's own.
        spans: the characters of the text that each of its pieces stands for.
    """

    outputs: Mapping[str, FloatArray]
    first: int
    spans: tuple[Span, ...]


class _Pair(NamedTuple):
    """A question and a text in pieces, marks between them."""

    ids: list[int]
    types: list[int]
    first: int
    spans: tuple[Span, ...]


class PairModel:
    """One loaded model; every method may be called by several threads at once."""

    def __init__(
        self, name: str, session: InferenceSession, tokenizer: Tokenizer, *, batch_tokens: int
    ) -> None:
        self.name = name
        self._session = session
        self._tokenizer = tokenizer
        self._batch_tokens = batch_tokens
        self._inputs = {each.name for each in session.get_inputs()}
        self.outputs = tuple(each.name for each in session.get_outputs())
        if not {"input_ids"} <= self._inputs <= _READ:
            raise EmbeddingFailed("the ONNX file is no reader of texts: it reads other things")

    def can_read(self, question: str) -> bool:
        """Tell whether the model has pieces for every letter of a question.

        Words without pieces, such as most in Chinese to a vocabulary of English, all look alike.
        """
        asked = self._cut_question(question)
        read = self._tokenizer.encode(asked, add_special_tokens=False)
        pieces = zip(read.tokens, read.offsets, strict=True)
        return not any(
            token in _UNKNOWN and any(map(str.isalpha, asked[start:end]))
            for token, (start, end) in pieces
        )

    def run(self, question: str, texts: Sequence[str]) -> list[PairLogits]:
        """Return what the model makes of each text beside the question; both may be cut short.

        Raises:
            EmbeddingFailed: inference failed.
        """
        asked = self._cut_question(question)
        longest = SEQUENCE_LIMIT * _LONGEST_WORD
        encodings = self._tokenizer.encode_batch(
            [(asked, make_encodable(text[:longest])) for text in texts]
        )
        read = [_cut(encoding) for encoding in encodings]
        logits: dict[int, PairLogits] = {}
        for group in group_by_length([len(each.ids) for each in read], self._batch_tokens):
            outputs = self._infer([read[at] for at in group])
            for row, at in enumerate(group):
                rows = {name: values[row] for name, values in outputs.items()}
                logits[at] = PairLogits(rows, read[at].first, read[at].spans)
        return [logits[at] for at in range(len(texts))]

    def _cut_question(self, question: str) -> str:
        asked = make_encodable(question[: MOST_QUESTION_PIECES * _LONGEST_WORD])
        spans = self._tokenizer.encode(asked, add_special_tokens=False).offsets
        return (
            asked if len(spans) <= MOST_QUESTION_PIECES else asked[: spans[MOST_QUESTION_PIECES][0]]
        )

    def _infer(self, read: Sequence[_Pair]) -> dict[str, FloatArray]:
        shape = (len(read), max(len(each.ids) for each in read))
        ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
        for row, each in enumerate(read):
            ids[row, : len(each.ids)] = each.ids
            types[row, : len(each.ids)] = each.types
            mask[row, : len(each.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            values = self._session.run([*self.outputs], {name: feed[name] for name in self._inputs})
        except RUNTIME_ERRORS as error:
            raise EmbeddingFailed("the reader could not be run") from error
        outputs = dict(
            zip(self.outputs, (np.asarray(it, np.float32) for it in values), strict=True)
        )
        if any(it.shape[:1] != shape[:1] or not np.isfinite(it).all() for it in outputs.values()):
            raise EmbeddingFailed("the reader gave what are not finite numbers of each text")
        return outputs


def load_pair_model(
    folder: Path,
    *,
    threads: int = 1,
    checksums: Mapping[str, str] = MappingProxyType({}),
    arithmetic: Arithmetic | None = None,
) -> PairModel:
    """Load a model of pairs from a folder like those of model hubs.

    With checksums: from files of our own, whose names end with `-w8.onnx` and, if there is one for
    integer products, with `-int8.onnx`. They read the pieces of the shipped encoder.

    Raises:
        EmbeddingFailed: a file is missing or damaged, or the model reads other things than texts.
    """
    if checksums:
        return _load_own(folder, checksums, threads, arithmetic or choose_arithmetic())
    settings = EmbeddingSettings(model_folder=folder, query_prefix="", text_prefix="")
    files = read_model_files(folder, settings)
    batch_tokens = 1 if rounds_by_batch(files) else _BATCH_TOKENS
    session, tokenizer = load_session(files, threads), load_hub_tokenizer(files)
    return PairModel(files.name, session, tokenizer, batch_tokens=batch_tokens)


def _load_own(
    folder: Path, checksums: Mapping[str, str], threads: int, arithmetic: Arithmetic
) -> PairModel:
    ends = {name.rpartition("-")[2]: name for name in checksums}
    whole = ends.get("w8.onnx", "")
    chosen = ends.get("int8.onnx", whole) if arithmetic == "int8" else whole
    files = {folder / name: checksums.get(name, "") for name in (whole, chosen)}
    session = share_session(files, threads)
    return PairModel(whole, session, load_tokenizer(OWN_FOLDER), batch_tokens=_BATCH_TOKENS)


def _cut(encoding: Encoding) -> _Pair:
    """Return a pair within the limit: what is beyond it is missing at the end of the text."""
    ids, types, sequences = encoding.ids, encoding.type_ids, encoding.sequence_ids
    closing = next((at for at, sequence in enumerate(reversed(sequences)) if sequence == 1), 0)
    count = min(len(ids), SEQUENCE_LIMIT) - closing
    rows = [*range(count), *range(len(ids) - closing, len(ids))]
    own = [at for at in range(count) if sequences[at] == 1]
    spans = tuple(Span(*encoding.offsets[at]) for at in own)
    first = own[0] if own else count
    return _Pair([ids[at] for at in rows], [types[at] for at in rows], first, spans)
