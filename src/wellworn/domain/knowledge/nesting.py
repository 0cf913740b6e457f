"""Whose a line is that stands below an item of a list: the item's, and not the heading's.

    - **cube**
      - IP: 100.70.237.79

An item has a name if it begins with one that is set off, in bold or as code or a link, or if it is
nothing but a name. What stands below an item without a name is left to the heading.

Source: CommonMark 0.31, section 5.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from wellworn.domain.knowledge.claims import is_attribute, is_illustrative, item_subject
from wellworn.domain.knowledge.entities import Subject, can_be_name, is_special, plain, term
from wellworn.domain.knowledge.views import Line, Reading

_SET_OFF: Final = re.compile(
    r"(?:\*\*(?P<bold>[^*\n]{1,80})\*\*|__(?P<under>[^_\n]{1,80})__|`(?P<code>[^`\n]{1,80})`"
    r"|\[(?P<link>[^\[\]\n]{1,80})\]\([^()\n]{0,200}\)|(?P<all>[^*_`\[\]():\n]{1,60}):?[ \t]*$)"
)
_TAB: Final = 4


def assign_subjects(
    reading: Reading,
    about: Sequence[Subject],
    find_name: Callable[[str], str] | None = None,
) -> Iterator[tuple[Line, Subject]]:
    """Yield each line with what it is about.

    Args:
        reading: the document.
        about: what each part is about.
        find_name: returns the name that an item begins with; `name_item` by default.
    """
    words_at = {item.start: item.words for item in reading.markdown.items}
    open_items: list[tuple[int, Subject]] = []
    for line in reading.lines:
        if not line.text or line.text.isspace():
            continue
        depth = _depth(line.text)
        while open_items and open_items[-1][0] >= depth:
            open_items.pop()
        subject = open_items[-1][1] if open_items else about[line.part]
        # The blanks before it make no code of an item.
        bare = Line(line.span[0], line.text.lstrip(), line.part)
        words = words_at.get(bare.start)
        yield line if words is None or not open_items else bare, subject
        if words is not None:
            item = reading.text[words : line.end]
            open_items.append((depth, _subject_of((find_name or name_item)(item), subject)))


def name_item(item: str) -> str:
    """Return the name that an item begins with, folded; empty for one without."""
    name = read_item_head(item)
    is_label = is_attribute(name) or is_illustrative(name)
    return name if can_be_name(name) and not is_label else ""


def read_item_head(item: str) -> str:
    """Return what heads an item, of whatever words, folded: what is set off, or all that it is."""
    mark = _SET_OFF.match(item)
    return term(plain(next(filter(None, mark.groups()), ""))) if mark else ""


def _depth(text: str) -> int:
    return len(text[: len(text) - len(text.lstrip())].expandtabs(_TAB))


def _subject_of(name: str, subject: Subject) -> Subject:
    """Return what the lines below an item are about; the same as it, where it has no name."""
    if name and (subject.lists or any(map(is_special, name.split()))):
        return item_subject(name, subject)
    if not name or not subject.entity:
        return subject
    return Subject(subject.entity, f"{subject.aspect} {name}".strip())
