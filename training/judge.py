"""Judges a reader: by public questions, by pairs written by hand, and by what was held out.

None of it is learned from. The pairs in `judging/` were written before any reader was trained, in
other words and forms than those that are made for learning.
"""

from __future__ import annotations

import csv
import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from training.likeness import LikestTexts
from training.pairs import Pair, answered, unanswered
from training.sources import Question, read_qed, read_squad
from training.windows import cut_windows_of_three, holds_any

FOLDER: Final = Path(__file__).with_name("judging")
LANGUAGES: Final = ("de", "es", "zh", "ar")
_SEED: Final = 7
_BOUND: Final = 0.5
_PUNCTUATION: Final = frozenset(string.punctuation)
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reader says of a pair: whether the text answers, and with which words.

    Attributes:
        answers: the probability that the text answers.
        certainty: the probability of the span, if it does.
    """

    answers: float
    words: str
    certainty: float


Reads = Callable[[Sequence[Pair]], list[Judgement]]


def judge(
    read: Reads, folder: Path, *, most: int = 300, languages: Sequence[str] = ()
) -> dict[str, float]:
    """Return the figures of a reader on everything but what was held out."""
    figures = judge_questions(read, read_squad(folder, "xquad.en.json.gz"), most, "xquad en")
    figures |= judge_written(read)
    figures |= judge_questions(read, read_qed(folder), most, "qed")
    for language in languages:
        questions = read_squad(folder, f"xquad.{language}.json.gz")
        figures |= judge_questions(read, questions, most, f"xquad {language}")
    return {name: round(value, 3) for name, value in figures.items()}


def judge_questions(
    read: Reads, questions: Sequence[Question], most: int, name: str
) -> dict[str, float]:
    """Judge spans over windows of three sentences, and answers against the likest that has none."""
    rng = Random(_SEED)
    chosen = rng.sample([*questions], k=min(most, len(questions)))
    contexts: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        if question.context not in contexts[question.article]:
            contexts[question.article].append(question.context)
    every = [(context, at) for at, of in contexts.items() for context in of]
    whole = LikestTexts([context for context, _ in every])
    pairs: list[Pair] = []
    owners: list[tuple[int, str]] = []
    for number, question in enumerate(chosen):
        for start, end in cut_windows_of_three(question.context):
            pairs.append(unanswered("", question.text, question.context[start:end], ""))
            has = any(start <= a and b <= end for a, b in question.spans)
            owners.append((number, "right" if has else "beside"))
        likest = _find_likest(question, contexts[question.article], whole, every)
        if likest:
            pairs.append(unanswered("", question.text, likest, ""))
            owners.append((number, "wrong"))
    judged = read(pairs)
    return {f"{name} {key}": value for key, value in _count(chosen, owners, judged, name).items()}


def _count(
    chosen: Sequence[Question],
    owners: Sequence[tuple[int, str]],
    judged: Sequence[Judgement],
    name: str,
) -> dict[str, float]:
    by_question: dict[int, dict[str, list[Judgement]]] = defaultdict(lambda: defaultdict(list))
    for (number, role), each in zip(owners, judged, strict=True):
        by_question[number][role].append(each)
    f1, exact, right, wrong = [], [], [], []
    for number, question in enumerate(chosen):
        roles = by_question[number]
        own = roles["right"] + roles["beside"]
        best = max(own, key=lambda it: it.answers * it.certainty, default=None)
        golden = [question.context[start:end] for start, end in question.spans]
        words = best.words if best else ""
        f1.append(max(compare(words, it, by_letter=name.endswith("zh")) for it in golden))
        exact.append(max(float(_normalise(words) == _normalise(it)) for it in golden))
        right += [max(it.answers for it in roles["right"])] if roles["right"] else []
        wrong += [it.answers for it in roles["wrong"]]
    return {
        "f1": sum(f1) / len(f1),
        "exact": sum(exact) / len(exact),
        "auc": compute_area(right, wrong),
        "answered": sum(it >= _BOUND for it in right) / max(1, len(right)),
        "wrongly": sum(it >= _BOUND for it in wrong) / max(1, len(wrong)),
    }


def _find_likest(
    question: Question,
    contexts: Sequence[str],
    whole: LikestTexts,
    every: Sequence[tuple[str, str]],
) -> str | None:
    """Return the likest window of another paragraph: of the article's, or of any if it has none."""
    answers = [question.context[start:end] for start, end in question.spans]
    others = [it for it in contexts if it != question.context]
    if not others:
        ranked = [every[at][0] for at in whole.rank(question.text, 6)]
        others = [it for it in ranked if it != question.context]
    windows = [
        it[start:end]
        for it in others
        for start, end in cut_windows_of_three(it)
        if not holds_any(it[start:end], answers)
    ]
    ranked_windows = LikestTexts(windows).rank(question.text, 1)
    return windows[ranked_windows[0]] if ranked_windows else (windows[0] if windows else None)


def read_written(name: str) -> list[dict[str, str]]:
    """Read one of the tables that were written by hand."""
    with (FOLDER / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def judge_written(read: Reads) -> dict[str, float]:
    """Judge by the pairs that were written by hand."""
    return {**_judge_exchanged(read), **_judge_without_value(read), **_judge_changes(read)}


def _judge_exchanged(read: Reads) -> dict[str, float]:
    rows = read_written("exchanged")
    right, wrong = (
        read([unanswered("", row["question"], row[side], "") for row in rows])
        for side in ("right", "wrong")
    )
    apart = Counter({f"exchanged {it}": 0 for it in ("apart", "ordered", "right", "spans")})
    for row, good, bad in zip(rows, right, wrong, strict=True):
        apart["exchanged ordered"] += good.answers > bad.answers
        if good.answers >= _BOUND > bad.answers:
            apart["exchanged apart"] += 1
            apart[f"exchanged apart {row['kind']}"] += 1
        apart["exchanged right"] += good.answers >= _BOUND
        apart["exchanged spans"] += compare(good.words, row["answer"]) > _BOUND
    area = compute_area([it.answers for it in right], [it.answers for it in wrong])
    return {**apart, "exchanged auc": area}


def _judge_without_value(read: Reads) -> dict[str, float]:
    rows = read_written("without_value")
    right, wrong = (
        read([unanswered("", row["question"], row[side], "") for row in rows])
        for side in ("with", "without")
    )
    return {
        "without value silent": sum(it.answers < _BOUND for it in wrong),
        "without value answered": sum(it.answers >= _BOUND for it in right),
        "without value auc": compute_area(
            [it.answers for it in right], [it.answers for it in wrong]
        ),
    }


def _judge_changes(read: Reads) -> dict[str, float]:
    rows = read_written("changes")
    figures = {}
    for asked, answer in (("present", "now"), ("past", "before")):
        judged = read([unanswered("", row[asked], row["text"], "") for row in rows])
        hits = [
            compare(it.words, row[answer]) > _BOUND for it, row in zip(judged, rows, strict=True)
        ]
        figures[f"changes {asked}"] = sum(hits)
        figures[f"changes {asked} sure"] = sum(it.answers >= _BOUND for it in judged)
    return figures


def judge_held_out(read: Reads, pairs: Sequence[Pair]) -> dict[str, float]:
    """Judge by held-out pairs, each kind by itself: right about answering, and the spans."""
    judged = read(pairs)
    right: dict[str, list[bool]] = defaultdict(list)
    spans: dict[str, list[float]] = defaultdict(list)
    for pair, it in zip(pairs, judged, strict=True):
        side = "+" if pair.answers else "-"
        right[f"{pair.kind} {side}"].append((it.answers >= _BOUND) is pair.answers)
        if pair.answers:
            spans[f"{pair.kind} f1"].append(compare(it.words, pair.answer))
    means = {**right, **spans}
    return {name: round(sum(means[name]) / len(means[name]), 3) for name in sorted(means)}


def judge_areas(read: Reads, pairs: Sequence[Pair]) -> dict[str, float]:
    """Judge by held-out pairs, of each kind how well those that answer are told from the others."""
    ratings: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for pair, it in zip(pairs, read(pairs), strict=True):
        ratings[pair.kind][not pair.answers].append(it.answers)
    return {
        f"{kind} auc": round(compute_area(*both), 3)
        for kind, both in sorted(ratings.items())
        if all(both)
    }


def compare(words: str, golden: str, *, by_letter: bool = False) -> float:
    """Return the F1 of the words that two answers share, as SQuAD counts it."""
    one, other = (_list_words(it, by_letter=by_letter) for it in (words, golden))
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _list_words(text: str, *, by_letter: bool) -> list[str]:
    normal = _normalise(text)
    return [it for it in normal if not it.isspace()] if by_letter else normal.split()


def _normalise(text: str) -> str:
    kept = "".join(it for it in text.lower() if it not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", kept).split())


def compute_area(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return how often one of the right has more than one of the wrong; half for the same."""
    ranks = dict(_rank([*right, *wrong]))
    if not right or not wrong:
        return 0.0
    total = sum(ranks[it] for it in right) - len(right) * (len(right) + 1) / 2
    return total / (len(right) * len(wrong))


def _rank(values: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield each value with its mean rank."""
    ordered = sorted(values)
    counts = Counter(ordered)
    before = 0
    for value in dict.fromkeys(ordered):
        yield value, before + (counts[value] + 1) / 2
        before += counts[value]


def list_written() -> list[Pair]:
    """Return all that was written by hand as pairs, to see that none of it is learned from."""
    pairs: list[Pair] = []
    for row in read_written("exchanged"):
        pairs.append(unanswered("judged", row["question"], row["right"], ""))
        pairs.append(unanswered("judged", row["question"], row["wrong"], ""))
    for row in read_written("without_value"):
        pairs.append(answered("judged", row["question"], row["with"], row["answer"], ""))
        pairs.append(unanswered("judged", row["question"], row["without"], ""))
    for row in read_written("changes"):
        pairs += [unanswered("judged", row[it], row["text"], "") for it in ("present", "past")]
    return pairs
