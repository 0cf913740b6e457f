"""Reads the scenes that were written by hand for the reader: texts, and questions to them.

A scene is a block of lines of `written/*.txt`, ended by a blank line:

- `+ text`: a note or passage. It answers a question by the first of its answers that stands in it
  once.
- `- text`: one that only looks as if it answered some question of the scene.
- `? question | answer / other answer`: what is asked, and the words that answer it in one text or
  another; `-` where no text of the scene answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Final

from training.pairs import Pair, answered, unanswered
from training.typed import type_casually
from training.windows import list_sentences
from wellworn.engines.reading import LATER

FOLDER: Final = Path(__file__).with_name("written")
_CASUALLY: Final = 0.35
_ONE_SENTENCE: Final = 0.5
_FOREIGN: Final = 0.3
"""How many pairs ask a text of another scene, too."""
_SHORTENED: Final = 0.2
"""How many of these are cut to a few words; more, and short replies answer nothing any more."""


@dataclass(slots=True)
class _Scene:
    name: str
    texts: list[str] = field(default_factory=list)
    decoys: list[str] = field(default_factory=list)
    questions: list[tuple[str, list[str]]] = field(default_factory=list)


def make_written(rng: Random) -> list[Pair]:
    """Return the pairs of all scenes: each question with each text of its scene.

    Raises:
        ValueError: a line is of no kind, or no text holds any answer of a question once.
    """
    scenes = [*_read_scenes()]
    texts = [text for scene in scenes for text in scene.texts]
    pairs = [pair for scene in scenes for pair in _make_pairs(scene, rng)]
    foreign = [
        unanswered("written", pair.question, _shorten(rng.choice(texts), rng), pair.source)
        for pair in pairs
        if rng.random() < _FOREIGN
    ]
    return [*pairs, *foreign]


def make_later(rng: Random) -> list[Pair]:
    """Return pairs of two texts read as one, the older first: what the later one changed, or not.

    The first of the answers that stands in both together is the one that is true since. A scene's
    texts are also read before what changes nothing: its decoys, and the likest of other scenes.
    """
    scenes = [*_read_scenes()]
    others = [text for scene in scenes for text in scene.texts]
    return [pair for scene in scenes for pair in _join_texts(scene, others, rng)]


def _join_texts(scene: _Scene, others: list[str], rng: Random) -> Iterator[Pair]:
    for question, answers in scene.questions:
        asked = type_casually(question, rng) if rng.random() < _CASUALLY else question
        for older, newer in combinations(scene.texts, 2):
            yield _join_pair(scene.name, asked, older, newer, answers)
        older = rng.choice(scene.texts)
        newer = rng.choice([*scene.decoys, _find_likest(older, rng.choices(others, k=40))])
        if not any(answer in newer for answer in answers):
            yield _join_pair(scene.name, asked, older, newer, answers)


def _join_pair(source: str, question: str, older: str, newer: str, answers: list[str]) -> Pair:
    text = f"{older}{LATER}{newer}"
    answer = next((answer for answer in answers if answer in text), None)
    if answer is None:
        return unanswered("later", question, text, source)
    start = text.rindex(answer)
    return Pair("later", question, text, start, start + len(answer), source)


def _find_likest(text: str, others: list[str]) -> str:
    words = {*text.lower().split()}
    return max(others, key=lambda other: other != text and len(words & {*other.lower().split()}))


def _shorten(text: str, rng: Random) -> str:
    words = text.split()
    if rng.random() < _SHORTENED:
        start = rng.randrange(len(words))
        words = words[start : start + rng.randint(1, 6)]
    return " ".join(words)


def _read_scenes() -> Iterator[_Scene]:
    for file in sorted(FOLDER.glob("*.txt")):
        for number, block in enumerate(file.read_text("utf-8").split("\n\n")):
            scene = _Scene(f"{file.stem}:{number}")
            for line in filter(None, block.splitlines()):
                mark, _, rest = line.partition(" ")
                if mark == "?":
                    question, _, answers = rest.rpartition(" | ")
                    scene.questions.append((question, _list_answers(answers)))
                elif mark in {"+", "-"}:
                    (scene.texts if mark == "+" else scene.decoys).append(rest)
                else:
                    raise ValueError(f"{scene.name}: {line!r}")
            yield scene


def _list_answers(answers: str) -> list[str]:
    return [] if answers.strip() == "-" else [it.strip() for it in answers.split(" / ")]


def _make_pairs(scene: _Scene, rng: Random) -> Iterator[Pair]:
    for question, answers in scene.questions:
        asked = type_casually(question, rng) if rng.random() < _CASUALLY else question
        pairs = [_make_pair(scene.name, asked, text, answers) for text in scene.texts]
        if answers and not any(pair.answers for pair in pairs if pair is not None):
            raise ValueError(f"{scene.name}: nothing answers {question!r} with {answers}")
        pairs += [unanswered("written", asked, text, scene.name) for text in scene.decoys]
        for pair in filter(None, pairs):
            yield pair
            if rng.random() < _ONE_SENTENCE:
                yield from _make_sentence(pair, rng)


def _make_pair(source: str, question: str, text: str, answers: list[str]) -> Pair | None:
    once = next((answer for answer in answers if text.count(answer) == 1), None)
    if once is not None:
        return answered("written", question, text, once, source)
    if any(answer in text for answer in answers):
        return None
    return unanswered("written", question, text, source)


def _make_sentence(pair: Pair, rng: Random) -> Iterator[Pair]:
    """Cut a sentence out of a text of several: the one that answers, or one that does not."""
    places = list_sentences(pair.text)
    if len(places) < 2:
        return
    start, end = rng.choice(places)
    sentence = pair.text[start:end]
    if not pair.answers or not (pair.start < end and start < pair.end):
        yield unanswered(pair.kind, pair.question, sentence, pair.source)
    elif start <= pair.start and pair.end <= end:
        yield answered(pair.kind, pair.question, sentence, pair.answer, pair.source)
