"""Small readings of single elements of a page: code as it stands, what is hidden, what is a mark.

Source: HTML Living Standard, sections 3.2.6 (hidden), 4.4.3 (pre); WAI-ARIA 1.2, landmarks.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wellworn.kit.words import load_words

_HIDING: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
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
