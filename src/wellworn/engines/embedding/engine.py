"""Loads the model file and its tokenizer; the only code that depends on ONNX.

Checksums are verified before anything is parsed, so that a damaged download is reported as such.
Arithmetic is float32, or, where the processor has dot products of integers, that of a second graph
over the same bytes. The runtime's own way to integers rounds coarser and is slower for long texts.

Source: model/NOTICE; scripts/build_model.py; scripts/build_integer_model.py.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

# The runtime reports its use to its maker unless told before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# Its threads and a process that is forked for a parser do not go together.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
import onnxruntime

from wellworn.engines.embedding.arithmetic import Arithmetic
from wellworn.engines.embedding.models import PIECE_DIMENSIONS, FloatArray, Span, to_unit_length
from wellworn.engines.embedding.windows import PieceCounter, Word
from wellworn.errors import EmbeddingFailed

MODEL_FILE = "minilm-w8.onnx"
MODEL_SHA256 = "763ade333bb143cbb7511ba9474f2dc623afc017990de3940db9105c3306442f"
INTEGER_MODEL_FILE = "minilm-int8.onnx"  # without matrices: it names places in the other
INTEGER_MODEL_SHA256 = "e972040f3b3b9442da9ba932787c3c29ba6f1d768c9edb1b41f96003c4bd85d4"
TOKENIZER_FILE = "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
PROJECTION_FILE = "piece-codes.bin"
PROJECTION_SHA256 = "66dc3a7b7a64eba0a5046aa58f490fea807a757d5348c03f70a2f8b76827faab"
SEQUENCE_LIMIT = 256  # what the model was trained on; the tokenizer's own file says otherwise

_runtime = cast("Any", onnxruntime)  # it ships no types
_native = _runtime.capi.onnxruntime_pybind11_state  # its errors have no common base
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    MemoryError,
    _native.Fail,
    _native.InvalidArgument,
    _native.InvalidGraph,
    _native.InvalidProtobuf,
    _native.NotImplemented,
    _native.RuntimeException,
)
_sessions: WeakValueDictionary[tuple[int | FileState, ...], InferenceSession] = (
    WeakValueDictionary()
)
"""Those in use, by the number of threads and the files of the model."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class FileState(NamedTuple):
    """A file as it is now: one that was read and checked need not be again."""

    path: Path
    bytes: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Look a file up; `EmbeddingFailed` if it is missing."""
        try:
            found = path.stat()
        except OSError as error:
            raise EmbeddingFailed(f"{path.name} is missing or cannot be read") from error
        return cls(path, found.st_size, found.st_mtime_ns)


class InferenceSession(Protocol):
    """A model that the runtime has loaded."""

    def run(self, outputs: list[str], feed: dict[str, NDArray[np.int64]]) -> list[FloatArray]: ...

    def get_inputs(self) -> list[Any]: ...

    def get_outputs(self) -> list[Any]: ...


class Pieces(NamedTuple):
    """A text for the model: ids with both marks, and the characters of each piece between them."""

    ids: list[int]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Projection:
    """The 128 directions in which the signs of a piece's state tell most.

    Attributes:
        matrix: `(width, 128)` float32.
        offset: `(128,)` float32, added after it.
    """

    matrix: FloatArray
    offset: FloatArray

    @classmethod
    def read(cls, content: bytes) -> Projection:
        """Read the file: float16, row by row, the offset last."""
        rows = np.frombuffer(content, "<f2").astype(np.float32).reshape(-1, PIECE_DIMENSIONS)
        return cls(np.ascontiguousarray(rows[:-1]), rows[-1])

    def __call__(self, states: FloatArray) -> FloatArray:
        """Return `(n, 128)` of length one for `(n, width)` states, whose lengths do not matter."""
        return to_unit_length(to_unit_length(states) @ self.matrix + self.offset)


class PieceModel:
    """One loaded model of word pieces; every method may be called by several threads at once."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer

    def pieces(self, text: str) -> Pieces:
        """Return the text's word pieces between the two marks of a sequence, cut to the limit."""
        encoding = self._tokenizer.encode(make_encodable(text))
        ids, spans = encoding.ids, encoding.offsets
        if len(ids) > SEQUENCE_LIMIT:
            ids = [*ids[: SEQUENCE_LIMIT - 1], ids[-1]]
        return Pieces(ids, tuple(Span(*span) for span in spans[1 : len(ids) - 1]))

    def words(self, text: str) -> list[Word]:
        """Return every word of the text, without cutting and without marks."""
        encoding = self._tokenizer.encode(make_encodable(text), add_special_tokens=False)
        numbered = zip(encoding.word_ids, encoding.offsets, strict=True)
        groups = ([span for _, span in group] for _, group in groupby(numbered, lambda it: it[0]))
        return [Word(spans[0][0], spans[-1][1], len(spans)) for spans in groups]

    def run(self, outputs: Sequence[str], sequences: Sequence[Sequence[int]]) -> list[FloatArray]:
        """Return outputs of the model, one row a sequence, padded to the longest.

        Raises:
            EmbeddingFailed: inference failed, for instance for want of memory.
        """
        shape = (len(sequences), max(map(len, sequences)))
        pieces, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, sequence in enumerate(sequences):
            pieces[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        feed = {"input_ids": pieces, "attention_mask": mask}
        try:
            return self._session.run([*outputs], feed)
        except RUNTIME_ERRORS as error:
            raise EmbeddingFailed("the model could not be run") from error


class Engine(PieceModel):
    """The loaded encoder, which can count and project as well."""

    def __init__(
        self, session: InferenceSession, tokenizer: Tokenizer, projection: Projection
    ) -> None:
        super().__init__(session, tokenizer)
        self.projection = projection
        self._counter = PieceCounter(self._count_pieces)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many word pieces each text has, without marks."""
        return self._counter.lengths(texts)

    def _count_pieces(self, words: Sequence[str]) -> list[int]:
        """Count the pieces of words as a counter cuts them; nothing about plain ones is changed."""
        cut = self._tokenizer.model.tokenize
        counts = {word: len(cut(word)) for word in words if word.isascii() and word.isprintable()}
        rest = [make_encodable(word) for word in words if word not in counts]
        others = self._tokenizer.encode_batch_fast(rest, add_special_tokens=False)
        numbers = iter(map(len, others))
        return [counts[word] if word in counts else next(numbers) for word in words]


def load_engine(folder: Path, *, threads: int, arithmetic: Arithmetic = "float32") -> Engine:
    """Load the model; `EmbeddingFailed` if a file is missing, unreadable or damaged."""
    checksums = {folder / MODEL_FILE: MODEL_SHA256}
    if arithmetic == "int8":
        checksums[folder / INTEGER_MODEL_FILE] = INTEGER_MODEL_SHA256
    tokenizer = load_tokenizer(folder)
    projection = Projection.read(read_checked(folder / PROJECTION_FILE, PROJECTION_SHA256))
    return Engine(share_session(checksums, threads), tokenizer, projection)


def load_classifier(file: Path, sha256: str, folder: Path, *, threads: int) -> PieceModel:
    """Load another model of the pieces of the encoder in a folder; it fails as `load_engine`."""
    return PieceModel(share_session({file: sha256}, threads), load_tokenizer(folder))


def load_tokenizer(folder: Path) -> Tokenizer:
    """Load what cuts texts into pieces; all models that read the same ones share it."""
    return _load_tokenizer(FileState.of(folder / TOKENIZER_FILE))


@lru_cache(maxsize=1)
def _load_tokenizer(file: FileState) -> Tokenizer:
    tokenizer = Tokenizer.from_buffer(read_checked(file.path, TOKENIZER_SHA256))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is what somebody wrote, not a mark
    return tokenizer


def share_session(checksums: Mapping[Path, str], threads: int) -> InferenceSession:
    """Open a model of our own, or share its session with another who uses it.

    Args:
        checksums: those of its files; the last is its graph, which names places in the others.
        threads: how many processors it may use.

    Raises:
        EmbeddingFailed: a file is missing, unreadable or damaged.
    """
    key = (threads, *map(FileState.of, checksums))
    if session := _sessions.get(key):
        return session
    contents = {path: read_checked(path, sha256) for path, sha256 in checksums.items()}
    *_, graph = checksums
    matrices = {path.name: content for path, content in contents.items()}
    try:
        session = open_session(contents[graph], threads, matrices=matrices)
    except RUNTIME_ERRORS as error:
        raise EmbeddingFailed(f"{graph.name} could not be loaded") from error
    _sessions[key] = session
    return session


def open_session(
    model: bytes | str,
    threads: int,
    *,
    matrices: Mapping[str, bytes] | None = None,
) -> InferenceSession:
    """Open a model, given as its content or as the path of its file, for the CPU.

    Matrices are the contents of other files of which the model names places, by their names.
    """
    options = _runtime.SessionOptions()
    if matrices:
        contents = [*matrices.values()]
        options.add_external_initializers_from_files_in_memory(
            [*matrices], contents, [len(content) for content in contents]
        )
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Unfolds the matrices to float32 at load: 40 MB more, and the arithmetic the file describes.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return _runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def read_checked(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EmbeddingFailed(f"{path.name} is missing or cannot be read") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise EmbeddingFailed(f"{path.name} is damaged: its checksum is wrong")
    return content


def make_encodable(text: str) -> str:
    """Replace what UTF-8 cannot hold, character for character, so that offsets stay true."""
    return _LONE_SURROGATE.sub("\ufffd", text)
