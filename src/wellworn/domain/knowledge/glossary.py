"""The glossary: every name that documents have or explain, and where to read of it.

Hot terms are the best of it and are listed for readers; the glossary is looked up, all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Final

from wellworn.domain.knowledge.candidates import (
    BARE_TITLE,
    DEFINED,
    HEADING,
    NAMED_HEADING,
    PLAIN_HEADING,
    TermCandidate,
)
from wellworn.domain.knowledge.claims import is_example
from wellworn.domain.knowledge.entities import (
    bare_title,
    file_stem,
    is_instruction,
    is_special,
    name_in,
    name_key,
    plain,
    says_nothing,
    term,
)
from wellworn.domain.knowledge.summaries import is_usual
from wellworn.domain.knowledge.views import Part, Reading

_MOST_NAME_WORDS: Final = 6
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """A name and where a document explains it; `start` equals `end` where no sentence does.

    Attributes:
        weight: as of the candidates for hot terms.
        is_past: whether its document is.
    """

    term: str
    document: int
    anchor: str
    summary: str
    start: int
    end: int
    weight: float
    is_past: bool = False

    @property
    def is_title(self) -> bool:
        """Whether the document itself is about it, by its title or file."""
        return self.weight >= BARE_TITLE and not isclose(self.weight, DEFINED)


def select_best(candidates: Iterable[TermCandidate]) -> list[TermCandidate]:
    """Return the best explanation of each name."""
    best: dict[str, TermCandidate] = {}
    for candidate in candidates:
        name = name_key(candidate.term)
        if name not in best or best[name].weight < candidate.weight:
            best[name] = candidate
    return list(best.values())


def find_names(reading: Reading) -> list[TermCandidate]:
    """Return the names of a document's title, file and headings, in full and the name in each."""
    names = [*_name_document(reading)]
    for part in reading.parts:
        if part.level and part.anchor and not is_usual(part.title) and not is_example(part.title):
            names += _name_part(part)
    return names


def _name_document(reading: Reading) -> Iterator[TermCandidate]:
    title = reading.title
    for name in _list_spellings(title) if not says_nothing(title) else ():
        yield TermCandidate(name, BARE_TITLE, 1, "", "", 0, 0)
    file = file_stem(reading.document.path)
    if _is_name(file) and not says_nothing(file):
        yield TermCandidate(term(file), BARE_TITLE, 1, "", "", 0, 0)


def _name_part(part: Part) -> Iterator[TermCandidate]:
    for name in _list_spellings(part.title):
        weight = NAMED_HEADING if any(map(is_special, name.split())) else HEADING
        if " " not in name and weight == HEADING:
            weight = PLAIN_HEADING
        yield TermCandidate(name, weight, 1, part.anchor, "", part.start, part.start)


def _list_spellings(title: str) -> Sequence[str]:
    """Return a title as a name: in full, without what follows a dash, and the name in it."""
    spellings = dict.fromkeys([term(plain(title)), bare_title(title), name_in(title)])
    return [name for name in spellings if _is_name(name)]


def _is_name(name: str) -> bool:
    is_short = 0 < len(name.split()) <= _MOST_NAME_WORDS and 1 < len(name) <= _LONGEST_NAME
    return is_short and any(map(str.isalpha, name)) and not is_instruction(name)
