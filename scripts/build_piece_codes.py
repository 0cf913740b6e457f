"""Find the 128 directions whose signs keep most of what word pieces' states mean.

Token-level matching keeps 16 bytes a word piece: the signs of its state in 128 directions. The
directions are the principal components of the states of ordinary texts, turned so that signs lose
as little as possible (iterative quantisation): of a state's direction .84 survives, .74 without the
turn.

    python scripts/build_piece_codes.py --texts FOLDER --out src/wellworn/engines/embedding/model

FOLDER holds Markdown files; what was shipped was made of the documentation in three repositories
under MIT and Apache-2.0 licences, named in NOTICE. The same texts give the same file on one
machine; another may differ in the last bit.

Source: Gong and Lazebnik, Iterative Quantization, CVPR 2011.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wellworn.engines.embedding import PIECE_DIMENSIONS
from wellworn.engines.embedding.engine import PROJECTION_FILE, load_engine

_STATES = 80_000
_SHORTEST, _LONGEST = 80, 800
_TURNS = 50

Array = NDArray[np.float32]


def paragraphs(folder: Path) -> Iterator[str]:
    """Yield paragraphs of prose and code as they stand in the files."""
    for path in sorted(folder.rglob("*.md")):
        for part in path.read_text("utf-8", "replace").split("\n\n"):
            if _SHORTEST <= len(part) <= _LONGEST:
                yield part


def states(folder: Path, model: Path) -> Array:
    """Return `(n, width)` states of a fixed choice of pieces."""
    engine = load_engine(model, threads=2)
    texts = [*paragraphs(folder)]
    chosen: list[int] = np.random.default_rng(7).permutation(len(texts)).tolist()
    found: list[Array] = []
    for at in chosen:
        [of_text] = engine.run(["token_states"], [engine.pieces(texts[at]).ids])
        inner = of_text[0, 1:-1]
        found.append(inner / np.linalg.norm(inner, axis=1, keepdims=True))
        if sum(map(len, found)) >= _STATES:
            break
    return np.concatenate(found)[:_STATES]


def directions(sample: Array) -> tuple[Array, Array]:
    """Return `(width, 128)` and the offset that puts the signs' border at the mean."""
    mean = sample.mean(axis=0)
    centred = sample - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    principal = vectors[:, ::-1][:, :PIECE_DIMENSIONS]
    reduced = centred @ principal
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    turn, _ = np.linalg.qr(
        np.random.default_rng(7).normal(size=(PIECE_DIMENSIONS, PIECE_DIMENSIONS))
    )
    for _ in range(_TURNS):
        left, _, right = np.linalg.svd(np.sign(reduced @ turn).T @ reduced)
        turn = (left @ right).T
    matrix = principal @ turn
    return matrix, -(mean @ matrix)


def main() -> None:
    """Write the file and say its checksum."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--texts", type=Path, required=True, help="folder with Markdown files")
    words.add_argument("--out", type=Path, required=True, help="folder of the model")
    given = words.parse_args()
    matrix, offset = directions(states(given.texts, given.out))
    content = np.vstack([matrix, offset]).astype("<f2").tobytes()
    (given.out / PROJECTION_FILE).write_bytes(content)
    print(f"{hashlib.sha256(content).hexdigest()}  {PROJECTION_FILE}")


if __name__ == "__main__":
    main()
