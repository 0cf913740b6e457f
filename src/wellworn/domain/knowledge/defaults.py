"""Defaults of options: "Default: `30s`" in the item or below the heading that names the option.

What holds only under a condition, or in one of several cases, is no default.

Source: 110 of 111 judged right by their lines, in documents of five projects (eslint, task, karma,
typedoc, kit) that were not looked at while the forms were made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wellworn.domain.knowledge.claims import DETAIL, FactSpan, TypedSpan, build_claims
from wellworn.domain.knowledge.entities import Subject, is_special, term
from wellworn.domain.knowledge.views import Line, Reading

_OPTION: Final = r"(?:--?)?[A-Za-z_][\w.-]{0,60}"
_HEADING: Final = re.compile(
    rf"#{{1,6}}[ \t]+(?P<mark>`?)(?P<name>{_OPTION})(?P=mark)(?:[ \t]+\[[^\]\n]{{1,60}}\])?[ \t#]*$"
)
_ITEM: Final = re.compile(
    rf"[ \t]{{0,12}}[-*+][ \t]+(?P<mark>\*\*`|`|\*\*)(?P<name>{_OPTION})[:=]?(?:`\*\*|`|\*\*)"
)
_ITEM_NAMED: Final = re.compile(r"[-*+][ \t]+(?!(?:\*\*|__)?Default)")
_NUMBER: Final = (
    r"-?\d{1,12}(?:\.\d{1,6})?[ \t]?"
    r"(?:ms|[smhdKMG]i?B?|bytes|seconds|minutes|hours|days|%)?(?![\w.])"
)
_DEFAULT: Final = re.compile(
    r"(?:(?<![\w-])(?:The )?Defaults?(?: value)?(?:\*\*|__)?(?: is|:|=)(?:\*\*|__)?"
    r"|(?<![\w-])Defaults to|\(default(?: is|:)?)[ \t]+"
    rf"(?:`(?P<code>[^`\n]{{1,60}})`|(?P<bare>true|false|{_NUMBER}))"
    r"(?:\)?(?:[.,;]?[ \t]*$|[.;][ \t)]|\)))",
    re.MULTILINE,
)
#: Words with which a value holds in one case only.
_CASES: Final = re.compile(
    r"\b(?:if|when|unless|otherwise|depends|depending|except|on (?:windows|linux|macos)"
    r"|in (?:production|development|dev))\b|\bdefault",
    re.IGNORECASE,
)


def find_defaults(reading: Reading, line: Line) -> Iterator[FactSpan]:
    """Yield the default that a line states of the option that it, or its heading, names."""
    stated = list(_DEFAULT.finditer(line.text))
    if len(stated) != 1:
        return
    [match] = stated
    name = _name_in_item(line) or _name_above(reading, line)
    if not is_special(name):
        # A plain word such as `timeout` is the option of many things.
        return
    begin = max(line.text.rfind(". ", 0, match.start()), 0)
    around = line.text[begin : match.start()] + line.text[match.end() :]
    if _CASES.search(around):
        return
    start, end = (line.start + place for place in match.span(match.lastgroup or 0))
    snippet = _strip(line)
    value = TypedSpan(DETAIL, start, end)
    yield from build_claims(Subject(term(name)), "default", value, snippet=snippet, confidence=0.9)


def _name_in_item(line: Line) -> str:
    """Return the option that begins an item of a list."""
    item = _ITEM.match(line.text)
    name = item["name"] if item else ""
    return "" if name.casefold().startswith("default") else name


def _name_above(reading: Reading, line: Line) -> str:
    """Return the option that a heading is, if one default alone is stated below it."""
    part = reading.parts[line.part]
    text = reading.text[part.start : part.end]
    heading = _HEADING.match(text.partition("\n")[0])
    if heading is None or line.text.startswith((" ", "\t", ":")) or _ITEM_NAMED.match(line.text):
        return ""
    return heading["name"] if len(_DEFAULT.findall(text)) == 1 else ""


def _strip(line: Line) -> tuple[int, int]:
    bare = line.text.strip()
    start = line.start + line.text.index(bare)
    return start, start + len(bare)
