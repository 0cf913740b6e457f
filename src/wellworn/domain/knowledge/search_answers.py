"""Answers of what search brings: the section that is called so, or has what is asked exactly.

Passages of several things that answer equally well are rivals, and only the asker can choose: their
headings, rows or items are called as the question calls what it asks about, or they are equally
near in documents whose paths differ in one word (`courier/runbook.md` and `ledger/runbook.md`), or
they stand below one heading in several places ("Backups" of three services). What the question or
its context says of one alone chooses it; a name that is hardly anybody else's has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeVar

from wellworn.domain.knowledge.answers import Answer
from wellworn.domain.knowledge.attributes import list_stems, list_telling_words
from wellworn.domain.knowledge.commonness import stem
from wellworn.domain.knowledge.entities import (
    is_special,
    key,
    plain,
    split_pieces,
)
from wellworn.domain.knowledge.passages import Passage
from wellworn.domain.knowledge.places import list_branches
from wellworn.domain.knowledge.questions import ValueQuestion
from wellworn.domain.knowledge.steps import (
    ask,
    offer,
)
from wellworn.domain.sources import Snippet

_LABEL: Final = re.compile(r"\|([^|\n]{1,60})\||(?:[-*+][ \t]+)?([^:|\n]{1,60}):(?:\s|$|\*)")
_NEARLY: Final = 0.75
"""How much of the best likeness one has that is as good; less where it is called as is asked."""
_CALLED: Final = 0.6
_EQUAL: Final = 0.95
"""How much of the best likeness counterparts have that nothing else makes rivals."""
_MANY: Final = 3
"""Documents that have a section of a rare name when it is not one thing's."""
_TWO: Final = 2
Item = TypeVar("Item")


def ask_among_rivals(
    term: str, question: ValueQuestion, context: str, passages: Sequence[Passage]
) -> Answer | None:
    """Ask which of several things is meant that passages tell of, by title, heading or source."""
    wanted = list_stems(question.name)
    asked = question.asked.names if question.asked and question.is_by_context else ()
    spoken = list_stems(f"{term} {context}") - wanted - list_stems(" ".join(asked))
    every = _find_rivals(passages, wanted)
    rivals = _choose_said(every, spoken, lambda each: _list_marks(each.snippet, each.quote.text))
    branches = list_branches([each.quote for each in every])
    rival_branches = {
        branch for each, branch in zip(every, branches, strict=True) if each in rivals
    }
    is_one = len({name for name, _ in rival_branches}) == 1 < len({name for name, _ in branches})
    if (
        is_one
        or _are_of_one_name(rivals, f"{question.name} {term}")
        or len({each.quote.text for each in rivals}) < _TWO
    ):
        return None
    return ask(term, [offer(build_label(each.snippet), each.quote) for each in rivals])


def _are_of_one_name(rivals: Sequence[Passage], text: str) -> bool:
    """Tell whether few documents tell of a name: an identifier, or what one of them is called."""
    places = list_stems(" ".join(f"{each.quote.path} {each.quote.title}" for each in rivals))
    are_few = len({each.quote.document_id for each in rivals}) < _MANY
    return are_few and any(
        is_special(word) and (not word.isalpha() or stem(word) in places)
        for word in list_telling_words(text)
    )


def build_label(snippet: Snippet) -> str:
    """Return what a passage is called: its document's title and its heading."""
    title = snippet.title or snippet.path
    heading = snippet.headings[-1] if snippet.headings else title
    return title if key(heading) == key(title) else f"{title}: {heading}"


def _find_rivals(passages: Sequence[Passage], wanted: frozenset[str]) -> list[Passage]:
    """Return the best passage of each section that is called as is asked, or else as another."""
    best: dict[tuple[int, str], Passage] = {}
    for passage in passages:
        best.setdefault((passage.quote.document_id, passage.quote.anchor), passage)
    top = passages[0].score
    headings: dict[frozenset[str], list[Passage]] = defaultdict(list)
    rows: list[Passage] = []
    for passage in best.values():
        heading = list_stems(" ".join(passage.snippet.headings[-1:]))
        least = _CALLED if heading == wanted else _NEARLY
        if passage.score >= least * top:
            headings[heading].append(passage)
            if list_stems(_find_label(passage.quote.text)) == wanted:
                rows.append(passage)
    headings.pop(frozenset(), None)
    called = headings.get(wanted, [])
    alike = max(headings.values(), key=len, default=list[Passage]())
    near = [passage for passage in best.values() if passage.score >= _EQUAL * top]
    return next(
        (group for group in (called, rows, _list_counterparts(near)) if len(group) > 1 and wanted),
        alike,
    )


def _list_counterparts(passages: Sequence[Passage]) -> list[Passage]:
    """Return passages of folders beside each other that stand in one place or are called alike."""
    branches = list_branches([passage.quote for passage in passages])
    folders: dict[str, set[str]] = defaultdict(set)
    calls = [_list_calls(each, below) for each, (_, below) in zip(passages, branches, strict=True)]
    for own, (branch, _) in zip(calls, branches, strict=True):
        for call in own:
            folders[call].add(branch)
    return [
        each
        for each, own in zip(passages, calls, strict=True)
        if any(len(folders[call]) > 1 for call in own)
    ]


def _list_calls(passage: Passage, below: str) -> list[str]:
    """Return by what a passage is called as its counterparts are: its file, its row or item."""
    if not below:
        return []
    label = sorted(list_stems(_find_label(passage.quote.text)))
    kind = passage.quote.path.rpartition(".")[2]
    return [below, *([" ".join([kind, *label])] if label else [])]


def _find_label(line: str) -> str:
    match = _LABEL.match(line)
    return plain(match[1] or match[2]) if match else ""


def _list_marks(snippet: Snippet, line: str = "") -> frozenset[str]:
    places = [snippet.source, snippet.path, snippet.title or "", *snippet.headings, line]
    return list_stems(" ".join(split_pieces(" ".join(places))))


def _choose_said(
    items: Sequence[Item], spoken: Collection[str], list_marks: Callable[[Item], Collection[str]]
) -> list[Item]:
    """Return the items of which most of what is said holds, by the words that each is known by."""
    counts = [len(set(spoken).intersection(list_marks(item))) for item in items]
    most = max(counts, default=0)
    return [item for item, count in zip(items, counts, strict=True) if count == most]
