"""Words hot terms for things that are several, or that documents disagree about.

A name that stands for a thing of each of two places tells no value of one of them alone, and
nothing that somebody decided against is told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wellworn.domain.knowledge.answers import BOTH, StoredConflict
from wellworn.domain.knowledge.asked_values import find_rejected_values
from wellworn.domain.knowledge.digests import DocumentDigest
from wellworn.domain.knowledge.entities import name_key
from wellworn.domain.knowledge.naming import NameRulings
from wellworn.domain.knowledge.terms import HotTerm
from wellworn.domain.sources.store import ServedDocument

_MOST_PLACES: Final = 4


def tell_places(
    terms: Iterable[HotTerm],
    digests: Iterable[DocumentDigest],
    served: Mapping[int, ServedDocument],
    names: NameRulings,
    disputed: Collection[StoredConflict],
) -> list[HotTerm]:
    """Return hot terms that name the places of what is several, and what is disputed.

    Args:
        terms: the hot terms.
        digests: of the documents that the caller may see.
        served: these documents.
        names: what was said of names.
        disputed: conflicts, decided or not, of these documents alone.
    """
    terms = list(terms)
    keys = [name_key(names.call(hot.term)) for hot in terms]
    wanted = set(keys)
    spoken: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for digest in digests:
        document = served[digest.document]
        for fact in () if digest.is_withdrawn else digest.facts:
            name = name_key(names.call(fact.term))
            if name in wanted:
                spoken[name].append((fact.term, document.place, document.citation))
    by_name: dict[str, list[StoredConflict]] = defaultdict(list)
    for conflict in disputed:
        by_name[name_key(names.call(conflict.term))].append(conflict)
    shown: list[HotTerm] = []
    for hot, key in zip(terms, keys, strict=True):
        things = names.group(spoken[key], str)
        if len(things) > 1:
            summary = _tell_several(list(things.values()))
        else:
            summary = _tell_dispute(hot.summary, by_name[key])
        shown.append(replace(hot, summary=summary))
    return shown


def _tell_several(things: Sequence[Sequence[str]]) -> str:
    cited = ", ".join(citations[0] for citations in things[:_MOST_PLACES])
    return f"{len(things)} things of this name: {cited}"


def _tell_dispute(summary: str, disputed: Iterable[StoredConflict]) -> str:
    """Return a summary, or what holds instead of a value in it, or that documents disagree."""
    for conflict in disputed:
        values = list(dict.fromkeys(claim.value for claim in conflict.claims))
        is_decided = conflict.state == "resolved" and conflict.resolution not in {None, BOTH}
        untold = find_rejected_values(conflict) if is_decided else values
        if conflict.state != "closed" and any(_has_value(summary, value) for value in untold):
            holding = conflict.resolution if is_decided else " or ".join(values)
            return f"{conflict.attribute or conflict.fact_type}: {holding}"
    return summary


def _has_value(text: str, value: str) -> bool:
    """Tell whether a text has a value, as no part of another: 80 neither of 8080 nor 10.0.80.1."""
    return re.search(rf"(?<!\w)(?<!\d\.){re.escape(value)}(?!\w|\.\d)", text) is not None
