"""Makes the anchors of headings, as the usual renderers give them.

A title is shown without its markup, and its anchor follows from what is shown, so that
`docs/setup.md#install` opens at the same heading here as on the host of the repository.

Source: github-slugger; kramdown's and Docusaurus' explicit ids.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from wellworn.kit.markdown import Section, strip_markup

_EXPLICIT = re.compile(r"[ \t]{0,8}\{:?[ \t]{0,8}#([\w:.-]{1,100})[^{}\n]{0,200}\}[ \t]{0,8}$")
_TAG_WITH_ID = re.compile(
    r"<a\s{1,8}(?:id|name)\s{0,8}=\s{0,8}[\"']([\w:.-]{1,100})[\"'][^<>]{0,100}>"
)


def explicit_anchor(title: str) -> str:
    """Return the anchor that a title names itself, as in `Setup {#setup}`; empty without one."""
    match = _EXPLICIT.search(title) or _TAG_WITH_ID.search(title)
    return match[1] if match else ""


def slug(title: str) -> str:
    """Return the anchor made from a shown title; it may be empty."""
    return "".join(filter(_is_kept, title.lower())).replace(" ", "-")


class Anchors:
    """The anchors of one document: no two headings get the same."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    @staticmethod
    def strip_title(title: str) -> str:
        """Return a title as a reader sees it: without markup, and without the anchor it names."""
        return strip_markup(_EXPLICIT.sub("", title))

    @classmethod
    def list_of(cls, sections: Iterable[Section]) -> list[str]:
        """Return the anchor of each section's heading; empty before the first."""
        anchors = cls()
        return [anchors.of(section.title) if section.level else "" for section in sections]

    def of(self, title: str, shown: str = "") -> str:
        """Return the anchor of the document's next heading, whose title has its markup.

        `shown` is the title as a reader sees it, if that is known already.
        """
        explicit = explicit_anchor(title)
        if explicit:
            self._times.setdefault(explicit, 0)
            return explicit
        wanted = anchor = slug(shown or self.strip_title(title))
        while anchor in self._times:
            self._times[wanted] += 1
            anchor = f"{wanted}-{self._times[wanted]}"
        self._times[anchor] = 0
        return anchor


def _is_kept(character: str) -> bool:
    return character in " -_" or unicodedata.category(character)[0] in "LMN"
