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
    "What is the password, PIN or key?",
)
"""Those that told most, of eighteen that were tried."""
_WRITTEN: Final = Path(__file__).with_name("written_capture")
_OUT: Final = Path(__file__).parents[1] / "src/wellworn/domain/memory/capturing.json"
_SESSION: Final = re.compile(r"(?m)^#.*")
_LINE: Final = re.compile(r"(?m)^([UA])([+!?]?): (.*)")
_SPEAKERS: Final[Mapping[str, Speaker]] = {"U": "user", "A": "agent"}
_WORTH, _SECRET, _ORDER = _MARKS = ("+", "!", "?")
_SHRINKAGE: Final = 200.0
"""How strongly weights are held near nothing; from 100 to 400 all do equally well."""
_SHRINKAGE_OF_ANSWERS: Final = 20.0
"""That of the weights of what the reader says: these numbers are few, and tell much each."""
_MOST_NOISE: Final = 0.2
"""The share that nobody marked of what is kept, at most, on files left out of the fit."""
_MOST_PASSED: Final = {_SECRET: 0.03, _ORDER: 0.0}
"""The share of each that is kept, at most, on files left out of the fit."""
_CANDIDATES: Final = np.linspace(0.02, 0.6, 30)
"""The shares of what is worth it that is tried to be left out."""
_STEPS: Final = 400
_NEAR: Final = 2e-3
_NEVER: Final = 99.0


class Sessions(NamedTuple):
    """Sessions, and of each sentence its mark and the name of its file."""

    excerpts: list[Excerpt]
    marks: Marks
    files: NDArray[np.str_]


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
    for file in np.unique(sessions.files):
        tested = sessions.files == file
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
    files: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        for session in _SESSION.split(path.read_text("utf-8")):
            if lines := _LINE.findall(session):
                marks += [mark for _, mark, _ in lines]
                files += [path.stem] * len(lines)
                excerpts.append(Excerpt([Statement(text, _SPEAKERS[by]) for by, _, text in lines]))
    return Sessions(excerpts, np.array(marks), np.array(files))


def _measure(reader: ReaderService, encoder: Embedder, excerpts: Sequence[Excerpt]) -> FloatArray:
    seen = [measure(reader, encoder, _QUESTIONS, excerpt) for excerpt in excerpts]
    return np.concatenate([part for part in seen if part is not None])


def _fit(seen: FloatArray, marks: Marks) -> Fit:
    """Fit on numbers brought to one scale; return weights for the numbers as they are."""
    centre, scale = seen.mean(axis=0), seen.std(axis=0) + 1e-6
    inputs = np.column_stack([(seen - centre) / scale, np.ones(len(seen))])
    marked = np.column_stack([marks == mark for mark in _MARKS])
    answers = len(_QUESTIONS)
    half = answers + (len(centre) - 1 - 2 * answers) // 4
    held = np.full((len(centre) + 1, 1), _SHRINKAGE)
    held[:answers] = held[half : half + answers] = _SHRINKAGE_OF_ANSWERS
    held[-1] = 1e-3
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
    """Return the bounds that keep most of what is worth it, with no more else than is allowed."""
    worth = marks == _WORTH
    best, most = np.zeros(len(_MARKS)), -1
    for bound in np.quantile(ratings[worth, 0], _CANDIDATES):
        above = ratings[:, 0] >= bound
        told = [
            _find_bound(
                ratings[above & (marks == mark), column], int(share * (marks == mark).sum())
            )
            for column, (mark, share) in enumerate(_MOST_PASSED.items(), start=1)
        ]
        kept = above & (ratings[:, 1:] < told).all(axis=1)
        if (kept & ~worth).sum() <= _MOST_NOISE * kept.sum() and (kept & worth).sum() > most:
            best, most = np.array([bound, *told]), int((kept & worth).sum())
    return np.floor(best * 1000) / 1000


def _find_bound(ratings: FloatArray, spared: int) -> float:
    """Return the highest bound below which are no more than may be spared."""
    return float(np.sort([*ratings, *[_NEVER] * (spared + 1)])[spared])


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
