"""Which prompts are no search: they ask for highways, or for the outline of something; pure.

A few whole sentences of English are known, and nothing that is merely like them. Whatever else is
said, in whatever language, is a search. Choosing between ways to search is another matter and not
done: sending a question to one of them loses to asking all (docs/adr/0003-fusion.md).

Source: issue 4, point 6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 200
"""Characters of a prompt that may be more than a search."""


@dataclass(frozen=True, slots=True)
class Highways:
    """Asked for what several agents keep coming back to."""


@dataclass(frozen=True, slots=True)
class OutlineOf:
    """Asked for an outline; of the whole space when `name` is empty."""

    name: str = ""
    depth: int = 2


Request = Highways | OutlineOf

_PLEASE = r"(?:please )?(?:(?:can|could|would) you )?(?:please )?"
_SHOW = rf"{_PLEASE}(?:show|list|give|tell)(?: me)?(?: all)?(?: of)?(?: the| an| your)? "
_NOW = r"(?: (?:now|right now|today|here|at the moment|lately|these days))?"
_ROADS = r"(?:current |knowledge )?highways"
_OUTLINE = r"(?:outline|table of contents|list of contents)"
_KINDS = r"(?:topics|tags|documents|sessions|conversations)"

_TRENDING = tuple(
    re.compile(pattern + _NOW)
    for pattern in (
        r"what(?:'s| is) trending",
        r"(?:what|which) (?:thoughts|topics) are trending",
        rf"what are (?:the|your) {_ROADS}",
        rf"(?:what|which) {_ROADS} are there",
        rf"{_SHOW}(?:{_ROADS}|trending (?:thoughts|topics))",
    )
)
_OF_EVERYTHING = re.compile(rf"{_SHOW}(?:whole |full )?outline(?: of (?:everything|this space))?")
_OF_A_KIND = (
    re.compile(rf"{_SHOW}(?:known |available )?(?P<kind>{_KINDS})(?: there are| you have)?"),
    re.compile(rf"(?:what|which) (?P<kind>{_KINDS}) (?:are there|are known|do you have)"),
)
_OF_SOMETHING = re.compile(rf"(?:{_SHOW}|what(?:'s| is) the )?{_OUTLINE} (?:of|for) (?P<name>.+)")
_SAME_KIND = {"conversations": "sessions"}


def request_in(prompt: str) -> Request | None:
    """Return what a prompt asks for that is no search, or None: then it is one."""
    if len(prompt) > LONGEST:
        return None
    text = " ".join(prompt.replace("\u2019", "'").split()).rstrip("?.! ")
    folded = text.casefold()
    if any(pattern.fullmatch(folded) for pattern in _TRENDING):
        return Highways()
    if _OF_EVERYTHING.fullmatch(folded):
        return OutlineOf()
    for pattern in _OF_A_KIND:
        if listed := pattern.fullmatch(folded):
            return OutlineOf(_SAME_KIND.get(listed["kind"], listed["kind"]), depth=1)
    if named := _OF_SOMETHING.fullmatch(folded):
        # A name is known in any case; folding may change its length, so it stays folded.
        return OutlineOf(named["name"].removeprefix("the ").strip("'\"` "))
    return None
