"""Places a thing: namesakes of two sources are two things until somebody says they are one.

A place is a source; pages of one host are one place, and so are all notes. What notes say of a
name that one other place has is said of what is there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile
from typing import Final, TypeVar

from wellworn.domain.knowledge.answers import QuotedSpan
from wellworn.domain.knowledge.entities import split_pieces

NOTES: Final = ""
PLACES: Final = " & "
"""Stands between two places that speak of one thing."""

Item = TypeVar("Item")


def group_by_place(items: Iterable[tuple[str, Item]]) -> dict[str, list[Item]]:
    """Return items of one name by place, notes with what the only other place says."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for place, item in items:
        groups[place].append(item)
    others = [place for place in groups if place != NOTES]
    if len(others) == 1 and NOTES in groups:
        [only] = others
        return {only: [*groups[only], *groups[NOTES]]}
    return dict(groups)


def choose_place(places: Collection[str], text: str) -> tuple[str | None, str]:
    """Return the place that a text names by words that no other has, and these words."""
    spoken = list_place_words([text])
    words = {place: list_place_words([place]) for place in places}
    named = [
        (place, " ".join(sorted(telling)))
        for place, own in words.items()
        if (
            telling := spoken & own.difference(*(words[other] for other in words if other != place))
        )
    ]
    return named[0] if len(named) == 1 else (None, "")


def list_place_words(places: Iterable[str]) -> frozenset[str]:
    """Return the words by which places may be named."""
    return frozenset(word for place in places for word in split_pieces(place))


def list_branches(quotes: Sequence[QuotedSpan]) -> list[tuple[str, str]]:
    """Return of each quote the word of its path that parts it from the others, and what follows."""
    names = [quote.path.rpartition(".")[0] or quote.path for quote in quotes]
    paths = [[quote.source, *split_pieces(name)] for quote, name in zip(quotes, names, strict=True)]
    steps = zip(*(path[:-1] for path in paths), strict=False)
    shared = len([*takewhile(lambda words: len(set(words)) == 1, steps)])
    return [(path[shared], " ".join(path[shared + 1 :])) for path in paths]


def are_counterparts(quotes: Sequence[QuotedSpan]) -> bool:
    """Tell whether quotes stand in one place of folders beside each other, all of one source."""
    branches = list_branches(quotes)
    places = {(quote.source, below) for quote, (_, below) in zip(quotes, branches, strict=True)}
    return len(set(branches)) > 1 and len(places) == 1 and all(below for _, below in places)
