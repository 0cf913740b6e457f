"""Cases that a value holds in alone: "port 9508 in production", "30 seconds if TLS is on".

Such a value is no fact: it is quoted with its case, and the reader sees whether it is theirs.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.domain.knowledge.attributes import is_plain, load_attributes, split_words
from wellworn.domain.knowledge.claims import STAGES
from wellworn.kit.words import load_phrases, load_words

_LINKS: Final = frozenset(load_words(__name__, "case_links"))
_BEGINS: Final = (
    rf"(?P<case>(?:{load_phrases(__name__, 'case_links')})[ \t]"
    rf"(?!(?:{load_phrases(__name__, 'all_cases')})\b)"
)
_MARKS: Final = r"[\s`*_\"'\],]*+"
_CASE: Final = re.compile(
    rf"{_MARKS}[(#\u2013\u2014-]*+[ \t]*+{_BEGINS}(?:(?!\b(?:and|or|but)\b)[^.,;()|\n])*)",
    re.IGNORECASE,
)
_STAGE: Final = re.compile(
    rf"{_MARKS}\((?P<case>(?:{'|'.join(STAGES)})(?: only)?)\)", re.IGNORECASE
)
#: Another value behind one, with a case of its own: which holds otherwise is not said.
_OTHER: Final = re.compile(
    rf"{_MARKS}(?:[(;/]|\b(?:and|or|but)\b)[^.|\n0-9]*+[0-9][^.|\n]*?"
    rf"\b(?:{load_phrases(__name__, 'case_links')}|otherwise)\b",
    re.IGNORECASE,
)
#: Which machine of several: where something runs, and no condition.
_MACHINE: Final = re.compile(r"`?[a-z]+-[0-9]+`?")
_LONGEST: Final = 200


def is_of_case(text: str, begin: int, value: tuple[int, int]) -> bool:
    """Tell whether a value holds in one case alone, rather than in any.

    Args:
        text: the document's.
        begin: where that begins which says the value.
        value: where the value stands.
    """
    start, end = value
    is_linked = text.endswith("](", begin, start)
    behind = text[end + is_linked : end + _LONGEST]
    match = _CASE.match(behind) or _STAGE.match(behind)
    is_case = match is not None and not _says_more(match["case"])
    return is_case or _OTHER.match(behind) is not None


def _says_more(case: str) -> bool:
    """Tell whether what seems a case only says more: "on port 80", "in VLAN 20", "on `fir-2`"."""
    telling = [word for word in split_words(case) if not (is_plain(word) or word in _LINKS)]
    attribute = load_attributes().get(telling[0]) if telling else None
    is_typed = attribute is not None and bool(attribute.types)
    return not telling or is_typed or _MACHINE.fullmatch(telling[0]) is not None
