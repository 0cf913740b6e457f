"""Measures how well one's own knowledge answers one's own questions.

Questions are put to a running server as agents put them, and judged by what came back: whether
the documents are among the first five, whether a passage shows the words, whether the value is
there to the letter, whether a term ended as it should. No model takes part, and no question leaves
a trace: asked a hundred times, knowledge answers as it did the first time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from wellworn.application.evals.knowledge_questions import Asked
from wellworn.client import Wellworn
from wellworn.kit.text import shorten

DEPTH: Final = 5
"""Documents that are looked at."""
_ROUNDING: Final = 1e-9
_LONGEST_TEXT: Final = 60


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document that was shown: its citation, its path, and the anchors of what was shown."""

    citation: str
    path: str
    anchors: frozenset[str]

    def __str__(self) -> str:
        return self.citation

    def is_meant(self, wanted: str) -> bool:
        """Tell whether somebody who wrote this down means the document."""
        if wanted in {self.citation, self.path}:
            return True
        document, mark, anchor = wanted.rpartition("#")
        return bool(mark) and document in {self.citation, self.path} and anchor in self.anchors


@dataclass(frozen=True, slots=True)
class Observation:
    """The results that came back for a question.

    Attributes:
        documents: best first.
        passages: their words.
        values: of a term that was resolved; None of a search, whose values are in its passages.
        outcome: of a term; empty of a search.
    """

    documents: tuple[ShownDocument, ...]
    passages: tuple[str, ...]
    values: tuple[str, ...] | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One question judged; a measure that was not asked for is None.

    Attributes:
        documents: share of the expected documents among the first five.
        misses: what was not there, and what was there instead.
    """

    question: Asked
    documents: float | None
    text: bool | None
    value: bool | None
    outcome: bool | None
    misses: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Tell whether all that was expected was there."""
        return not self.misses


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean, 0 to 1, over the questions that it was asked of."""

    name: str
    mean: float
    questions: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All verdicts, and whether they reach a bar."""

    verdicts: tuple[Verdict, ...]
    bar: float

    @property
    def right(self) -> int:
        """The number of questions that got all they were to get."""
        return sum(verdict.is_right for verdict in self.verdicts)

    @property
    def score(self) -> float:
        """The share of these."""
        return self.right / len(self.verdicts)

    @property
    def is_passed(self) -> bool:
        """Tell whether the score reaches the bar."""
        return self.score >= self.bar - _ROUNDING

    def measures(self) -> list[Measure]:
        """Return the means of what was asked for."""
        by_name = {
            f"document recall@{DEPTH}": [verdict.documents for verdict in self.verdicts],
            "span hit": [verdict.text for verdict in self.verdicts],
            "value hit": [verdict.value for verdict in self.verdicts],
            "outcome hit": [verdict.outcome for verdict in self.verdicts],
        }
        asked = {
            name: [float(value) for value in values if value is not None]
            for name, values in by_name.items()
        }
        return [Measure(name, fmean(marks), len(marks)) for name, marks in asked.items() if marks]


def evaluate(
    memory: Wellworn,
    questions: Sequence[Asked],
    *,
    bar: float,
    advance: Callable[[int, int], object] = lambda _done, _total: None,
) -> Evaluation:
    """Put every question to a server and judge what comes back.

    Raises:
        WellwornClientError: the server refused something or did not answer.
    """
    verdicts: list[Verdict] = []
    for done, question in enumerate(questions, start=1):
        reply = _resolve(memory, question) if question.is_term else _search(memory, question)
        verdicts.append(judge(question, reply))
        advance(done, len(questions))
    return Evaluation(tuple(verdicts), bar)


def judge(question: Asked, reply: Observation) -> Verdict:
    """Compare what came back with what was expected."""
    wanted, shown = question.expected, reply.documents[:DEPTH]
    absent = [
        name for name in wanted.documents if not any(document.is_meant(name) for document in shown)
    ]
    has_text = _holds_text(reply.passages, wanted.text)
    has_value = _holds_value(reply, wanted.value)
    misses = [
        *(f"{name} is not among {_format_documents(shown)}" for name in absent),
        *(
            [f"no passage shows “{shorten(wanted.text, _LONGEST_TEXT)}”"]
            if wanted.text and not has_text
            else []
        ),
        *([f"{wanted.value} is not {_beside(reply)}"] if wanted.value and not has_value else []),
        *(
            [f"it is {reply.outcome}, not {wanted.outcome}"]
            if wanted.outcome and reply.outcome != wanted.outcome
            else []
        ),
    ]
    of = len(wanted.documents)
    return Verdict(
        question=question,
        documents=(of - len(absent)) / of if of else None,
        text=has_text if wanted.text else None,
        value=has_value if wanted.value else None,
        outcome=reply.outcome == wanted.outcome if wanted.outcome else None,
        misses=tuple(misses),
    )


def _search(memory: Wellworn, question: Asked) -> Observation:
    hits = memory.search_knowledge(question.text, limit=DEPTH)
    return Observation(
        documents=tuple(
            ShownDocument(
                hit.path if "://" in hit.path else f"{hit.source}/{hit.path}",
                hit.path,
                frozenset(snippet.anchor for snippet in hit.snippets),
            )
            for hit in hits
        ),
        passages=tuple(snippet.text for hit in hits for snippet in hit.snippets),
    )


def _resolve(memory: Wellworn, question: Asked) -> Observation:
    resolution = memory.resolve(question.text, context=question.context, learn=False)
    shown = [*(value.evidence for value in resolution.values), *resolution.evidence]
    cited = [(evidence.citation, evidence.path, evidence.anchor) for evidence in shown]
    cited += [_parts(candidate.citation) for candidate in resolution.candidates]
    return Observation(
        documents=tuple(_merge_anchors(cited)),
        passages=tuple(evidence.text for evidence in shown),
        values=tuple(value.value for value in resolution.values),
        outcome=resolution.outcome,
    )


def _parts(citation: str) -> tuple[str, str, str]:
    document, mark, anchor = citation.rpartition("#")
    if not mark:
        document, anchor = citation, ""
    path = document if "://" in document else document.partition("/")[2]
    return citation, path, anchor


def _merge_anchors(cited: Iterable[tuple[str, str, str]]) -> Iterator[ShownDocument]:
    """Yield each document once, with all its anchors."""
    anchors: dict[tuple[str, str], set[str]] = {}
    for citation, path, anchor in cited:
        document = citation.removesuffix(f"#{anchor}") if anchor else citation
        anchors.setdefault((document, path), set()).add(anchor)
    for (document, path), shown in anchors.items():
        yield ShownDocument(document, path, frozenset(shown))


def _holds_text(passages: Iterable[str], text: str) -> bool:
    """Tell whether a passage has the words; how its lines are broken is nothing to it."""
    wanted = " ".join(text.split())
    return any(wanted in " ".join(passage.split()) for passage in passages)


def _holds_value(reply: Observation, value: str) -> bool:
    if reply.values is not None:
        return value in reply.values
    # Not as a part of a longer one: 10.0.0.1 does not stand in 10.0.0.12.
    alone = re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|[.:/-]\w)")
    return any(alone.search(passage) for passage in reply.passages)


def _format_documents(shown: Sequence[ShownDocument]) -> str:
    return ", ".join(map(str, shown)) or "what was found, which is nothing"


def _beside(reply: Observation) -> str:
    if reply.values is None:
        return "in the passages shown"
    return f"among the values {', '.join(reply.values[:DEPTH])}" if reply.values else "known"
