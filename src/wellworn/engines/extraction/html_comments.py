"""Reads what people say on a page: the comments of a thread, their rating, and the page.

Forums mark comments up in many ways. What all have in common is that an element is called so, by
its class, its item property or its name, and holds its author and its text.

Source: schema.org, Comment; measured on the markup of common forums.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wellworn.engines.extraction.models import Discussion, PageComment
from wellworn.kit.words import load_words

_COMMENTS: Final = frozenset(load_words(__name__, "comment_names"))
_POSTS: Final = frozenset(load_words(__name__, "post_names"))
_AUTHORS: Final = frozenset(load_words(__name__, "author_names"))
_TEXTS: Final = frozenset(load_words(__name__, "comment_text_names"))
_SCORES: Final = frozenset(load_words(__name__, "score_names"))
_PAGES: Final = frozenset(load_words(__name__, "pagination_names"))
_CURRENT: Final = frozenset(load_words(__name__, "current_page_names"))
_NUMBER: Final = re.compile(r"-?\d[\d,]{0,9}")
_POSITION: Final = re.compile(r"\bpage\s+(\d{1,6})\s+of\s+(\d{1,6})\b", re.IGNORECASE)
_PAGE_NUMBER: Final = re.compile(r"\d{1,6}")
_MOST_COMMENTS: Final = 1_000
_MOST_KEPT: Final = 10
_LONGEST_TEXT: Final = 1_000
_LONGEST_AUTHOR: Final = 80
_COMMENT_ELEMENTS: Final = "div, li, article, section, tr, shreddit-comment"


def read_discussion(tree: LexborHTMLParser) -> Discussion | None:
    """Return what people say on a page, best rated first; None where nobody does."""
    called = [(node, _list_names(node)) for node in tree.css(_COMMENT_ELEMENTS)]
    elements = [node for node, names in called if not _COMMENTS.isdisjoint(names)]
    if not elements:
        # A board calls everything a post; the first one opens the thread.
        elements = [node for node, names in called if not _POSTS.isdisjoint(names)][1:]
    ids = frozenset(node.mem_id for node in elements)
    comments = [
        comment for node in elements[:_MOST_COMMENTS] if (comment := _read_comment(node, ids))
    ]
    if not comments:
        return None
    best = sorted(comments, key=lambda each: -(each.points or 0))[:_MOST_KEPT]
    return Discussion(tuple(best), len(comments), *(_find_position(tree) or (None, None)))


def _read_comment(node: LexborNode, comments: frozenset[int]) -> PageComment | None:
    own = list(_walk_own(node, comments))
    author = _read_author(node, own)
    body = next((each for each in own if _is_named(each, _TEXTS)), None)
    text = " ".join(body.text(separator=" ").split()) if body is not None else ""
    if not author or not text:
        return None
    return PageComment(author[:_LONGEST_AUTHOR], text[:_LONGEST_TEXT], _read_points(node, own))


def _walk_own(node: LexborNode, comments: frozenset[int]) -> Iterator[LexborNode]:
    """Yield what is inside of a comment and not inside of an answer to it, in its order."""
    waiting = list(reversed(list(node.iter())))
    while waiting:
        each = waiting.pop()
        if each.mem_id in comments:
            continue
        yield each
        waiting.extend(reversed(list(each.iter())))


def _read_author(node: LexborNode, own: list[LexborNode]) -> str:
    attributes = node.attributes
    stated = attributes.get("author") or attributes.get("data-author")
    if stated:
        return " ".join(stated.split())
    named = next((each for each in own if _is_named(each, _AUTHORS)), None)
    return " ".join(named.text(separator=" ").split()) if named is not None else ""


def _read_points(node: LexborNode, own: list[LexborNode]) -> int | None:
    attributes = node.attributes
    texts = [attributes.get("score"), attributes.get("data-score")]
    for each in own:
        if _is_named(each, _SCORES):
            texts += [each.attributes.get("content"), each.text()]
    for text in texts:
        if match := _NUMBER.search(text or ""):
            return int(match[0].replace(",", ""))
    return None


def _find_position(tree: LexborHTMLParser) -> tuple[int, int] | None:
    """Return which page of a thread it is, and of how many; its links are no text of the page."""
    for node in tree.css("nav, div, ul, ol, p, span"):
        if not _is_named(node, _PAGES):
            continue
        if match := _POSITION.search(node.text(separator=" ")):
            return int(match[1]), int(match[2])
        links = [each for each in node.css("a, span, li, b, strong, em") if _read_page_number(each)]
        current = next((each for each in links if _is_current(each)), None)
        if current is not None:
            numbers = [_read_page_number(each) for each in links]
            return _read_page_number(current), max(numbers)
    return None


def _read_page_number(node: LexborNode) -> int:
    text = node.text().strip()
    return int(text) if _PAGE_NUMBER.fullmatch(text) else 0


def _is_current(node: LexborNode) -> bool:
    return node.attributes.get("aria-current") is not None or _is_named(node, _CURRENT)


def _is_named(node: LexborNode, names: frozenset[str]) -> bool:
    """Tell whether an element is called one of the names."""
    return not names.isdisjoint(_list_names(node))


def _list_names(node: LexborNode) -> list[str]:
    """Return what an element is called by its class, property or tag."""
    attributes = node.attributes
    called = f"{attributes.get('class') or ''} {attributes.get('itemprop') or ''} {node.tag or ''}"
    return called.lower().split()
