"""Assigns a line below an item of a list to the item, and not to the heading.

    - **cube**
      - IP: 100.70.237.79

An item has a name if it begins with one that is set off, in bold or as code or a link, or if it is
nothing but a name. What stands below an item without a name is left to the heading.

Source: CommonMark 0.31, section 5.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from wellworn.domain.knowledge.claims import is_attribute, is_illustrative, item_subject
from wellworn.domain.knowledge.entities import Subject, can_be_name, is_special, plain, term
from wellworn.domain.knowledge.views import Line, Reading

_SET_OFF: Final = re.compile(
    r"(?:\*\*(?P<bold>[^*\n]{1,80})\*\*|__(?P<under>[^_\n]{1,80})__|`(?P<code>[^`\n]{1,80})`"
    r"|\[(?P<link>[^\[\]\n]{1,80})\]\([^()\n]{0,200}\)|(?P<all>[^*_`\[\]():\n]{1,60}):?[ \t]*$)"
)
_TAB: Final = 4


class _NestedLine(NamedTuple):
    """A line that says something.

    Attributes:
        above: number of the innermost item that it stands below; -1 for none.
        head: what heads the item of a list that it begins, of whatever words, folded; empty
            for an item without, None for what begins none.
    """

    line: Line
    above: int
    head: str | None


def list_lines(reading: Reading) -> list[Line]:
    """Return the lines of a document that are no blanks, as `assign_subjects` yields them."""
    return [nested.line for nested in reading.find(_nest_lines)]


def assign_subjects(
    reading: Reading, about: Sequence[Subject], *, by_any_words: bool = False
) -> Iterator[tuple[Line, Subject]]:
    """Yield each line with what it is about.

    Args:
        reading: the document.
        about: what each part is about.
        by_any_words: whether whatever words head an item are its name.
    """
    subjects: dict[int, Subject] = {}
    for number, nested in enumerate(reading.find(_nest_lines)):
        reading.go_on()
        subject = about[nested.line.part] if nested.above < 0 else subjects[nested.above]
        yield nested.line, subject
        if nested.head is not None:
            name = nested.head if by_any_words or _is_name(nested.head) else ""
            subjects[number] = _subject_of(name, subject)


def _nest_lines(reading: Reading) -> list[_NestedLine]:
    words_at = {item.start: item.words for item in reading.markdown.items}
    lines: list[_NestedLine] = []
    open_items: list[tuple[int, int]] = []
    for line in reading.lines:
        bare = line.text.lstrip()
        if not bare:
            continue
        indent = len(line.text) - len(bare)
        depth = len(line.text[:indent].expandtabs(_TAB)) if indent else 0
        while open_items and open_items[-1][0] >= depth:
            open_items.pop()
        above = open_items[-1][1] if open_items else -1
        words = words_at.get(line.start + indent)
        if words is None:
            lines.append(_NestedLine(line, above, None))
            continue
        # The blanks before it make no code of an item.
        shown = line if above < 0 else Line(line.start + indent, bare, line.part)
        open_items.append((depth, len(lines)))
        lines.append(_NestedLine(shown, above, _read_head(reading.text[words : line.end])))
    return lines


def _is_name(head: str) -> bool:
    """Tell whether what heads an item is a name."""
    return can_be_name(head) and not (is_attribute(head) or is_illustrative(head))


def _read_head(item: str) -> str:
    """Return what heads an item, of whatever words, folded: what is set off, or all that it is."""
    mark = _SET_OFF.match(item)
    return term(plain(next(filter(None, mark.groups()), ""))) if mark else ""


def _subject_of(name: str, subject: Subject) -> Subject:
    """Return what the lines below an item are about; the same as it, where it has no name."""
    if name and (subject.lists or any(map(is_special, name.split()))):
        return item_subject(name, subject)
    if not name or not subject.entity:
        return subject
    return Subject(subject.entity, f"{subject.aspect} {name}".strip())
