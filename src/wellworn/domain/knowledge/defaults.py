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
from wellworn.domain.knowledge.entities import Subject, is_special, plain, subject_of, term
from wellworn.domain.knowledge.grids import Grid, name_of
from wellworn.domain.knowledge.statements import cut, is_said, paragraph_end
from wellworn.domain.knowledge.views import Line, Reading
from wellworn.kit.markdown import TableCell
from wellworn.kit.words import load_phrases

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
    r"(?:ms|[smhdKMG]i?B?|bytes|seconds|minutes|hours|days|%)?(?!\w|\.\w)"
)
_DEFAULT: Final = re.compile(
    r"(?:(?<![\w-])(?:[Tt]he )?[Dd]efaults?(?: value)?(?:\*\*?|__?)?(?: is|:|=)(?:\*\*?|__?)?"
    r"|(?<![\w-])(?:Defaults to|[Bb]y default,? (?:it|this) is)|\(default(?: is|:)?)[ \t]+"
    rf"(?:`{{1,2}}(?P<code>[^`\n]{{1,60}})`{{1,2}}|\"(?P<quoted>[^\"\n]{{1,60}})\""
    rf"|(?P<bare>true|false|{_NUMBER}))"
    r"(?:\)?(?:[.,;]?[ \t]*$|[.;][ \t)]|,[ \t]+(?:and|with|but|which)\b|\)))",
    re.MULTILINE,
)
#: The same where all of a block is about one option.
_SAID: Final = re.compile(
    _DEFAULT.pattern.replace(
        r"|\(default(?: is|:)?)[ \t]+",
        r"|\(default(?: is|:)?|, default|:default:|^\W*(?:\(\w+\))?\W*[Dd]efaults to"
        r"|(?:The )?[Dd]efault \((?=[^()\n]{1,30}\)))[ \t]*",
    ),
    re.MULTILINE,
)
_HEAD: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:\.\. (?:[\w-]+:)?(?:\w*option|confval|envvar)::[ \t]+"
    r"(?P<directive>\S.*)"
    rf"|(?P<ticks>`{{1,2}})(?P<name>{_OPTION})(?P=ticks)"
    rf"|[-*+][ \t]+(?:\*\*)?`(?P<item>{_OPTION})(?:[ =][^`\n]{{1,40}})?`[^\n]*)[ \t]*$",
    re.MULTILINE,
)
_NESTED: Final = re.compile(rf"^[ \t]*[-*+][ \t]+(?:\*\*)?`{_OPTION}", re.MULTILINE)
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
_NOTHING: Final = re.compile(rf"\W*|x|\W*(?:{load_phrases(__name__, 'no_values')})\b.*")
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
    value = TypedSpan(DETAIL, start, end)
    yield from build_claims(
        Subject(term(name)), "default", value, snippet=line.span, confidence=0.9
    )


def find_described_options(reading: Reading) -> Iterator[FactSpan]:
    """Yield the default of each option whose description is the indented block below it.

    Such are the directives and definition lists of reStructuredText, and items of lists in
    Markdown; what is stated beside the name is found line by line.
    """
    about = subject_of(reading)
    for head in _HEAD.finditer(reading.text):
        if head["item"] and _DEFAULT.search(head[0]):
            continue
        end = _find_end(reading.text, head.end(), len(head["indent"].expandtabs()))
        nested = _NESTED.search(reading.text, head.end(), end) if head["item"] else None
        end = nested.start() if nested else end
        named = head["name"] or head["item"]
        names = [named] if named else _FLAG.findall(head["directive"])
        stated = {"default": _find_said(reading.text, head.end(), end)}
        if head["directive"]:
            stated[""] = _find_purpose(reading.text, head.end(), end)
        for attribute, value in stated.items():
            for name in names:
                if value is not None and (name.startswith("-") or is_special(name)):
                    yield from build_claims(
                        Subject(term(name), within=about),
                        attribute,
                        value,
                        snippet=(head.start() + len(head["indent"]), value.end),
                        confidence=0.9,
                    )


def _find_said(text: str, start: int, end: int) -> TypedSpan | None:
    """Return the default that a description states, if it is one alone and holds in every case."""
    stated = list(_SAID.finditer(text, start, end))
    if len(stated) != 1:
        return None
    [match] = stated
    around = text[max(text.rfind(". ", start, match.start()), start) : match.start()]
    if _CASES.search(f"{around} {text[match.end() : end].partition('.')[0]}"):
        return None
    return TypedSpan(DETAIL, *match.span(match.lastgroup or 0))


def _find_purpose(text: str, start: int, end: int) -> TypedSpan | None:
    """Return the first sentence of a description."""
    begin = start + len(text[start:end]) - len(text[start:end].lstrip())
    span = cut(text, begin, paragraph_end(text, begin))
    return TypedSpan(SUMMARY, *span) if is_said(text[slice(*span)]) else None


def _find_end(text: str, start: int, indent: int) -> int:
    """Return where the lines end that are further in than some indent."""
    end = at = min(start + 1, len(text))
    while at < len(text) and at - start < _MOST_DESCRIBED:
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop + 1
        line = text[at:stop].expandtabs()
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        end = stop if line.strip() else end
        at = stop
    return end


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
