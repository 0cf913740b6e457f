"""JSON, with comments and commas at the end as editors take it, edited in place.

A text is read once into nodes that know where they stand; an edit changes the characters between
two of them. No maintained library does that in Python: those that keep comments rewrite the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, cast

from wellworn.engines.config_files.format import ConfigBroken, Format, Steps, nest

_DEEPEST: Final = 100
_BLANK: Final = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+"')
_PLAIN: Final = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_LINE_END: Final = re.compile(r"(?:[ \t]|//[^\n]*|/\*(?:[^*\n]|\*(?!/))*+\*/)*+")


@dataclass(slots=True)
class _Node:
    """A value and where it stands: `text[start:end]`; of a mapping or a list also what is in it."""

    start: int
    end: int = 0
    value: Any = None
    members: list[_Member] = field(default_factory=list["_Member"])
    closes: str = ""


@dataclass(slots=True)
class _Member:
    """A member of a mapping or a list; `start` is that of its key, or of the value in a list."""

    start: int
    step: str | int
    node: _Node
    comma: int | None = None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read(self) -> _Node:
        root = self._value(0)
        self._skip()
        if self.at < len(self.text):
            self._fail("something follows the end")
        return root

    def _skip(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def _value(self, depth: int) -> _Node:
        self._skip()
        node = _Node(self.at)
        sign = self.text[self.at : self.at + 1]
        if depth > _DEEPEST:
            self._fail("nested too deeply")
        if sign in {"{", "["}:
            self._inside(node, sign, depth)
        elif sign == '"':
            node.value = self._string()
        elif plain := _PLAIN.match(self.text, self.at):
            self.at = plain.end()
            node.value = json.loads(plain[0])
        else:
            self._fail("a value is expected")
        node.end = self.at
        return node

    def _inside(self, node: _Node, opens: str, depth: int) -> None:
        node.closes = "}" if opens == "{" else "]"
        self.at += 1
        self._skip()
        while self.text[self.at : self.at + 1] != node.closes:
            start = self.at
            step: str | int = len(node.members)
            if opens == "{":
                step = self._string()
                self._skip()
                self._expect(":")
            member = _Member(start, step, self._value(depth + 1))
            node.members.append(member)
            self._skip()
            if self.text[self.at : self.at + 1] == ",":
                member.comma = self.at
                self.at += 1
                self._skip()
            elif self.text[self.at : self.at + 1] != node.closes:
                self._fail(f"a comma or {node.closes} is expected")
        self.at += 1
        values = [(member.step, member.node.value) for member in node.members]
        node.value = dict(values) if opens == "{" else [value for _, value in values]

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            self._fail("a text in double quotes is expected")
        self.at = found.end()
        try:
            return json.loads(found[0])
        except ValueError:
            self._fail("a text has an escape that JSON does not know")

    def _expect(self, sign: str) -> None:
        if self.text[self.at : self.at + 1] != sign:
            self._fail(f"{sign} is expected")
        self.at += 1

    def _fail(self, reason: str) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        raise ConfigBroken(f"line {line} is not JSON: {reason}")


def _parse(text: str) -> _Node:
    if _BLANK.fullmatch(text):
        return _Node(len(text), len(text), {}, closes="}")
    return _Reader(text).read()


def _read(text: str) -> dict[str, Any]:
    root = _parse(text)
    if root.closes != "}":
        raise ConfigBroken("it is not a JSON object")
    return cast("dict[str, Any]", root.value)


def _put(text: str, path: Steps, value: object) -> str:
    root = _parse(text)
    unit = _find_unit(text, root)
    if root.end == root.start:
        return text + _write(nest(path, value), unit) + "\n"
    node, steps = root, [*path]
    while len(steps) > 1 and (inner := _find(node, steps[0])) is not None:
        node = inner.node
        steps.pop(0)
    if not node.closes:
        raise ConfigBroken(f"{'.'.join(map(str, path))} stands where there is another value")
    step, *beyond = steps
    key = "" if isinstance(step, int) else f"{json.dumps(step, ensure_ascii=False)}: "
    return _insert(text, node, key, nest(tuple(beyond), value), unit)


def _insert(text: str, node: _Node, key: str, value: object, unit: str) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    last = node.members[-1] if node.members else None
    if last is not None and "\n" not in text[node.start : node.end]:
        new = f"{key}{json.dumps(value, ensure_ascii=False)}"
        return f"{text[: last.node.end]}, {new}{text[last.node.end :]}"
    outer = _get_indent(text, node.start)
    inner = _get_indent(text, last.start) if last is not None else outer + unit
    new = f"{inner}{key}{_write(value, unit)}".replace("\n", f"\n{inner}").replace("\n", line_end)
    if last is None:
        close = node.end - 1
        head = text[:close].rstrip(" \t\r\n")
        return f"{head}{line_end}{new}{line_end}{outer}{text[close:]}"
    if last.comma is not None:
        at = _skip_line(text, last.comma + 1)
        return f"{text[:at]}{line_end}{new},{text[at:]}"
    at = _skip_line(text, last.node.end)
    return f"{text[: last.node.end]},{text[last.node.end : at]}{line_end}{new}{text[at:]}"


def _drop(text: str, path: Steps) -> str:
    node = _parse(text)
    for step in path[:-1]:
        inner = _find(node, step)
        if inner is None:
            return text
        node = inner.node
    places = [at for at, each in enumerate(node.members) if each.step == path[-1]]
    if not places:
        return text
    # Of a name that stands twice the last one counts.
    at = places[-1]
    member = node.members[at]
    start = len(text[: member.start].rstrip(" \t\r\n"))
    end = member.node.end if member.comma is None else member.comma + 1
    if len(node.members) == 1:
        rest = text[end : node.end - 1]
        is_bare = start == node.start + 1 and not rest.strip()
        return f"{text[:start]}{'' if is_bare else rest}{text[node.end - 1 :]}"
    if at == len(node.members) - 1 and member.comma is None:
        comma = node.members[at - 1].comma
        if comma is not None:
            return f"{text[:comma]}{text[comma + 1 : start]}{text[end:]}"
    return f"{text[:start]}{text[end:]}"


def _find(node: _Node, step: str | int) -> _Member | None:
    # Of a name that stands twice the last one counts, as everywhere.
    return next((each for each in reversed(node.members) if each.step == step), None)


def _skip_line(text: str, at: int) -> int:
    """Return where a line ends, its comments included, without the blanks at its end."""
    found = _LINE_END.match(text, at)
    end = found.end() if found else at
    return at + len(text[at:end].rstrip(" \t"))


def _get_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_unit(text: str, root: _Node) -> str:
    first = root.members[0] if root.members else None
    is_below = first is not None and "\n" in text[root.start : first.start]
    return (_get_indent(text, first.start) if first and is_below else "") or "  "


def _write(value: object, unit: str = "  ") -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False)


JSON_TEXT: Final = Format(_read, _put, _drop, _write)
