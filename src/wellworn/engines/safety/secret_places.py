"""Secrets that only the lines around them give away: a column of a table, a manifest of Kubernetes.

Neither the value nor the words before it tell: `hunter2` stands in a cell, and its column's header
is lines above. Each text is gone through line by line, once.

Source: measured misses of rules that look at one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from wellworn.engines.safety.plausibility import (
    is_description,
    is_key,
    is_named_stand_in,
    is_password,
)

_CELL = re.compile(r"(?:\\.|[^|\\]){0,4096}")
_RULE_LINE = frozenset("|-: \t>")
_MARKS = " \t`*_\"'"
_HEADER = re.compile(
    r"(?:^|[ _./(-])(?:(?P<password>passwords?|passwort|passwd|passcode|pwd?|pass|passphrase|pin"
    r"|psk|credentials?|login)|secrets?|tokens?"
    r"|(?:api|access|secret|auth|license|encryption)[ _-]?keys?)\)?$",
    re.IGNORECASE,
)
_LONGEST_HEADER = 60
_BESIDE_A_NAME = re.compile(r"[\w.@+-]{1,64}[ \t]{0,4}[/:][ \t]{1,4}(\S{4,128})")
_FEWEST_DIGITS = 6

_IS_SECRET = re.compile(r"\s{0,16}kind:\s{0,4}[\"']?Secret[\"']?\s{0,16}")
_DATA = re.compile(r"(\s{0,32})(?:data|stringData):\s{0,16}")
_ENTRY = re.compile(
    r"(\s{1,64})[\"']?[\w.-]{1,128}[\"']?:\s{1,8}[\"']?(?P<value>[^\s\"'#]{4,65536}"
    r"(?:[ \t]{1,4}[^\s\"'#]{1,4096}){0,32})"
)


@dataclass(frozen=True, slots=True)
class LayoutRule:
    """A rule for secrets by what is beside them; `find` yields start and end of each, in order."""

    kind: str
    needles: tuple[str, ...]
    """Pieces all of which the text in lower case must have."""
    find: Callable[[str], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str


def find_in_tables(text: str, *, passwords: bool) -> Iterator[tuple[int, int]]:
    """Yield the passwords, or else the keys, in columns of Markdown tables that are headed so."""
    before = _Line(0, "")
    columns: frozenset[int] = frozenset()
    for line in _split_lines(text):
        if "|" not in line.text:
            columns = frozenset()
        elif _is_rule(line.text):
            columns = _find_columns(before.text, passwords=passwords)
        elif columns:
            yield from _find_in_row(line, columns, passwords=passwords)
        before = line


def find_in_manifests(text: str) -> Iterator[tuple[int, int]]:
    """Yield the values of Kubernetes' Secrets, under `data` and `stringData`."""
    manifest: list[_Line] = []
    for line in _split_lines(text):
        if line.text.lstrip(" >").startswith(("---", "```", "~~~")):
            yield from _find_in_manifest(manifest)
            manifest = []
        else:
            manifest.append(line)
    yield from _find_in_manifest(manifest)


LAYOUT_RULES = (
    LayoutRule("password", ("|", "-"), partial(find_in_tables, passwords=True)),
    LayoutRule("secret", ("|", "-"), partial(find_in_tables, passwords=False)),
    LayoutRule("kubernetes-secret", ("kind:", "secret", "data:"), find_in_manifests),
)


def _split_lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, line)
        start += len(line) + 1


def _is_rule(line: str) -> bool:
    return "-" in line and not set(line[:4096]) - _RULE_LINE


def _split_cells(line: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each cell; what is before a first bar is none."""
    inner = line.lstrip(" \t>")
    at = len(line) - len(inner) + inner.startswith("|")
    while at < len(line):
        match = _CELL.match(line, at)
        if match is None:
            return
        yield at, match[0]
        at = match.end() + 1


def _find_columns(header: str, *, passwords: bool) -> frozenset[int]:
    headings = (
        _HEADER.search(cell.strip(_MARKS)[-_LONGEST_HEADER:]) for _, cell in _split_cells(header)
    )
    return frozenset(
        number
        for number, match in enumerate(headings)
        if match and (match["password"] is not None) is passwords
    )


def _find_in_row(
    line: _Line, columns: frozenset[int], *, passwords: bool
) -> Iterator[tuple[int, int]]:
    for number, (at, cell) in enumerate(_split_cells(line.text)):
        if number not in columns:
            continue
        value = cell.strip(_MARKS)
        start = at + cell.find(value)
        if beside := _BESIDE_A_NAME.fullmatch(value):
            start, value = start + beside.start(1), beside[1]
        if _is_secret(value) if passwords else is_key(value):
            yield line.start + start, line.start + start + len(value)


def _is_secret(value: str) -> bool:
    """Tell whether a cell under `Password` holds one, which may be digits alone."""
    if any(map(str.isspace, value)):
        return False
    if value.isdecimal():
        return len(value) >= _FEWEST_DIGITS
    return is_password(value) or is_key(value)


def _find_in_manifest(manifest: list[_Line]) -> Iterator[tuple[int, int]]:
    if not any(_IS_SECRET.fullmatch(line.text) for line in manifest):
        return
    indent = -1
    for line in manifest:
        if match := _DATA.fullmatch(line.text):
            indent = len(match[1])
        elif indent >= 0 and (match := _ENTRY.match(line.text)) and len(match[1]) > indent:
            value = match["value"]
            # What goes on after a stand-in may be anything; what goes on after a secret is of it.
            is_stand_in = is_named_stand_in(value.split()[0]) or is_description(value)
            if not is_stand_in and value not in {"|", ">", "|-"}:
                yield line.start + match.start("value"), line.start + match.end("value")
        elif line.text.strip():
            indent = -1
