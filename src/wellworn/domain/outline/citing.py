"""Cites sections of a document, and finds the section that a citation means; pure.

A citation is the one that searches and answers give: `source/path#anchor`, and `source/path` for
the section that the document's own title begins.

Source: `docs/adr/0015-knowledge.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from wellworn.domain.sources import Anchors, format_citation
from wellworn.kit.markdown import Markdown, Section

_ARROW = " > "


@dataclass(frozen=True)
class CitationFormatter:
    """Tells how what begins at an offset of a document is cited."""

    source: str
    path: str
    text: str

    def __call__(self, start: int) -> str:
        number = bisect_right(self._starts, start) - 1
        anchor = self._anchors[number] if number >= 0 and number != self._title else ""
        return format_citation(self.source, self.path, anchor)

    @cached_property
    def _sections(self) -> list[Section]:
        return Markdown(self.text).sections

    @cached_property
    def _starts(self) -> list[int]:
        return [section.start for section in self._sections]

    @cached_property
    def _anchors(self) -> list[str]:
        return Anchors.list_of(self._sections)

    @property
    def _title(self) -> int | None:
        """Return which section the document's own title begins: the first, at level 1."""
        first = next((at for at, section in enumerate(self._sections) if section.level), None)
        return first if first is not None and self._sections[first].level == 1 else None


def find_headed(made: Sequence[Section], name: str) -> list[int]:
    """Return which sections have this anchor, or end their path of headings, `Deploy > Check`, so.

    Of a path case and markup do not count.
    """
    if name in (named := Anchors.list_of(made)):
        return [named.index(name)]
    wanted = f"{_ARROW}{name.casefold()}"
    return [at for at, path in enumerate(_paths(made)) if path.endswith(wanted)]


def _paths(made: Sequence[Section]) -> list[str]:
    paths: list[str] = []
    for section in made:
        above = "" if section.parent is None else paths[section.parent]
        paths.append(
            f"{above}{_ARROW}{Anchors.strip_title(section.title).casefold()}"
            if section.level
            else ""
        )
    return paths
