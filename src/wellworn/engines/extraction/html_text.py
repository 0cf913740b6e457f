"""Reads single elements of a page: code as it is, what is hidden or furniture, which links stay.

Links stay if they lead somewhere, and inside of a site each once: pages of reference link every
name in every line to a page beside it. Measured on 17 of them, that doubles what they say; the
first of equal links says as much, and a third as many pieces.

Source: HTML Living Standard, 3.2.6 (hidden), 4.4.3 (pre), 4.6 (links); WAI-ARIA 1.2, landmarks.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.engines.extraction.links import is_whole, target
from wellworn.kit.words import load_words

_HIDING: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_IN_LINE: Final = re.compile(r"display\s{0,9}:\s{0,9}inline\s{0,9}(?:;|!|\Z)", re.IGNORECASE)
_FURNITURE: Final = frozenset({"banner", "contentinfo", "navigation", "search"})
_MENU_NAMES: Final = frozenset(load_words(__name__, "menu_names"))
_NOT_A_LETTER: Final = re.compile(r"[^a-z]+")
_NOT_IN_CODE: Final = frozenset({"button", "del", "s", "strike", "script", "style", "template"})
_FEWEST_LINKS: Final = 3
_LINK_SHARE: Final = 0.8
"""Of the letters of a menu that are a link's, at the least."""
_PERMALINKS: Final = frozenset({"#", "¶", "§", "🔗", "", "\u200b", "anchor", "permalink"})
_LANGUAGE: Final = re.compile(
    r"\b(?:language|lang|brush|highlight(?:-source)?)[-:]\s*([\w+#.-]{1,30})"
)
_NO_LANGUAGE: Final = frozenset({"default", "none", "notranslate", "plaintext", "text"})


def is_hidden(node: LexborNode) -> bool:
    """Tell whether a reader does not see the element, or it is a landmark beside the text."""
    attributes = node.attributes
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    style = attributes.get("style")
    return attributes.get("role") in _FURNITURE or bool(style and _HIDING.search(style))


def is_in_line(node: LexborNode) -> bool:
    """Tell whether a `div` or `p` stands within its line, as its own style says."""
    style = node.attributes.get("style") if node.tag in {"div", "p"} else None
    return bool(style and _IN_LINE.search(style))


def is_menu(node: LexborNode) -> bool:
    """Tell whether a block that is called a menu holds next to nothing but links."""
    attributes = node.attributes
    called = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".casefold()
    if _MENU_NAMES.isdisjoint(_NOT_A_LETTER.split(called)):
        return False
    links = [len("".join(link.text().split())) for link in node.css("a[href]")]
    return len(links) >= _FEWEST_LINKS and sum(links) >= _LINK_SHARE * len(
        "".join(node.text().split())
    )


def is_permalink(node: LexborNode) -> bool:
    """Tell whether a link is only the mark beside a heading that points at the heading."""
    to = node.attributes.get("href") or ""
    return to.startswith("#") and node.text().strip().casefold() in _PERMALINKS


def permalink_id(node: LexborNode) -> str | None:
    """Return the id that a permalink points at or is."""
    return node.id or (node.attributes.get("href") or "")[1:] or None


def codes(pre: LexborNode) -> list[tuple[str, str]]:
    """Return text and language of a <pre>, or of each <code> in it where there are several."""
    parts = pre.css("code")
    return [(verbatim(part), code_language(part)) for part in (parts if len(parts) > 1 else [pre])]


def verbatim(root: LexborNode) -> str:
    """Return text as it stands, where <br> is a line end too; not the button to copy it.

    Nothing can be struck in code, so what is struck is left out.
    """
    pieces: list[str] = []
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if part.tag == "-text":
            pieces.append(part.text_content or "")
        elif part.tag == "br":
            pieces.append("\n")
        elif part is root or part.tag not in _NOT_IN_CODE:
            pieces.append("^" if part.tag == "sup" and pieces and pieces[-1][-1:].isalnum() else "")
            waiting.extend(reversed([*part.iter(include_text=True)]))
    return "".join(pieces)


def code_language(node: LexborNode) -> str:
    """Return the language that the classes of a <pre>, of its <code> or around it name."""
    around = [node, node.css_first("code"), node.parent]
    around.append(node.parent.parent if node.parent else None)
    for element in around:
        language = _LANGUAGE.search((element.attributes.get("class") or "") if element else "")
        if language and language[1] not in _NO_LANGUAGE:
            return language[1]
    return ""


HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
DROPPED: Final = frozenset(load_words(__name__, "dropped_elements"))
BLOCKS: Final = frozenset(HEADINGS) | frozenset(load_words(__name__, "block_elements"))
# Furniture of the site, but part of the text inside of <main> and <article>.
OUTSIDE_ONLY: Final = frozenset({"header", "aside"})
TAG: Final = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])")
"""The beginning of a tag, with the name of its element."""
_INLINE: Final = frozenset(load_words(__name__, "inline_elements"))
_ELEMENTS: Final = BLOCKS | DROPPED | _INLINE


def is_element(name: str) -> bool:
    """Tell whether a tag is of HTML, and not a component of a program: those mix their letters."""
    is_plain = name.islower() or name.isupper()
    return is_plain and name.lower() in _ELEMENTS


def has_html(text: str) -> bool:
    """Tell whether a text may hold tags of HTML."""
    return any(is_element(tag[1]) for tag in TAG.finditer(text))


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
