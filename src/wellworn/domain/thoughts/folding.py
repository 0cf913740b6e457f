"""Recognises notes that say the same in the same words; pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from typing import Final

from wellworn.domain.thoughts.models import FoundThought
from wellworn.domain.thoughts.truth import Alike
from wellworn.engines.retrieval.text import STOP_WORDS, hash_words, list_compounds, speaks_of_self
from wellworn.kit.words import load_phrases

LONGEST: Final = 400
"""Characters; longer thoughts are not compared."""
_LEAD_INS: Final = load_phrases(__name__, "lead_ins")
_LEAD_IN: Final = re.compile(
    rf"^\W*(?:(?:{_LEAD_INS})\b(?:\s*#?\d+)?\W+|[#(\[]?\d{{1,4}}[.:)\]]\s+)+", re.IGNORECASE
)
_SIGN: Final = re.compile(
    r"(?<![\w-])[-\u2212+](?=[\d.])|[<>\u2264\u2265\u00b1$\u20ac\u00a3\u00a5%\u00b0]"
)


def normalise_statement(content: str) -> tuple[object, ...]:
    """Return what notes that say the same in the same words have in common.

    Case, punctuation, endings, and openings ("Entry 3:", "For the record,") make no difference;
    the signs of numbers do.
    """
    ends_asking = content.rstrip().endswith("?")
    bare = _LEAD_IN.sub("", content)
    # In small letters, as a name such as "PocketBase" has further words only where it has capitals.
    return (ends_asking, *_SIGN.findall(bare), *hash_words(bare.casefold()))


def are_alike(thought: FoundThought, other: FoundThought) -> bool:
    """Tell whether one of two thoughts is folded into the other."""
    is_short = max(len(thought.content), len(other.content)) <= LONGEST
    return is_short and _key(thought) == _key(other) and _say_the_same(thought, other)


def fold_alike(
    pages: Iterable[Sequence[FoundThought]], notes: Set[int], limit: int
) -> list[FoundThought]:
    """Return the first results, with later ones that say the same folded into them.

    Args:
        pages: results, best first; no more of them are read than needed.
        notes: the seqs of those that are compared.
        limit: how many are returned.
    """
    groups: list[list[FoundThought]] = []
    rivals: defaultdict[object, list[list[FoundThought]]] = defaultdict(list)
    for page in pages:
        for thought in page:
            key: object = thought.seq
            if thought.seq in notes and len(thought.content) <= LONGEST:
                key = _key(thought)
            group = _find_alike(thought, rivals[key])
            if group is None:
                group = list[FoundThought]()
                groups.append(group)
                rivals[key].append(group)
            group.append(thought)
        if len(groups) >= limit:
            break
    return [_merge(group) for group in groups[:limit]]


def _key(thought: FoundThought) -> object:
    """Return what thoughts share that may be alike."""
    speaker = (thought.contributor_id, thought.owner)
    return _find_key(thought.content, speaker), thought.outdated_at is None


def _say_the_same(thought: FoundThought, other: FoundThought) -> bool:
    return normalise_statement(thought.content) == normalise_statement(other.content)


def group_alike(sayings: Sequence[tuple[str, object]]) -> list[list[int]]:
    """Return the places of sayings that say the same, of each with its text and who speaks."""
    rivals: defaultdict[object, list[int]] = defaultdict(list)
    for place, (content, speaker) in enumerate(sayings):
        rivals[_find_key(content, speaker)].append(place)
    groups: defaultdict[object, list[int]] = defaultdict(list)
    for key, places in rivals.items():
        for place in places if len(places) > 1 else ():
            groups[key, normalise_statement(sayings[place][0])].append(place)
    return [group for group in groups.values() if len(group) > 1]


def _find_key(content: str, speaker: object) -> tuple[object, ...]:
    """Return what statements that are alike share, found faster than whether they are.

    What two say of themselves in the same words is not the same.
    """
    return list_initials(content), speaker if speaks_of_self(content) else None


def list_initials(content: str) -> str:
    """Return what statements that are alike share, without looking for the stem of any word."""
    words = map(str.casefold, list_compounds(_LEAD_IN.sub("", content)))
    return "".join(word[0] for word in words if word not in STOP_WORDS)


def _find_alike(
    thought: FoundThought, groups: Iterable[list[FoundThought]]
) -> list[FoundThought] | None:
    for group in groups:
        if _say_the_same(group[0], thought):
            return group
    return None


def _merge(group: Sequence[FoundThought]) -> FoundThought:
    if len(group) == 1:
        return group[0]
    names = dict.fromkeys(thought.contributor_name for thought in group[1:])
    folded = tuple(thought.seq for thought in group[1:])
    return replace(group[0], alike=Alike(len(folded), tuple(names)), folded=folded)
