"""Splits configuration files: each setting with the keys that lead to it, and where it stands.

Source: YAML 1.2; TOML 1.0; the formats of Docker Compose, Kubernetes and Ansible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, cast

import yaml

from wellworn.domain.knowledge.entities import MOST_WORDS, is_instruction
from wellworn.kit.words import load_words

_SECTION: Final = re.compile(r"\[{1,2}(?P<name>[^\[\]\n]{1,80})\]{1,2}\s*(?:[#;].*)?")
_SETTING: Final = re.compile(
    r"[ \t]*+(?P<name>[\w.-]{1,80}+)[ \t]*+[=:][ \t]*+(?P<quote>[\"'])?(?P<value>(?(quote)"
    r"[^\"'\n]{1,200}+|[^\"'\n \t](?:[^\"'\n \t#;]|[ \t]++(?=[^\"'\n \t#;])){0,199}+))"
    r"(?(quote)(?P=quote))[ \t]*+(?:[#;].*)?"
)
#: Texts of JSON, which stay, and the comments that editors allow in it.
_COMMENT: Final = re.compile(
    r"\"(?:[^\"\\\n]|\\.)*+\"?+|(?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?+)"
)
_SEEN: Final = re.compile(r"[^\s]")
#: A key above others, which only YAML has, however the file is called.
_OPEN_KEY: Final = re.compile(r"^[\w.-]{1,80}:[ \t]*$", re.MULTILINE)
#: Keys by which an item of a list is called.
_NAMES: Final = load_words(__name__, "naming_keys")
_MOST: Final = 1_000
_DEEPEST: Final = 16


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and the keys that lead to it, as written; `start` to `end` without quotes."""

    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Value:
    """A scalar on one line, and where it stands, quotes included."""

    text: str
    start: int
    end: int


_Node = _Value | list[Any] | dict[str, Any]


def list_settings(language: str, text: str, start: int, end: int) -> list[Setting]:
    """Return the settings of a stretch of text, at most 1,000; none of a text that is none.

    Of several items of a list, those without a name have none: nobody could say whose they are.

    Args:
        language: `yaml`, `json`, `toml` or `ini`.
        text: what holds it.
        start: where it begins.
        end: where it ends.
    """
    is_tree = language in {"yaml", "json"} or _OPEN_KEY.search(text, start, end)
    if language == "json":
        text = _blank_comments(text, start, end)
    read = _list_nodes if is_tree else _list_lines
    settings: list[Setting] = []
    try:
        settings.extend(islice(read(text, start, end), _MOST))
    except yaml.YAMLError:
        return settings
    return settings


def _blank_comments(text: str, start: int, end: int) -> str:
    """Return JSON with blanks for its comments, so that all else stands where it stood."""

    def blank(part: re.Match[str]) -> str:
        return _SEEN.sub(" ", part[0]) if part["comment"] else part[0]

    return text[:start] + _COMMENT.sub(blank, text[start:end]) + text[end:]


def _list_lines(text: str, start: int, end: int) -> Iterator[Setting]:
    """Yield the settings of a file of sections and `name = value`."""
    section: tuple[str, ...] = ()
    at = start
    for line in text[start:end].splitlines(keepends=True):
        bare = line.rstrip("\n")
        if heading := _SECTION.fullmatch(bare.strip()):
            section = tuple(heading["name"].split("."))
        elif match := _SETTING.fullmatch(bare):
            value = match.span("value")
            yield Setting((*section, match["name"]), at + value[0], at + value[1])
        at += len(line)


def _list_nodes(text: str, start: int, end: int) -> Iterator[Setting]:
    """Yield the settings of YAML, or of JSON.

    Raises:
        yaml.YAMLError: it is neither, as templates are.
    """
    for root in _read_documents(text[start:end]):
        for path, value in _walk(root, _find_prefix(root)):
            yield Setting(path, *_strip_quotes(text, start + value.start, start + value.end))


def _read_documents(text: str) -> Iterator[_Node]:
    """Yield each document of a text, up to one that is nested too deep.

    The parser of events keeps its own stack; the composer of nodes would use the process's.

    Raises:
        yaml.YAMLError: it is no YAML.
    """
    loader = cast("Any", yaml.CSafeLoader)(text)
    builder = _TreeBuilder()
    try:
        while loader.check_event() and builder.depth <= _DEEPEST:
            root = builder.feed(loader.get_event())
            if root is not None:
                yield root
    finally:
        loader.dispose()


class _TreeBuilder:
    """Builds documents of events; what several names stand for is in them once."""

    def __init__(self) -> None:
        self._open: list[_Node] = []
        self._keys: list[str | None] = []

    @property
    def depth(self) -> int:
        return len(self._open)

    def feed(self, event: yaml.Event) -> _Node | None:
        """Take the next event; return the document that it ends."""
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append({} if isinstance(event, yaml.MappingStartEvent) else [])
            self._keys.append(None)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._keys.pop()
            return self._add(self._open.pop())
        elif isinstance(event, yaml.NodeEvent):
            return self._add(_to_value(event))
        return None

    def _add(self, node: _Node) -> _Node | None:
        """Put a node into the innermost open one: an item, a key, or a key's value."""
        if not self._open:
            return node
        holder, key = self._open[-1], self._keys[-1]
        if isinstance(holder, list):
            holder.append(node)
        elif isinstance(holder, dict) and key is None:
            self._keys[-1] = node.text if isinstance(node, _Value) else ""
        elif isinstance(holder, dict):
            holder[key or ""] = node
            self._keys[-1] = None
        return None


def _to_value(event: yaml.NodeEvent) -> _Node:
    """Return a scalar; nothing for one of several lines, and for another's name."""
    mark, end = event.start_mark, event.end_mark
    if not isinstance(event, yaml.ScalarEvent) or mark.line != end.line:
        return []
    return _Value(event.value, mark.index, end.index)


def _find_prefix(root: _Node) -> tuple[str, ...]:
    """Return what comes before the path of a manifest: that it is of a thing, and its name."""
    entries = root if isinstance(root, dict) else {}
    named = _find_name(entries.get("metadata"))
    return ("services", named) if named and "kind" in entries else ()


def _walk(node: _Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], _Value]]:
    if isinstance(node, _Value):
        if path and node.text:
            yield path, node
    elif isinstance(node, list):
        for item in node:
            name = _find_name(item)
            if name or len(node) == 1 or not isinstance(item, dict):
                yield from _walk(item, (*path, name) if name else path)
    else:
        for key, value in node.items():
            yield from _walk(value, (*path, key))


def _find_name(node: _Node | None) -> str:
    """Return what an item calls itself; empty where it only counts, or is a sentence."""
    if not isinstance(node, dict):
        return ""
    values = (node.get(key) for key in _NAMES)
    names = (value.text for value in values if isinstance(value, _Value))
    return next(filter(_is_item_name, names), "")


def _is_item_name(text: str) -> bool:
    is_short = len(text.split()) <= MOST_WORDS
    return is_short and not text.isdecimal() and not is_instruction(text)


def _strip_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    is_quoted = end - start > 1 and text[start] in "\"'" and text[start] == text[end - 1]
    return (start + 1, end - 1) if is_quoted else (start, end)
