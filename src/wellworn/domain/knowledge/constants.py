"""Constants that lines of code define, and the versions that lines of text ask for or use.

    define('THUMB_WIDTH', 320);        const THUMB_WIDTH = 320;        #define THUMB_WIDTH 320
    - Perl >= 5.30                     It requires Perl 5.30 or later.

A constant is defined by a whole line; what is computed has no value that can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wellworn.domain.knowledge.claims import DETAIL, FactSpan, is_placeholder
from wellworn.domain.knowledge.entities import term
from wellworn.domain.knowledge.views import Line, Reading
from wellworn.kit.words import load_phrases

_NAME: Final = r"(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]+)"
_VALUE: Final = (
    r"(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{1,80})(?P=quote)"
    r"|(?P<bare>-?\d[\d._]{0,20}|true|false))"
)
_CONSTANTS: Final = tuple(
    re.compile(rf"^[ \t]*{form}[ \t]*(?://.*|/\*.*)?$", re.MULTILINE)
    for form in (
        rf"(?:defined\([^()\n]{{1,60}}\) or )?define\([\"']{_NAME}[\"'],[ ]?{_VALUE}\);",
        rf"(?:[a-z]+ ){{0,3}}const (?:[a-z]+ )?{_NAME}[ ]?=[ ]?{_VALUE};?",
        rf"#define[ \t]+{_NAME}[ \t]+{_VALUE}",
    )
)
_PRODUCT: Final = r"(?P<name>[A-Za-z][\w.+#]{0,30}(?: [A-Z][\w.+#]{0,30}){0,2})"
_LEAST: Final = r"(?:\+| or (?:later|newer|higher|above|greater))"
_ITEM: Final = re.compile(
    rf"[ \t]*[-*+][ \t]+(?:\*\*|`)?{_PRODUCT}(?:\*\*|`)?[ \t]*"
    r"(?:(?:>=|\u2265)[ \t]*v?(?P<least>\d{1,4}(?:\.\d{1,6}){0,3})(?![\w.]*\w)"
    rf"|v?(?P<version>\d{{1,4}}(?:\.\d{{1,6}}){{0,3}}){_LEAST})(?=[ \t]*$|[.,;:(]|[ \t]+[(\u2013-])"
)
_SENTENCE: Final = re.compile(
    rf"\b(?:{load_phrases(__name__, 'needing')}) "
    r"(?P<name>[A-Z][\w.+#]{0,30}?)[- ]v?(?P<version>\d{1,4}(?:\.\d{1,6}){0,3})"
    rf"{_LEAST}(?!\w)"
)
#: What the writer says is in use: "I run Mailgate 5.3".
_IN_USE: Final = re.compile(
    r"\b(?:I|[Ww]e) (?:run|use) (?P<name>[A-Z][\w+#-]{1,30})(?: [A-Z][\w-]{0,30})?"
    r"(?: version)? v?(?P<version>\d{1,4}(?:\.\d{1,6}){1,3})(?=[ ,;)]|\.?[ \t]*$|\. )"
)
_CONFIDENCE: Final = 0.85


def find_constants(reading: Reading) -> Iterator[FactSpan]:
    """Yield the value of each constant that a line of code defines."""
    text = reading.text
    for form in _CONSTANTS:
        for match in form.finditer(text):
            start, end = match.span("bare" if match["quoted"] is None else "quoted")
            if not is_placeholder(text[start:end]):
                first = match.start() + len(match[0]) - len(match[0].lstrip())
                yield FactSpan(
                    term(match["name"]),
                    "constant",
                    DETAIL,
                    start,
                    end,
                    first,
                    match.end(),
                    _CONFIDENCE,
                )


def find_versions(line: Line) -> Iterator[FactSpan]:
    """Yield the version of a product that a line says is in use, or the least that it asks for."""
    used = _IN_USE.search(line.text)
    match = used or _ITEM.match(line.text) or _SENTENCE.search(line.text)
    if match is None:
        return
    start, end = (line.start + place for place in match.span(match.lastgroup or 0))
    attribute = "version" if used else "minimum version"
    yield FactSpan(term(match["name"]), attribute, "version", start, end, *line.span, _CONFIDENCE)
