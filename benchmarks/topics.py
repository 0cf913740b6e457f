"""Whether topics are the same the next day, what sorting costs, and how often a surge is false.

The thoughts are made: of a few hundred things, which belong to fields, some are said of often and
most seldom. A thought takes a few words of its thing, of its field and of all; the signs of their
pieces lie near those of the thing. So which thoughts belong together is known.

With `--data FOLDER` and `clinc/data_full.json` in it, from github.com/clinc/oos-eval, real
questions are sorted, too: 50 of each of 150 intents, by the encoder that is shipped.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import insert, select

from benchmarks.figures import Figure
from benchmarks.run import Run
from wellworn.application.bootstrap import open_app
from wellworn.application.calls import App
from wellworn.domain.spaces import DEFAULT_SPACE, local_access
from wellworn.domain.thoughts.store import topics as store
from wellworn.domain.thoughts.store.topics import KeptTopic
from wellworn.domain.thoughts.tables import features, thoughts
from wellworn.domain.thoughts.versions import FeatureVersions
from wellworn.engines.retrieval import pack_word_counts
from wellworn.engines.retrieval.text import hash_words
from wellworn.engines.retrieval.topics import RECENT_DAYS, USUAL_DAYS, Course, judge_trends
from wellworn.kit.ids import derive_id
from wellworn.kit.text import fingerprint
from wellworn.testing.embedder import HashEmbedder

Numbers = NDArray[np.intp]

THINGS: Final = 150
FIELDS: Final = 20
PIECES: Final = 24
NIGHTS: Final = 4
GROWTH: Final = 1.1
LARGE: Final = 20_000
_AT_ONCE: Final = 2_000
_NEAR: Final = (0.45, 0.75)
"""How much of a piece's sign follows its field and its thing; the rest is chance."""


@dataclass(frozen=True)
class Made:
    """Made thoughts and what each is about."""

    texts: list[str]
    codes: list[bytes]
    things: Numbers


def make(count: int, seed: int) -> Made:
    """Return made thoughts; the first are the same however many are made."""
    fixed = np.random.default_rng(20_000)
    fields = fixed.standard_normal((FIELDS, 128))
    directions = fixed.standard_normal((THINGS, 128))
    texts: list[str] = []
    codes: list[bytes] = []
    chance = np.random.default_rng(seed)
    shares = 1.0 / np.arange(5, THINGS + 5)
    things = chance.choice(THINGS, size=count, p=shares / shares.sum())
    for thing in things.tolist():
        field = thing % FIELDS
        own = [f"thing{thing}w{chance.integers(14)}" for _ in range(4)]
        near = [f"field{field}w{chance.integers(60)}" for _ in range(4)]
        rest = [f"word{chance.integers(900)}" for _ in range(8)]
        texts.append(" ".join([*own, *near, *rest, str(chance.integers(10**6))]))
        drawn = _NEAR[0] * fields[field] + _NEAR[1] * directions[thing]
        signs = drawn + 2.5 * chance.standard_normal((PIECES, 128))
        codes.append(np.packbits(signs > 0, axis=1).tobytes())
    return Made(texts, codes, things)


def measured(run: Run) -> list[Figure]:
    """Return how stable topics are, what they cost, and how honest trends are."""
    return _compare_nights(run) + _sort_intents(run) + _time_large(run) + _judge_surges(run)


def _compare_nights(run: Run) -> list[Figure]:
    """Sort a space that grows by a tenth from night to night."""
    size = 1_000 if run.quick else 3_000
    sizes = [int(size * GROWTH**night) for night in range(NIGHTS)]
    made = make(sizes[-1], seed=1)
    overlaps: list[float] = []
    same: list[float] = []
    likeness: list[float] = []
    app, before = open_memory(run.folder / "nights"), list[KeptTopic]()
    try:
        for start, end in pairwise([0, *sizes]):
            store_made(app, made, start, end)
            app.thoughts.topics.sort(DEFAULT_SPACE)
            with app.database.read() as transaction:
                now = store.load_topics(transaction, DEFAULT_SPACE)
            likeness.append(_compare_with_truth(now, made.things[:end]))
            if before:
                ids = {topic.id: {*topic.members.tolist()} for topic in now}
                kept = [topic for topic in before if topic.id in ids]
                same.append(len(kept) / len(before))
                overlaps += [_overlap({*old.members.tolist()}, ids[old.id], start) for old in kept]
            before = now
    finally:
        app.close()
    note = f"{len(before)} topics of {sizes[-1]:,} thoughts"
    return [
        Figure.at_least("Jaccard of topics with a tenth more", _mean(overlaps), 0.85, "", note),
        Figure.at_least("share of topics with the same id", _mean(same), 0.9, "", note),
        Figure("ARI of the largest topics", likeness[-1], note=f"{THINGS} things"),
    ]


def _sort_intents(run: Run) -> list[Figure]:
    """Sort real questions whose intents are known, if they are there."""
    with open_intents(run) as known:
        if known is None:
            return []
        app, intents = known
        app.thoughts.topics.sort(DEFAULT_SPACE)
        with app.database.read() as transaction:
            topics = store.load_topics(transaction, DEFAULT_SPACE)
    value = _compare_with_truth(topics, intents, smallest=True)
    note = f"{len(intents):,} questions, {intents.max() + 1} intents, smallest topics"
    return [Figure.at_least("ARI on CLINC150", value, 0.65, "", note)]


@contextmanager
def open_intents(run: Run) -> Generator[tuple[App, Numbers] | None]:
    """Open a memory of real questions, with the intent of each by its seq; None without data."""
    source = run.data and run.data / "clinc" / "data_full.json"
    if not source or not source.is_file():
        yield None
        return
    data = json.loads(source.read_text("utf-8"))
    questions = [*data["val"], *data["test"]][:: 10 if run.quick else 1]
    names = {name: number for number, name in enumerate(sorted({name for _, name in questions}))}
    app, access = open_app(run.folder / "intents"), local_access()
    try:
        for start in range(0, len(questions), 1_000):
            records = [
                {"record": "thought", "content": text, "contributor_id": "clinc"}
                for text, _ in questions[start : start + 1_000]
            ]
            app.import_records(access, [{**each, "contributor_name": "clinc"} for each in records])
        app.embedding.finish()
        by_text = {text: names[name] for text, name in questions}
        with app.database.read() as transaction:
            rows = transaction.execute(select(thoughts.c.seq, thoughts.c.content)).all()
        intents = np.full(max(row.seq for row in rows), -1)
        for row in rows:
            intents[row.seq - 1] = by_text[row.content]
        yield app, intents
    finally:
        app.close()


def _overlap(before: set[int], now: set[int], known: int) -> float:
    """Return the Jaccard index of a topic's members among the thoughts that were known before."""
    now = {seq for seq in now if seq <= known}
    return len(before & now) / len(before | now)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _compare_with_truth(
    topics: list[KeptTopic], things: Numbers, *, smallest: bool = False
) -> float:
    """Return the adjusted Rand index of the largest topics; what is in none is by itself."""
    labels = -np.arange(1, len(things) + 1)
    # Those inside come after the outer ones.
    for number, topic in enumerate(topics):
        if smallest or topic.parent_id is None:
            labels[topic.members - 1] = number
    return adjusted_rand(labels, things)


def adjusted_rand(first: Numbers, second: Numbers) -> float:
    """Return how alike two groupings are: 1 for the same, 0 for what chance would give."""

    def count_pairs(sizes: list[int]) -> float:
        return sum(size * (size - 1) / 2 for size in sizes)

    both = count_pairs([*Counter(zip(first.tolist(), second.tolist(), strict=True)).values()])
    one, other = (count_pairs([*Counter(each.tolist()).values()]) for each in (first, second))
    expected = one * other / count_pairs([len(first)])
    most = (one + other) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _time_large(run: Run) -> list[Figure]:
    size = 4_000 if run.quick else LARGE
    app, made = open_memory(run.folder / "large"), make(size, seed=2)
    try:
        store_made(app, made, 0, size)
        began, began_at = time.process_time(), time.monotonic()
        app.thoughts.topics.sort(DEFAULT_SPACE)
        took, lasted = time.process_time() - began, time.monotonic() - began_at
    finally:
        app.close()
    note = f"{lasted:.1f} s on the clock, read, sorted and kept"
    return [Figure.at_most(f"processor time for {size:,} thoughts", took, 5.0, "s", note)]


def _judge_surges(run: Run) -> list[Figure]:
    """Judge spaces of a hundred topics in which nothing changes, and one topic that does."""
    worlds = run.samples(200)
    chance = np.random.default_rng(3)
    days = RECENT_DAYS + USUAL_DAYS
    rates = chance.gamma(0.8, 1.5, size=(worlds, 100, 1))
    uneven = chance.gamma(3.0, 1 / 3.0, size=(worlds, 100, days))
    surge = np.concatenate([np.full(RECENT_DAYS, 10.0), np.ones(USUAL_DAYS)])
    figures: list[Figure] = []
    for name, rate in (("even days", rates), ("uneven days", rates * uneven)):
        counts = chance.poisson(np.broadcast_to(rate, (worlds, 100, days)))
        told = [
            any(trend.course is not Course.STEADY for trend in judge_trends(each, 100.0))
            for each in counts
        ]
        counts[:, 0] = chance.poisson(surge, size=(worlds, days))
        found = [judge_trends(each, 100.0)[0].course is Course.SURGING for each in counts]
        figures += [
            Figure.at_most(f"looks with a false trend, {name}", _mean([*told]), 0.06, ""),
            Figure(f"surges found, ten times one a day, {name}", _mean([*found])),
        ]
    return figures


def open_memory(folder: Path) -> App:
    return open_app(folder, embedder=HashEmbedder())


def store_made(app: App, made: Made, start: int, end: int) -> None:
    """Write thoughts with their features, as storing and embedding them would."""
    maker = FeatureVersions.of(app.embedder).whole
    for first in range(start, end, _AT_ONCE):
        numbers = range(first, min(end, first + _AT_ONCE))
        with app.database.write() as transaction:
            transaction.execute(insert(thoughts), [_thought(made.texts[at], at) for at in numbers])
            transaction.execute(
                insert(features),
                [_features(made.texts[at], made.codes[at], at, maker) for at in numbers],
            )


def _thought(text: str, at: int) -> dict[str, object]:
    return {
        "seq": at + 1,
        "id": derive_id("made", str(at)),
        "knowledge_space_id": DEFAULT_SPACE,
        "kind": "thought",
        "content": text,
        "content_key": fingerprint(text),
        "contributor_id": "made",
        "contributor_name": "made",
        "thought_type": "original",
        "created_at": float(at),
    }


def _features(text: str, codes: bytes, at: int, maker: int) -> dict[str, object]:
    return {
        "thought_seq": at + 1,
        "maker": maker,
        "shape": "",
        "passages": 1,
        "asks": False,
        "times": 0,
        "codes": codes,
        "counts": pack_word_counts(hash_words(text)),
    }
