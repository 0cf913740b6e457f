"""Documentation to measure on: a real folder, copies of it with other words, questions to it.

A copy is as long, as deep and as repetitive as what it was made of, and says something else: a
third of the words, each time the same, are exchanged for others that are about as frequent.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_WORD = re.compile(r"[A-Za-z]{4,}")
_HEADING = re.compile(r"^#{1,4}\s+([^#\n]{4,60})$", re.MULTILINE)
_IDENTIFIER = re.compile(r"\b(?:[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){1,4}|[a-z]+(?:_[a-z]+){2,4})\b")
_BAND = 40
"""Words of neighbouring frequency that stand in for one another."""
_EXCHANGED = 1 / 3


@dataclass(frozen=True)
class Docs:
    """The Markdown files of a folder by their paths."""

    texts: dict[str, str]

    @classmethod
    def read(cls, folder: Path, most: int | None = None) -> Docs:
        """Read a folder; with `most`, only so many files, taken evenly from all of it."""
        files = sorted(folder.rglob("*.md"))
        step = 1 if most is None else max(1, len(files) // most)
        return cls(
            {
                str(file.relative_to(folder)): file.read_text("utf-8", errors="replace")
                for file in files[::step][:most]
            }
        )

    @property
    def megabytes(self) -> float:
        """What all files have together, in 10^6 bytes."""
        return sum(len(text.encode()) for text in self.texts.values()) / 1e6

    def write(self, folder: Path) -> Path:
        """Write the files into a folder and return it."""
        for path, text in self.texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        return folder

    def reworded(self, seed: int) -> Docs:
        """Return a copy that says something else."""
        other = _exchange(self.texts.values(), seed)
        return Docs(
            {
                path: _WORD.sub(lambda word: other.get(word[0], word[0]), text)
                for path, text in self.texts.items()
            }
        )


def changed(folder: Path, one_in: int) -> int:
    """Add a sentence in the middle of one file in so many; return how many that were."""
    files = sorted(folder.rglob("*.md"))[::one_in]
    for number, file in enumerate(files):
        lines = file.read_text("utf-8").splitlines()
        lines.insert(len(lines) // 2, f"\nThe staging machine number {number} does the same.\n")
        file.write_text("\n".join(lines), "utf-8")
    return len(files)


def questions(docs: Docs, count: int, seed: int = 5) -> list[str]:
    """Return questions of the three kinds that are asked: by name, in words, by identifier."""
    chance = random.Random(seed)
    texts = list(docs.texts.values())
    kinds = (_by_name(texts), _in_words(texts, chance), _by_identifier(texts))
    asked = [question for kind in kinds for question in chance.sample(kind, min(count, len(kind)))]
    chance.shuffle(asked)
    return [asked[number % len(asked)] for number in range(count)]


def _by_name(texts: Sequence[str]) -> list[str]:
    names = Counter(name.strip() for text in texts for name in _HEADING.findall(text))
    return [f"what is {name}?" for name in names]


def _in_words(texts: Sequence[str], chance: random.Random) -> list[str]:
    return [" ".join(words) for text in texts for words in _stretches(text, chance)]


def _stretches(text: str, chance: random.Random) -> Iterator[list[str]]:
    for paragraph in text.split("\n\n")[::5]:
        words = paragraph.split()
        if len(words) > 20 and paragraph[:1].isalpha():  # noqa: PLR2004 - prose, not a list
            start = chance.randrange(len(words) - 14)
            yield words[start : start + chance.randint(6, 14)]


def _by_identifier(texts: Sequence[str]) -> list[str]:
    found = Counter(one for text in texts for one in _IDENTIFIER.findall(text))
    return [f"where is {one} set?" for one in found]


def _exchange(texts: Iterator[str] | Sequence[str], seed: int) -> dict[str, str]:
    chance = random.Random(seed)
    counts = Counter(word for text in texts for word in _WORD.findall(text))
    ordered = [word for word, _ in counts.most_common() if word.islower()]
    other: dict[str, str] = {}
    for start in range(0, len(ordered), _BAND):
        band = [word for word in ordered[start : start + _BAND] if chance.random() < _EXCHANGED]
        other |= dict(zip(band, chance.sample(band, len(band)), strict=True))
    return other
