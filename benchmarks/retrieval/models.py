"""The vocabulary of measuring: what is indexed, what is asked, and what takes part.

Who spoke, when and where stay apart from the text, so that every system under measure makes of
them what it likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from wellworn.errors import InvalidInput


class DataUnusable(InvalidInput):
    """The files of a task are there and are not what its publisher made; the message says which."""


@dataclass(frozen=True, slots=True)
class Doc:
    """One unit that can be found: a turn, a message, a section, a chunk.

    Attributes:
        id: unique in its corpus.
        text: what was said or written, and nothing else.
        group: the session or file it is part of; "" for none.
        speaker: who said it; "" for documents.
        time: when, as the data set writes it; "" for unknown.
        position: its place in the corpus, from 0.
        extra: what is attached and is no text of its own: an image's caption, a heading.
    """

    id: str
    text: str
    group: str = ""
    speaker: str = ""
    time: str = ""
    position: int = 0
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question; `relevant` names the units that hold its evidence, at least one."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str = "all"
    asked_at: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A haystack of its own: its questions are answered from its units alone.

    Raises:
        ValueError: two units share an id, or a question's evidence is none of the units.
    """

    id: str
    docs: tuple[Doc, ...]
    queries: tuple[Query, ...]

    def __post_init__(self) -> None:
        known = {doc.id for doc in self.docs}
        if len(known) != len(self.docs):
            raise ValueError(f"{self.id}: two units share an id")
        for query in self.queries:
            if not query.relevant or not query.relevant <= known:
                raise ValueError(f"{self.id}, question {query.id}: its evidence is not there")

    def groups(self) -> dict[str, str]:
        """Return the group of each unit by its id."""
        return {doc.id: doc.group for doc in self.docs}


@dataclass(frozen=True, slots=True)
class Task:
    """One split of one data set.

    Attributes:
        name: as on the command line.
        split: "dev", "test" or "all".
        corpora: the haystacks.
        primary: the one metric that the task is known by, such as `recall@10`.
        grouped: whether the sessions or files of the units found are judged as well.
    """

    name: str
    split: str
    corpora: tuple[Corpus, ...]
    primary: str
    grouped: bool = False

    @property
    def units(self) -> int:
        """How many units all corpora hold together."""
        return sum(len(corpus.docs) for corpus in self.corpora)

    @property
    def questions(self) -> int:
        """How many questions are asked of all corpora together."""
        return sum(len(corpus.queries) for corpus in self.corpora)

    def limited(self, questions: int) -> Task:
        """Return the task with its first questions, without corpora that nobody asks then."""
        kept: list[Corpus] = []
        for corpus in self.corpora:
            queries = corpus.queries[:questions]
            questions -= len(queries)
            if queries:
                kept.append(replace(corpus, queries=queries))
        return replace(self, corpora=tuple(kept))


class System(Protocol):
    """What is measured; any memory or search engine becomes one with two methods."""

    def index(self, docs: Sequence[Doc]) -> None:
        """Forget everything, then take in these, which come in order of position."""
        ...

    def search(self, query: str, k: int, *, asked_at: str = "") -> list[str]:
        """Return the ids of at most `k` units, best first, none twice."""
        ...
