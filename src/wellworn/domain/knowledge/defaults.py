"""Options: "Default: `30s`" in the item or below the heading that names one, and their tables.

What holds only under a condition, or in one of several cases, is no default. In a table that has a
column of defaults, the others say of each option its type, whether it is required, its variable.

Source: 110 of 111 judged right by their lines, in documents of five projects (eslint, task, karma,
typedoc, kit) that were not looked at while the forms were made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from wellworn.domain.knowledge.claims import (
    DETAIL,
    SUMMARY,
    FactSpan,
    TypedSpan,
    build_claims,
    is_placeholder,
)
from wellworn.domain.knowledge.entities import Subject, is_special, plain, term
from wellworn.domain.knowledge.grids import Grid, name_of
from wellworn.domain.knowledge.statements import cut, is_said, paragraph_end
from wellworn.domain.knowledge.views import Reading
from wellworn.kit.markdown import TableCell
from wellworn.kit.words import load_phrases

_OPTION: Final = r"(?:--?)?[A-Za-z_][\w.-]{0,60}"
_NUMBER: Final = (
    r"-?\d{1,12}(?:\.\d{1,6})?[ \t]?"
    r"(?:ms|[smhdKMG]i?B?|bytes|seconds|minutes|hours|days|%)?(?!\w|\.\w)"
)
_DEFAULT: Final = re.compile(
    r"(?:(?<![\w-])(?:[Tt]he )?[Dd]efaults?(?: value)?(?:\*\*?|__?)?(?: is|:|=)(?:\*\*?|__?)?[ \t]"
    r"|(?<![\w-])(?:Defaults to|[Bb]y default,? (?:it|this) is)[ \t]|\(default(?: is|:)?|, default"
    r"|:default:|^(?:[^\w\n(]|\((?:\w++\))?)*+[Dd]efaults to"
    r"|(?:The )?[Dd]efault \((?=[^()\n]{1,30}\)))[ \t]*"
    rf"(?:`{{1,2}}(?P<code>[^`\n]{{1,60}})`{{1,2}}|\"(?P<quoted>[^\"\n]{{1,60}})\""
    rf"|(?P<bare>true|false|{_NUMBER}))"
    r"(?:\)?(?:[.,;]?[ \t]*$|[.;][ \t)]|,[ \t]+(?:and|with|but|which)\b|\)))",
    re.MULTILINE,
)
_ITEM: Final = rf"[-*+][ \t]+(?:\*\*`|`|\*\*)(?![Dd]efault)(?P<item>{_OPTION})"
#: What names an option: a directive, a term alone on its line, an item of a list, a heading.
_HEAD: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:\.\. (?:[\w-]+:)?(?:\w*option|confval|envvar)::[ \t]+"
    r"(?P<directive>\S.*)$"
    rf"|(?P<ticks>`{{1,2}})(?P<name>{_OPTION})(?P=ticks)[ \t]*$"
    rf"|{_ITEM}[:=]?(?:[ =][^`\n]{{1,40}})?(?:`\*\*|`|\*\*)"
    rf"|#{{1,6}}[ \t]+(?P<mark>`?)(?P<heading>{_OPTION})(?P=mark)"
    r"(?:[ \t]+\[[^\]\n]{1,60}\])?[ \t#]*$)",
    re.MULTILINE,
)
_NESTED: Final = re.compile(rf"^[ \t]*{_ITEM}", re.MULTILINE)
#: Below a heading, a line that is about something of its own.
_FOREIGN: Final = re.compile(r"[ \t:]|[-*+][ \t]+(?!(?:\*\*|__)?Default)")
_FLAG: Final = re.compile(rf"(?:^|(?<=, )){_OPTION}")
_MOST_DESCRIBED: Final = 1_000
#: Words with which a value holds in one case only.
_CASES: Final = re.compile(
    r"\b(?:if|when|unless|otherwise|depends|depending|except|on (?:windows|linux|macos)"
    r"|in (?:production|development|dev))\b|\bdefault",
    re.IGNORECASE,
)

_NAMING: Final = re.compile(rf"(?:(?:{load_phrases(__name__, 'option_columns')})s?(?: |$))+")
_STATING: Final = re.compile(
    r"(?P<default>defaults?(?: values?)?)|(?P<type>(?:data )?type)|(?P<required>required)"
    r"|(?P<environment_variable>env(?:ironment)?(?: var(?:iable)?)?)"
)
OPTION_ATTRIBUTES: Final = ("default", "type", "required", "environment variable")
"""What is stated of options, which are no names unless they are written in one word."""
_CELL: Final = re.compile(
    r"`(?P<mark>[\"']?)(?P<code>[^`\n]{1,60}?)(?P=mark)`"
    r"|(?P<quote>[\"']?)(?P<bare>[^`<\n]{1,60}?)(?P=quote)"
)
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
#: What a cell says where there is no value.
_NOTHING: Final = re.compile(
    rf"\W*|x|\W*(?:{load_phrases(__name__, 'no_values')}"
    rf"|{load_phrases(__name__, 'no_defaults')})\b.*"
)
_COMPOUND: Final = re.compile(r"-\w\w|\w[-_.]\w|[a-z][A-Z]")
_MOST_WORDS: Final = 4


def find_option_claims(grid: Grid, text: str) -> Iterator[FactSpan]:
    """Yield what a table states of the options that one of its columns names."""
    columns = [term(name_of(cell)) for cell in grid.head]
    naming = next((place for place, name in enumerate(columns) if _NAMING.fullmatch(name)), None)
    stating = {
        place: (match.lastgroup or "").replace("_", " ")
        for place, name in enumerate(columns)
        if place != naming and (match := _STATING.fullmatch(name))
    }
    if naming is None or "default" not in stating.values():
        return
    named = [
        (row, _list_options(row.cells[naming]))
        for row in grid.rows
        if len(row.cells) == len(columns)
    ]
    rows_of = Counter(name for _, names in named for name in names)
    for row, names in named:
        # What several rows name is one thing in several cases.
        for name in (name for name in names if rows_of[name] == 1):
            for place, attribute in stating.items():
                value = _find_stated(row.cells[place], attribute, text)
                if value is not None:
                    yield from build_claims(
                        Subject(name), attribute, value, snippet=row.span, confidence=0.9
                    )


def _list_options(cell: TableCell) -> list[str]:
    """Return the options that a cell names: a first one, and other flags for it."""
    first, *others = [*re.split(r"[\s,]+", plain(cell.text)), ""]
    names = [first, *(name for name in others if name.startswith("-"))]
    if others and not all(name.startswith(("-", "<", "(")) for name in others if name):
        return []
    return [
        term(name)
        for name in names
        if re.fullmatch(_OPTION, name)
        and len(name.strip("-")) > 1
        and (_COMPOUND.search(name) or is_special(name))
    ]


def _find_stated(cell: TableCell, attribute: str, text: str) -> TypedSpan | None:
    """Return the value in a cell; None where it has none, or one for each of several cases."""
    match = _CELL.fullmatch(text, cell.start, cell.end)
    if match is None:
        return None
    group = "bare" if match["code"] is None else "code"
    value, bare = match[group], match["bare"] or ""
    if _NOTHING.fullmatch(value.casefold()) or is_placeholder(value) or _CASES.search(bare):
        return None
    if len(bare.split()) > _MOST_WORDS or "](" in bare:
        return None
    if attribute == "environment variable" and not _VARIABLE.fullmatch(value):
        return None
    return TypedSpan(DETAIL, *match.span(group))


def find_defaults(reading: Reading) -> Iterator[FactSpan]:
    """Yield the default of each option whose description, or the section below it, states one."""
    text = reading.text
    for head in _HEAD.finditer(text):
        if reading.is_silent(head.start()):
            continue
        start = head.end()
        end = _find_end(reading, head)
        named = head["name"] or head["item"] or head["heading"]
        names = [named] if named else _FLAG.findall(head["directive"])
        stated = {"default": _find_default(text, start, end, is_section=bool(head["heading"]))}
        if head["directive"]:
            stated[""] = _find_purpose(text, start, end)
        # A plain word such as `timeout` is the option of many things.
        names = [name for name in names if name.startswith("-") or is_special(name)]
        for attribute, value in stated.items():
            for name in names:
                if value is not None:
                    whose = Subject(term(name))
                    snippet = _find_snippet(text, head, value)
                    yield from build_claims(
                        whose, attribute, value, snippet=snippet, confidence=0.9
                    )


def _find_snippet(text: str, head: re.Match[str], value: TypedSpan) -> tuple[int, int]:
    """Return the line of a value below a heading, else what leads to it from the option's name."""
    line = text.rfind("\n", 0, value.start) + 1
    start = line if head["heading"] else head.end("indent")
    return start, start + len(text[start : _find_line_end(text, value.end)].rstrip())


def _find_default(text: str, start: int, end: int, *, is_section: bool) -> TypedSpan | None:
    """Return the default that a description states, if it is one alone and holds in every case."""
    stated = list(_DEFAULT.finditer(text, start, end))
    if len(stated) != 1:
        return None
    [match] = stated
    line = text.rfind("\n", 0, match.start()) + 1
    around = text[max(text.rfind(". ", start, match.start()), start) : match.start()]
    is_of_case = _CASES.search(f"{around} {text[match.end() : end].partition('.')[0]}")
    if is_of_case or (is_section and _FOREIGN.match(text, line)):
        return None
    return TypedSpan(DETAIL, *match.span(match.lastgroup or 0))


def _find_purpose(text: str, start: int, end: int) -> TypedSpan | None:
    """Return the first sentence of a description."""
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    span = cut(text, begin, paragraph_end(text, begin))
    return TypedSpan(SUMMARY, *span) if is_said(text[slice(*span)]) else None


def _find_end(reading: Reading, head: re.Match[str]) -> int:
    """Return where a description ends: with its section, or the lines further in than its head."""
    text = reading.text
    if head["heading"]:
        return reading.parts[reading.part_at(head.start())].end
    indent = len(head["indent"].expandtabs())
    at = end = _find_line_end(text, head.end())
    while at < len(text) and at - head.end() < _MOST_DESCRIBED:
        stop = _find_line_end(text, at)
        line = text[at:stop].expandtabs()
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        end = stop if line.strip() else end
        at = stop
    nested = _NESTED.search(text, head.end(), end) if head["item"] else None
    return nested.start() if nested else end


def _find_line_end(text: str, place: int) -> int:
    """Return where the next line begins."""
    return text.find("\n", place) + 1 or len(text)
