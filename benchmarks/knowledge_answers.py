"""Is the answer among what knowledge shows? The public question sets, through sources and search.

Each set's documents are written into a folder, synced as a source, and asked through
`GET /api/knowledge/search`, five documents an answer with at most three passages each. The answer's
page is found when its document is among them; its span when one of their passages shares it.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.filling import embedded
from benchmarks.knowledge_syncing import synced, wait_for_vectors
from benchmarks.processes import serving
from benchmarks.retrieval.certainty import Mean
from benchmarks.retrieval.models import Corpus
from benchmarks.retrieval.tasks import load
from benchmarks.run import Run
from wellworn.client import Wellworn
from wellworn.client.models import FoundDocument

DEPTH = 5
_LEAST_SHARED = 20
"""Characters, so that a passage which only touches the answer does not count."""


@dataclass(frozen=True)
class Spot:
    """Where an answer stands: characters of a document."""

    path: str
    start: int
    end: int


@dataclass(frozen=True)
class Question:
    """A question and every place that answers it."""

    text: str
    form: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class QuestionSet:
    """Documents by their paths and questions to them; goals are for pages and spans, by form."""

    name: str
    texts: dict[str, str]
    questions: list[Question]
    goals: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)


def measured(run: Run, data: Path) -> list[Figure]:
    """Return page recall and span hits of every set whose data is there."""
    sets: dict[str, Callable[[Path], QuestionSet]] = {
        "docs": shown,
        "docs ": hidden,
        "anthropic-docs": sections_of_products,
        "chunking-eval": spans_of_texts,
    }
    found = [make(data) for folder, make in sets.items() if (data / folder.strip()).is_dir()]
    return [figure for one in found for figure in _asked(run, one)]


def shown(data: Path) -> QuestionSet:
    """Return "what is X?" over documentation as it is."""
    [corpus] = load("docs-shown", data, "all").corpora
    files = {
        path: _lines((data / "docs" / path).read_text("utf-8", "replace"))
        for path in _files(corpus)
    }
    bodies = {doc.id: doc.text.partition("\n")[2] for doc in corpus.docs}
    # Recorded: hit@5 of the section, 1.00 and .98, which is at least as strict as that of its page.
    # To two decimals, as they are recorded.
    goals = {"plain": (0.995, 0.995), "lower": (0.995, 0.995), "typo": (0.975, 0.975)}
    return QuestionSet("docs-shown", files, _located(corpus, files, bodies), goals)


def hidden(data: Path) -> QuestionSet:
    """Return the same with all headings taken out, so that bodies must be found by meaning."""
    [corpus] = load("docs-hidden", data, "all").corpora
    parts: dict[str, list[str]] = defaultdict(list)
    for doc in corpus.docs:
        parts[doc.group].append(_lines(doc.text))
    files = {path: "\n\n".join(each) + "\n" for path, each in parts.items()}
    bodies = {doc.id: doc.text for doc in corpus.docs}
    # Recorded: .801 of files by BM25, .70 of sections as the bar.
    return QuestionSet("docs-hidden", files, _located(corpus, files, bodies), {"plain": (0.8, 0.7)})


def sections_of_products(data: Path) -> QuestionSet:
    """Return questions of users over product documentation, with the sections that answer them."""
    [corpus] = load("product-docs", data, "all").corpora
    parts: dict[str, list[str]] = defaultdict(list)
    for doc in corpus.docs:
        parts[_page(doc.group)].append(f"## {_lines(doc.text).strip()}")
    files = {path: "\n\n".join(each) + "\n" for path, each in parts.items()}
    bodies = {doc.id: doc.text.strip() for doc in corpus.docs}
    questions = _located(corpus, files, bodies, page=_page)
    # Recorded: recall@5 of sections, .83.
    return QuestionSet("product-docs", files, questions, {"all": (0.83, 0.83)})


def spans_of_texts(data: Path) -> QuestionSet:
    """Return questions over five long texts, with the exact spans that answer them."""
    folder = data / "chunking-eval"
    files = {file.name: file.read_text("utf-8") for file in (folder / "corpora").glob("*.md")}
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    questions = [
        Question(row["question"], "all", tuple(_spans(f"{_stem(row['corpus_id'])}.md", row)))
        for row in rows
    ]
    return QuestionSet("passages", files, [one for one in questions if one.spots[0].path in files])


def _spans(path: str, row: dict[str, str]) -> Iterator[Spot]:
    for one in json.loads(row["references"]):
        yield Spot(path, one["start_index"], one["end_index"])


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _page(link: str) -> str:
    return f"{link.partition('#')[0].strip('/').replace('://', '/') or 'index'}.md"


def _lines(text: str) -> str:
    return "\n".join(text.splitlines())


def _files(corpus: Corpus) -> list[str]:
    return sorted({doc.group for doc in corpus.docs})


def _located(
    corpus: Corpus,
    files: dict[str, str],
    bodies: dict[str, str],
    *,
    page: Callable[[str], str] = lambda group: group,
) -> list[Question]:
    pages = {doc.id: page(doc.group) for doc in corpus.docs}
    return [
        Question(
            query.text,
            query.category,
            tuple(
                _spot(pages[one], files[pages[one]], bodies[one]) for one in sorted(query.relevant)
            ),
        )
        for query in corpus.queries
    ]


def _spot(path: str, text: str, body: str) -> Spot:
    wanted = _lines(body)
    start = text.find(wanted)
    if start < 0:
        raise ValueError(f"{path} does not hold the answer that begins {wanted[:60]!r}")
    return Spot(path, start, start + len(wanted))


def _asked(run: Run, one: QuestionSet) -> list[Figure]:
    folder = run.folder / one.name
    for path, text in one.texts.items():
        file = folder / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    kept = (run.keep or run.folder) / one.name / "home"
    questions = one.questions[: run.samples(len(one.questions))]
    with serving(kept) as server, Wellworn(server.url, key="", space="") as memory:
        known = memory.sources()
        source = known[0] if known else None
        if source is None:
            config = {"path": str(folder / "docs")}
            source = memory.add_source("folder", "docs", config)
            synced(memory, source.id)
            wait_for_vectors(memory, source.id)
            embedded(server)
        answers: dict[str, list[tuple[float, float]]] = defaultdict(list)
        with run.progress(one.name, len(questions)) as advance:
            for question in questions:
                found = memory.search_knowledge(question.text, limit=DEPTH)
                answers[question.form].append(judged(question, found, one.texts))
                advance(1)
    return [figure for form, each in answers.items() for figure in _figures(one, form, each)]


def judged(
    question: Question, found: Sequence[FoundDocument], texts: dict[str, str]
) -> tuple[float, float]:
    """Return the share of the answer's pages that were found, and whether its span was."""
    wanted = {spot.path for spot in question.spots}
    pages = len(wanted & {one.path for one in found}) / len(wanted)
    is_hit = any(
        shares(spot, snippet.text, texts[spot.path], snippet.start)
        for spot in question.spots
        for one in found
        if one.path == spot.path
        for snippet in one.snippets
    )
    return pages, float(is_hit)


def shares(spot: Spot, quote: str, text: str, start: int) -> bool:
    """Tell whether a quote of a text, which begins at `start` in it, shares an answer's place."""
    # Where secrets were taken out before, the places of the stored text are others.
    place = text.find(quote)
    place = start if place < 0 else place
    shared = min(spot.end, place + len(quote)) - max(spot.start, place)
    return shared >= min(_LEAST_SHARED, spot.end - spot.start, len(quote))


def _figures(one: QuestionSet, form: str, judged: list[tuple[float, float]]) -> Iterator[Figure]:
    goals = one.goals.get(form, (None, None))
    names = (f"answer page recall@{DEPTH}", "span hit")
    for name, goal, values in zip(names, goals, zip(*judged, strict=True), strict=True):
        mean = Mean.of(values)
        note = f"95 % {mean.low:.3f} to {mean.high:.3f}, {mean.count} questions"
        label = f"{one.name}, {form}: {name}"
        if goal is None:
            yield Figure(label, mean.value, note=note)
        else:
            yield Figure.at_least(label, mean.value, goal, "", note)
