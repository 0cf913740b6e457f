"""Trains what judges which sentences of a session are kept: `python -m training.capturing`.

The sessions in `training/written_capture` were written for it. Each line is a sentence by the user
(`U`) or the agent (`A`), in their order, with `+` where it is worth keeping, `!` where it tells a
secret, and `?` where it is an order planted for the agent; `#` begins another session. What the
shipped reader and encoder see in each is weighed by three logistic regressions, one a mark, in
minutes of a processor. With `--judge FOLDER`, those in place are judged on sessions there.

Source: Böhning and Lindsay, Monotonicity of quadratic-approximation algorithms, 1988: steps by a
curvature that bounds the true one, so that it is turned around but once for all three.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wellworn.domain.memory.capture_judge import (
    CaptureHead,
    CaptureJudge,
    CaptureWeights,
    Excerpt,
    Speaker,
    Statement,
    measure,
)
from wellworn.engines.embedding import Embedder, EmbeddingSettings, open_encoder, open_pair_model
from wellworn.engines.reading import ReaderService, ReadingSettings, open_reader

FloatArray = NDArray[np.floating[Any]]
Marks = NDArray[np.str_]
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
_SESSION: Final = re.compile(r"(?m)^#.*")
_LINE: Final = re.compile(r"(?m)^([UA])([+!?]?): (.*)")
_SPEAKERS: Final[Mapping[str, Speaker]] = {"U": "user", "A": "agent"}
_WORTH, _SECRET, _ORDER = _MARKS = ("+", "!", "?")
_SHRINKAGE: Final = 200.0
"""How strongly weights are held near nothing; from 100 to 400 all do equally well."""
_PARTS: Final = 8
"""The sessions are left out of the fit in so many parts, to choose the bounds on."""
_MOST_NOISE: Final = 0.2
"""The share that nobody marked of what is kept, at most, on sessions left out."""
_LEAST_FOUND: Final = 0.97
"""The share of secrets, and of planted orders, that is told on sessions left out."""
_STEPS: Final = 500
_NEAR: Final = 1e-3


class Sessions(NamedTuple):
    """Sessions, and of each sentence its mark and the number of its session."""

    excerpts: list[Excerpt]
    marks: Marks
    numbers: NDArray[np.int64]


class Fit(NamedTuple):
    """Weights `(features, marks)` and biases `(marks,)`."""

    weights: FloatArray
    bias: FloatArray

    def rate(self, seen: FloatArray) -> FloatArray:
        """Return how likely sentences are marked, as logits `(sentences, marks)`."""
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
        judge = CaptureJudge(reader, encoder)
        judged = [row for excerpt in sessions.excerpts for row in judge.judge(excerpt) or ()]
        print(_tell(np.array(judged), sessions.marks))
        return
    seen = _measure(reader, encoder, sessions.excerpts)
    left_out = np.zeros((len(seen), len(_MARKS)))
    for part in range(_PARTS):
        tested = sessions.numbers % _PARTS == part
        left_out[tested] = _fit(seen[~tested], sessions.marks[~tested]).rate(seen[tested])
    bounds = _choose_bounds(left_out, sessions.marks)
    print("left out of the fit:", _tell(left_out - bounds, sessions.marks))
    fit = _fit(seen, sessions.marks)
    heads = [
        CaptureHead(tuple(round(float(each), 4) for each in weights), float(bias), float(bound))
        for weights, bias, bound in zip(fit.weights.T, fit.bias, bounds, strict=True)
    ]
    made = CaptureWeights(encoder.name, reader.name or "", _QUESTIONS, *heads)
    _OUT.write_text(json.dumps(made._asdict()) + "\n", "utf-8")


def _read(folder: Path) -> Sessions:
    excerpts: list[Excerpt] = []
    marks: list[str] = []
    numbers: list[int] = []
    for path in sorted(folder.glob("*.txt")):
        for session in _SESSION.split(path.read_text("utf-8")):
            if lines := _LINE.findall(session):
                marks += [mark for _, mark, _ in lines]
                numbers += [len(excerpts)] * len(lines)
                excerpts.append(Excerpt([Statement(text, _SPEAKERS[by]) for by, _, text in lines]))
    return Sessions(excerpts, np.array(marks), np.array(numbers))


def _measure(reader: ReaderService, encoder: Embedder, excerpts: Sequence[Excerpt]) -> FloatArray:
    seen = [measure(reader, encoder, _QUESTIONS, excerpt) for excerpt in excerpts]
    return np.concatenate([part for part in seen if part is not None])


def _fit(seen: FloatArray, marks: Marks) -> Fit:
    """Fit on numbers brought to one scale; return weights for the numbers as they are."""
    centre, scale = seen.mean(axis=0), seen.std(axis=0) + 1e-6
    inputs = np.column_stack([(seen - centre) / scale, np.ones(len(seen))])
    marked = np.column_stack([marks == mark for mark in _MARKS])
    held = np.array([*[_SHRINKAGE] * len(centre), 1e-6])[:, None]
    turned = np.linalg.inv(inputs.T @ inputs / 4 + np.diag(held[:, 0]))
    weights = np.zeros((len(held), len(_MARKS)))
    for _ in range(_STEPS):
        odds = 1 / (1 + np.exp(-inputs @ weights))
        step = turned @ (inputs.T @ (marked - odds) - held * weights)
        weights += step
        if np.abs(step).max() < _NEAR:
            break
    scaled = weights[:-1] / scale[:, None]
    return Fit(scaled, weights[-1] - centre @ scaled)


def _choose_bounds(ratings: FloatArray, marks: Marks) -> FloatArray:
    """Return the bounds: as many secrets and orders are told as must be.

    Of what is left, what is kept is all from the lowest rating on from which it holds no more
    noise than is allowed.
    """
    told = [
        np.quantile(ratings[marks == mark, column], 1 - _LEAST_FOUND, method="lower")
        for column, mark in ((1, _SECRET), (2, _ORDER))
    ]
    left = (ratings[:, 1:] < told).all(axis=1)
    order = np.argsort(-ratings[left, 0])
    noise = np.cumsum(marks[left][order] != _WORTH) / np.arange(1, len(order) + 1)
    worth = ratings[left, 0][order[np.flatnonzero(noise <= _MOST_NOISE)[-1]]]
    return np.floor(np.array([worth, *told]) * 1000) / 1000


def _tell(above: FloatArray, marks: Marks) -> str:
    """Say what becomes of sentences, by how far above the bounds each is."""
    kept = (above[:, 0] >= 0) & (above[:, 1:] < 0).all(axis=1)
    worth, secret, order = (marks == mark for mark in _MARKS)
    return (
        f"{(kept & worth).sum()} of {worth.sum()} sentences worth it kept, "
        f"{(kept & ~worth).sum()} of {kept.sum()} kept ones not worth it, of {len(marks)} in all; "
        f"{(secret & (above[:, 1] >= 0)).sum()} of {secret.sum()} secrets told, "
        f"{(secret & kept).sum()} kept; "
        f"{(order & (above[:, 2] >= 0)).sum()} of {order.sum()} planted orders told, "
        f"{(order & kept).sum()} kept; {(worth & (above[:, 1:] >= 0).any(axis=1)).sum()} sentences "
        "worth it taken for one of these"
    )


if __name__ == "__main__":
    main()
