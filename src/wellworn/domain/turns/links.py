"""Links between the documents of a vault: relative Markdown links, and wikilinks for Obsidian.

Source: the specification of document IO, sections 8 and 9.2.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

# What begins as a link and has no end is matched too, without a target, so that it is read once.
_MARKDOWN_LINK = re.compile(
    r"\[[^\[\]\n]*+\]\((?!https?://)([^)\s]++)\)|\]\((?!https?://)[^)\s]++(?!\))"
)
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]++)(?:#([^\[\]|\n]++))?(?:\|[^\[\]\n]*+)?\]\]")
_ESCAPED = re.compile(r"(?<=\])\\\(|(?<=\[)\\\[")
_ROOT = "/-" * 64
"""Stands for where the vault is, so deep that links quoted from elsewhere do not leave it."""
_MARK = "./"
_MARKS = re.compile(r"\A(?:\./)+")
_UNSAFE = re.compile(r"[\[\]|\n]")


class DocumentLink(NamedTuple):
    """The target of a document's link: a path in the vault, and a block id or heading."""

    path: str
    block: str = ""


def format_dual_link(from_path: str, to_path: str, label: str, *, block: str = "") -> str:
    """Return a Markdown link relative to a document and the wikilink to the same target."""
    label = _UNSAFE.sub(" ", label).strip()
    relative = posixpath.relpath(to_path, posixpath.dirname(from_path))
    stem = to_path.removesuffix(".md")
    anchor = f"#^{block}" if block else ""
    return f"[{label}]({relative}{anchor}) | [[{stem}{anchor}|{label}]]"


def format_wikilink(to_path: str, label: str, *, block: str = "") -> str:
    anchor = f"#^{block}" if block else ""
    return f"[[{to_path.removesuffix('.md')}{anchor}|{_UNSAFE.sub(' ', label).strip()}]]"


def escape_links(text: str) -> str:
    """Return quoted Markdown whose links into other folders than ours are only read, not followed.

    What leads to an address on the web stays a link.
    """
    text = _MARKDOWN_LINK.sub(
        lambda link: link[0].replace("](", "]\\(", 1) if link[1] else link[0], text
    )
    return _WIKILINK.sub(lambda link: f"[\\{link[0][1:]}", text)


def unescape_links(text: str) -> str:
    """Return what `escape_links` was given."""
    return _ESCAPED.sub(lambda match: match[0][1:], text)


def relocate_links(text: str, path: str, to: str, folder: str) -> str:
    """Return the text of a document that moves, with its relative links out of its folder changed.

    Args:
        text: of the document.
        path: where it was.
        to: where it is from now on.
        folder: what moves with it, whose documents stay where they are for each other.
    """
    moved = to.removesuffix(path.removeprefix(folder))
    here, there = (
        _DocumentPlace(posixpath.dirname(path), folder),
        _DocumentPlace(posixpath.dirname(to), moved),
    )

    def relocate(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        target, sign, block = match[1].partition("#")
        label = match[0].removesuffix(f"({match[1]})")
        return f"{label}({_relocate(target, here, there)}{sign}{block})"

    return _MARKDOWN_LINK.sub(relocate, text)


class _DocumentPlace(NamedTuple):
    """The place of a document, and the folder that moves with it."""

    directory: str
    folder: str

    def resolve(self, target: str) -> str:
        return posixpath.normpath(posixpath.join(_ROOT, self.directory, target))

    def express(self, resolved: str) -> str:
        return posixpath.relpath(resolved, posixpath.join(_ROOT, self.directory))

    def writes(self, target: str) -> bool:
        """Tell whether a link out of the folder is written as ours are; others are quoted."""
        resolved = self.resolve(target)
        is_within = f"{resolved}/".startswith(f"{_ROOT}/{self.folder}/")
        return target == self.express(resolved) and not is_within


def _relocate(target: str, here: _DocumentPlace, there: _DocumentPlace) -> str:
    """Return a link of ours as it is written from there, and a quoted one as it is.

    A quoted one that would be ours there gets a mark that means nothing in a path, and loses it on
    the way back: only so is moving back exact.
    """
    unmarked = _MARKS.sub("", target)
    is_ours, would_be_ours = here.writes(unmarked), there.writes(unmarked)
    if is_ours and unmarked == target:
        return there.express(here.resolve(target))
    if would_be_ours and not is_ours:
        return f"{_MARK}{target}"
    return target.removeprefix(_MARK) if is_ours and not would_be_ours else target


def find_links(path: str, text: str) -> Iterator[DocumentLink]:
    """Yield where the links of a document lead; addresses on the web are left out."""
    for match in _MARKDOWN_LINK.finditer(text):
        target, _, block = (match[1] or "").partition("#")
        if target:
            joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            yield DocumentLink(joined, block.removeprefix("^"))
    for match in _WIKILINK.finditer(text):
        target = match[1] if posixpath.splitext(match[1])[1] else f"{match[1]}.md"
        yield DocumentLink(target, (match[2] or "").removeprefix("^"))
