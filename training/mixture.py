"""Makes the one mixture that the reader learns from; the same seed makes the same pairs.

All kinds are learned together: trained on one alone, a reader forgets the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final
from zlib import crc32

from training import changes, orders, scenes, structures, written
from training.exchange import Exchanger
from training.found import (
    Corpus,
    list_beside,
    make_answered,
    make_likest,
    make_vague,
    read_corpora,
)
from training.pairs import Pair, unanswered
from training.sources import Question
from wellworn.engines.reading import ORDER_QUESTION

SEED: Final = 20261129
_HELD_OUT_IN: Final = 25
"""One source of so many is held out, to be judged by."""

_SHARES: Final = {
    "beside": 0.42,
    "likest": 0.16,
    "vague": 0.16,
    "exchanged": 0.42,
    "exchanged alike": 0.14,
}
"""How many pairs of a kind are made for each answered question, at most."""

_MADE: Final[dict[Callable[[Random, str], list[Pair | None]], int]] = {
    scenes.make_twins: 5400,
    scenes.make_without_value: 3000,
    scenes.make_yes_or_no: 1800,
    changes.make_changes: 3400,
    changes.make_halves: 1500,
    structures.make_tables: 2200,
    structures.make_lists: 1500,
    structures.make_settings: 1500,
}
"""How many scenes are made, of two to six pairs each."""


_WRITTEN_ROUNDS: Final = 4
"""How often each scene written by hand is taken: they are few, and closest to what is asked."""


def make_mixture(folder: Path, *, seed: int = SEED, share: float = 1.0) -> list[Pair]:
    """Return all pairs in an order that mixes the kinds; fewer for a share."""
    rng = Random(seed)
    corpora = read_corpora(folder)
    texts = dict.fromkeys(text for corpus in corpora for text, _ in corpus.texts)
    exchanger = Exchanger(texts, rng)
    pairs = [pair for corpus in corpora for pair in _make_found(corpus, exchanger, share, rng)]
    for make, count in _MADE.items():
        for number in range(round(count * share)):
            made = make(rng, f"{make.__name__}:{number}")
            pairs += [pair for pair in made if pair is not None]
    for _ in range(round(_WRITTEN_ROUNDS * share)):
        pairs += [*written.make_written(rng), *written.make_later(rng)]
    rng.shuffle(pairs)
    return pairs


_GENERAL_SHARE: Final = 0.12
_SINGLE_TEXTS: Final = 12_000
_ORDER_ROUNDS: Final = 2
_ORDINARY: Final = 4_000
"""What the second reader keeps of the reader's mixture; some of it is asked for orders."""


def make_second_mixture(folder: Path, *, seed: int = SEED) -> list[Pair]:
    """Return what tells orders, and what was said later; of the rest, what keeps it a reader."""
    rng = Random(seed)
    single = rng.sample(written.make_written(rng), _SINGLE_TEXTS)
    general = [*make_mixture(folder, seed=seed, share=_GENERAL_SHARE), *single]
    pairs = [*general, *written.make_later(rng)]
    for _ in range(_ORDER_ROUNDS):
        pairs += orders.make_orders(folder, rng)
    pairs += [
        unanswered("order", ORDER_QUESTION, pair.text, pair.source)
        for pair in rng.sample(general, _ORDINARY)
    ]
    rng.shuffle(pairs)
    return pairs


def split_held_out(pairs: list[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return what is learned from, and what is held out: whole articles and scenes."""
    learned, held_out = [], []
    for pair in pairs:
        (held_out if _is_held_out(pair.source) else learned).append(pair)
    return learned, held_out


def count_kinds(pairs: list[Pair]) -> Counter[tuple[str, bool]]:
    """Count the pairs of each kind, with and without an answer."""
    return Counter((pair.kind, pair.answers) for pair in pairs)


def _is_held_out(source: str) -> bool:
    return crc32(source.encode()) % _HELD_OUT_IN == 0


def _make_found(corpus: Corpus, exchanger: Exchanger, share: float, rng: Random) -> list[Pair]:
    pairs: list[Pair] = []
    for question in corpus.questions:
        if rng.random() >= share:
            continue
        answered = make_answered(question, rng)
        if answered is not None:
            made = _make_beside(question, answered, corpus, exchanger, rng)
            pairs += [answered, *(pair for pair in made if pair is not None)]
    return pairs


def _make_beside(
    question: Question, answered: Pair, corpus: Corpus, exchanger: Exchanger, rng: Random
) -> list[Pair | None]:
    """Make of an answered pair some that are not, by chance of each kind."""
    made: list[Pair | None] = []
    if rng.random() < _SHARES["beside"]:
        made += list_beside(question, corpus, rng)
    if rng.random() < _SHARES["likest"]:
        made.append(make_likest(question, corpus, rng))
    if rng.random() < _SHARES["vague"]:
        made.append(make_vague(answered, rng))
    if rng.random() < _SHARES["exchanged"]:
        made.append(exchanger.exchange(answered))
    if rng.random() < _SHARES["exchanged alike"]:
        made.append(exchanger.exchange(answered, alike=True))
    return made
