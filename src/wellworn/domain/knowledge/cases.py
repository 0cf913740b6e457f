"""Cases that a value holds in alone: "port 9508 in production", "30 seconds if TLS is on".

A fact of a case has it in what it is called, and answers only a question that names the case: all
that its words say, and what they deny.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wellworn.domain.knowledge.attributes import is_plain, list_stems, load_attributes, split_words
from wellworn.domain.knowledge.claims import STAGES, IdentifierIndex, TypedSpan, find_typed_value
from wellworn.domain.knowledge.entities import term
from wellworn.kit.words import load_phrases, load_words

_LINKS: Final = frozenset(load_words(__name__, "case_links"))
_DENYING: Final = frozenset(load_words(__name__, "denying"))
_BEGINS: Final = (
    rf"(?P<case>(?:{load_phrases(__name__, 'case_links')})[ \t]"
    rf"(?!(?:{load_phrases(__name__, 'all_cases')})\b)"
)
_MARKS: Final = r"[\s`*_\"'\],]*"
_CASE: Final = re.compile(
    rf"{_MARKS}[(#\u2013\u2014-]*[ \t]*{_BEGINS}(?:(?!\b(?:and|or|but)\b)[^.,;()|\n])*)",
    re.IGNORECASE,
)
_STAGE: Final = re.compile(
    rf"{_MARKS}\((?P<case>(?:{'|'.join(STAGES)})(?: only)?)\)", re.IGNORECASE
)
#: Another value behind one, with a case of its own: which holds otherwise is not said.
_OTHER: Final = re.compile(
    rf"{_MARKS}(?:[(;/]|\b(?:and|or|but)\b)[^.|\n]*?[0-9][^.|\n]*?"
    rf"\b(?:{load_phrases(__name__, 'case_links')}|otherwise)\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(r"[\s`*_\"')\],;]*(?:(?:and|or|but|on|at|to|port)\b[\s`]*)*")
_PORT: Final = re.compile(r"[0-9]{1,5}(?![\w.:])")
#: Which machine of several: where something runs, and no condition.
_MACHINE: Final = re.compile(r"`?[a-z]+-[0-9]+`?")
_OTHERWISE: Final = "otherwise"
_LONGEST: Final = 200


def find_case(text: str, begin: int, value: tuple[int, int]) -> str:
    """Return the case, folded, in which alone a value holds; empty where it holds in any.

    Args:
        text: the document's.
        begin: where that begins which says the value.
        value: where the value stands.
    """
    start, end = value
    is_linked = text.endswith("](", begin, start)
    behind = text[end + is_linked : end + _LONGEST]
    match = _CASE.match(behind) or _STAGE.match(behind)
    if match is not None and not _says_more(match["case"]):
        return term(match["case"])
    return _OTHERWISE if _OTHER.match(behind) else ""


def find_further(evidence: IdentifierIndex, first: TypedSpan, end: int) -> Iterator[TypedSpan]:
    """Yield the values that follow one of a case, each for another one."""
    text, value = evidence.text, first
    while case := _CASE.match(text, value.end, end):
        between = _BETWEEN.match(text, case.end(), end)
        start = between.end() if between else case.end()
        port = _PORT.match(text, start, end) if first.fact_type == "port" else None
        values = (
            [TypedSpan("port", *port.span())]
            if port
            else [find_typed_value(each, "", text) for each in evidence.find_values(start, end)[:1]]
        )
        following = next(iter(values), None)
        if following is None or following.fact_type != first.fact_type:
            return
        yield following
        value = following


def split_case(attribute: str) -> tuple[str, str]:
    """Return what a value is called, and the case it holds in; empty where it holds in any."""
    name, _, case = attribute.partition(" (")
    return (name, case[:-1]) if case.endswith(")") else (attribute, "")


def is_met(attribute: str, wording: str) -> bool:
    """Tell whether a value holds in any case, or in one that a question or its context names."""
    case = split_case(attribute)[1]
    marks = list_stems(" ".join(_list_telling(case)))
    is_named = case != _OTHERWISE and bool(marks) and marks <= list_stems(wording)
    return not case or (is_named and _denies(case) == _denies(wording))


def _list_telling(text: str) -> list[str]:
    return [word for word in split_words(text) if not (is_plain(word) or word in _LINKS)]


def _denies(text: str) -> bool:
    return not _DENYING.isdisjoint(split_words(text))


def _says_more(case: str) -> bool:
    """Tell whether what seems a case only says more: "on port 80", "in VLAN 20", "on `fir-2`"."""
    telling = _list_telling(case)
    attribute = load_attributes().get(telling[0]) if telling else None
    is_typed = attribute is not None and bool(attribute.types)
    return not telling or is_typed or _MACHINE.fullmatch(telling[0]) is not None
