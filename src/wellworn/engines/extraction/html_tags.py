"""What the elements of a page are to its text: blocks, headings, furniture.

Source: HTML Living Standard, section 15.3 (rendering).
"""

from __future__ import annotations

from typing import Final

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
# Lists of words: one on each line they would fill a page.
# fmt: off
DROPPED: Final = frozenset({
    "audio", "button", "canvas", "datalist", "dialog", "embed", "footer", "head", "iframe", "input",
    "link", "menu", "meta", "nav", "noscript", "object", "script", "search", "select", "style",
    "svg", "template", "textarea", "title", "video",
})
BLOCKS: Final = frozenset(HEADINGS) | frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "form", "header", "hgroup", "hr",
    "legend", "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul",
})
# fmt: on
# Furniture of the site, but part of the text inside of <main> and <article>.
OUTSIDE_ONLY: Final = frozenset({"header", "aside"})
