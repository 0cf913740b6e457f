"""Trains what judges which sentences of a session are kept: `python -m training.capturing`.

The sessions in `training/written_capture` were written for it. Each line is a sentence by the user
(`U`) or the agent (`A`), with `+` where it is worth keeping; `#` begins another session. What the
shipped reader and encoder see in each is weighed by logistic regression, fitted by Newton's method,
in a minute of a processor. With `--judge FOLDER`, what is in place is judged on sessions there.

Source: Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.memory.capturing import CaptureJudge, CaptureWeights, Statement, measure
from wellworn.engines.embedding import Embedder, EmbeddingSettings, open_encoder, open_pair_model
from wellworn.engines.reading import ReaderService, ReadingSettings, open_reader

FloatArray = NDArray[np.floating[Any]]
Marks = NDArray[np.bool_]
_QUESTIONS: Final = (
    "What must always or never be done?",
    "When must it be done?",
    "What is being done now?",
    "What was learned that will matter later?",
    "How is it done here?",
    "What caused the problem and what fixed it?",
)
"""Those that told most, of fourteen that were tried."""
_WRITTEN: Final = Path(__file__).with_name("written_capture")
_OUT: Final = Path(__file__).parents[1] / "src/wellworn/domain/memory/capturing.json"
_LINE: Final = re.compile(r"([UA])(\+?): (.*)")
_SHRINKAGE: Final = 200.0
"""How strongly weights are held near nothing; from 100 to 400 all do equally well."""
_PARTS: Final = 8
"""The sessions are left out of the fit in so many parts, to choose the bound on."""
_MOST_NOISE: Final = 0.2
"""The share that nobody marked of what is kept, at most, on sessions left out."""
_STEPS: Final = 30
_AT_ONCE: Final = 50


class Sessions(NamedTuple):
    """Sentences of sessions: the number of its session a sentence, and whether it is marked."""

    numbers: NDArray[np.int64]
    statements: list[Statement]
    marked: Marks


class Fit(NamedTuple):
    weights: FloatArray
    bias: float

    def rate(self, seen: FloatArray) -> FloatArray:
        return seen @ self.weights + self.bias


def main() -> None:
    """Fit the weights, tell how well they do on sessions left out, and write them."""
    parser = argparse.ArgumentParser(prog="training.capturing")
    parser.add_argument("--judge", type=Path, metavar="FOLDER")
    folder = parser.parse_args().judge
    reader = ReaderService(open_reader(ReadingSettings(), open_model=open_pair_model))
    encoder = open_encoder(None, EmbeddingSettings())
    sessions = _read(folder or _WRITTEN)
    if folder:
        judged = CaptureJudge(reader, encoder).judge(sessions.statements)
        print(_tell(np.array(judged or []) >= 0, sessions.marked))
        return
    seen = _measure(reader, encoder, sessions.statements)
    left_out = np.zeros(len(seen))
    for part in range(_PARTS):
        tested = sessions.numbers % _PARTS == part
        left_out[tested] = _fit(seen[~tested], sessions.marked[~tested]).rate(seen[tested])
    bound = _choose_bound(left_out, sessions.marked)
    print("left out of the fit:", _tell(left_out >= bound, sessions.marked))
    fit = _fit(seen, sessions.marked)
    weights = tuple(round(float(weight), 4) for weight in fit.weights)
    made = CaptureWeights(encoder.name, reader.name or "", _QUESTIONS, weights, fit.bias, bound)
    _OUT.write_text(json.dumps(made._asdict()) + "\n", "utf-8")


def _read(folder: Path) -> Sessions:
    numbers: list[int] = []
    statements: list[Statement] = []
    marked: list[bool] = []
    number = 0
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            number += line.startswith("#")
            if found := _LINE.fullmatch(line):
                numbers.append(number)
                statements.append(Statement(found[3], found[1] == "U"))
                marked.append(bool(found[2]))
    return Sessions(np.array(numbers), statements, np.array(marked))


def _measure(reader: ReaderService, encoder: Embedder, statements: list[Statement]) -> FloatArray:
    starts = range(0, len(statements), _AT_ONCE)
    parts = [statements[start : start + _AT_ONCE] for start in starts]
    seen = [measure(reader, encoder, _QUESTIONS, part) for part in parts]
    return np.concatenate([part for part in seen if part is not None])


def _fit(seen: FloatArray, marked: Marks) -> Fit:
    """Fit on numbers brought to one scale; return weights for the numbers as they are."""
    centre, scale = seen.mean(axis=0), seen.std(axis=0) + 1e-6
    inputs = np.column_stack([(seen - centre) / scale, np.ones(len(seen))])
    held = np.diag([*[_SHRINKAGE] * len(centre), 1e-6])
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        odds = 1 / (1 + np.exp(-inputs @ weights))
        curve = (inputs.T * (odds * (1 - odds))) @ inputs + held
        weights += np.linalg.solve(curve, inputs.T @ (marked - odds) - held @ weights)
    scaled = weights[:-1] / scale
    return Fit(scaled, float(weights[-1] - centre @ scaled))


def _choose_bound(ratings: FloatArray, marked: Marks) -> float:
    """Return the lowest rating from which on what is kept holds no more noise than is allowed."""
    order = np.argsort(-ratings)
    noise = np.cumsum(~marked[order]) / np.arange(1, len(order) + 1)
    return round(float(ratings[order[np.flatnonzero(noise <= _MOST_NOISE)[-1]]]), 3)


def _tell(kept: Marks, marked: Marks) -> str:
    found, noise = int((kept & marked).sum()), int((kept & ~marked).sum())
    return (
        f"{found} of {int(marked.sum())} marked sentences kept, "
        f"{noise} of {int(kept.sum())} kept ones not marked, of {len(marked)} in all"
    )


if __name__ == "__main__":
    main()
