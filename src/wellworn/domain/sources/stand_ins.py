"""Stand-ins: what an address answers in the place of its page, such as an error or a form; pure.

Told by their form, never by their words: a page has become data or a form to fill in, has lost
nearly all that it said, or says what the site says at an address that nobody made.

Source: Bar-Yossef, Broder, Kumar, Tomkins, "Sic transit gloria telae", WWW 2004, for the last one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from wellworn.engines.extraction import FileKind
from wellworn.engines.retrieval.text import split_words

_NEVER_ERRORS: Final = frozenset({FileKind.PDF.value, FileKind.DOCX.value})
FORM: Final = "is_form"
"""In the metadata of a document: whether it is next to nothing but a form."""
_FEWEST_WORDS: Final = 20
"""Fewer are a page that is short at all times, of which an edit may leave as little."""
_NEARLY_NOTHING: Final = 0.25
_LITTLE: Final = 0.5
"""Of its words; a page that keeps more than that is the page."""
_MUCH_SHORTER: Final = 0.5
_NEXT_TO_NOTHING: Final = 0.1
_AS_ELSEWHERE: Final = 0.8
_URL_WORD: Final = re.compile(r"\w+")
_DATA: Final = re.compile(r"\s*(?:```\w*\s*)?([\[{]|<\?xml)")
_FENCE: Final = re.compile(r"\A```\w*\n|\n```\s*\Z")
_HOW_TO_GO_ON: Final = "what the page said is kept; sync again with confirm if that is right"


@dataclass(frozen=True, slots=True)
class Version:
    """The content of an address at one time.

    Attributes:
        kind: what it was read as.
        text: as it was read.
        is_form: whether it is next to nothing but a form to fill in.
        url: where it was read.
    """

    kind: str
    text: str
    is_form: bool = False
    url: str = ""

    @classmethod
    def from_metadata(cls, about: Mapping[str, Any], text: str, url: str) -> Version:
        """Return a version from what is noted of a document."""
        return cls(str(about.get("kind", "")), text, bool(about.get(FORM)), url)


def find_stand_in(
    before: Version, now: Version, ask_elsewhere: Callable[[], Version | None]
) -> str | None:
    """Return why what an address answers now is not its page; None where it may be.

    Args:
        before: the last good version.
        now: what it answers now.
        ask_elsewhere: returns what the site answers at an address that nobody made, if anything.
    """
    was, is_now = _name_form(before), _name_form(now)
    if now.kind not in _NEVER_ERRORS and was != is_now:
        return f"the address gave {was} and gives {is_now} now; {_HOW_TO_GO_ON}"
    before_words, now_words = _list_words(before), _list_words(now)
    share_left = len(before_words & now_words) / len(before_words) if before_words else 1.0
    if share_left >= _LITTLE:
        return None
    if now.is_form and not before.is_form:
        return (
            "the page is only a form to fill in now; give an auth_header if it asks who is there; "
            f"{_HOW_TO_GO_ON}"
        )
    shorter = len(now.text) / len(before.text)
    has_lost_it = (
        share_left < _NEARLY_NOTHING
        and shorter < _MUCH_SHORTER
        and len(before_words) >= _FEWEST_WORDS
    )
    if has_lost_it or shorter < _NEXT_TO_NOTHING:
        return f"the page has lost nearly all of its text; {_HOW_TO_GO_ON}"
    elsewhere = ask_elsewhere()
    if elsewhere is not None and _is_alike(now, elsewhere):
        return f"the site answers this at every address now; {_HOW_TO_GO_ON}"
    return None


def _name_form(version: Version) -> str:
    """Return what a version is to a reader: a page, a text, data."""
    if version.kind in {FileKind.PDF, FileKind.DOCX}:
        return f"a file ({version.kind})"
    if version.kind == FileKind.HTML:
        return "a web page"
    return "data" if _is_data(version.text) else "a text"


def _is_data(text: str) -> bool:
    """Tell whether a text is JSON or XML and nothing else."""
    begins = _DATA.match(text)
    if begins is None or begins[1] == "<?xml":
        return begins is not None
    try:
        json.loads(_FENCE.sub("", text))
    except (ValueError, RecursionError):
        return False
    return True


def _list_words(version: Version) -> set[str]:
    return set(split_words(version.text))


def _is_alike(now: Version, elsewhere: Version) -> bool:
    """Tell whether two versions say the same, but for the addresses that they repeat."""
    asked = {word for each in (now, elsewhere) for word in split_words(each.url)}
    asked |= {word.lower() for each in (now, elsewhere) for word in _URL_WORD.findall(each.url)}
    mine, others = _list_words(now) - asked, _list_words(elsewhere) - asked
    return len(mine & others) >= _AS_ELSEWHERE * len(mine | others)
