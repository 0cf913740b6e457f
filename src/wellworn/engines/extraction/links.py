"""Where a link leads, if that says more than its words do: an address to find, follow and cite.

Many links of a document carry no knowledge: places in it, scripts, what only tracks its readers.
What is kept is written as Markdown does, so that readers know it in every kind of file.

Source: WHATWG URL Standard, section 4.4 (blanks in addresses); CommonMark 0.31, section 6.3.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.kit.markdown import LONGEST_TITLE

_SCHEMES: Final = frozenset({"ftp", "ftps", "git", "http", "https", "mailto", "sftp", "ssh", "tel"})
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]{0,30}):")
# What is longer is the state of a program; readers of Markdown do not look further either.
_LONGEST: Final = 400
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f]+")
_TRACKING: Final = re.compile(
    r"(?<=[?&])(?:utm_\w{1,40}|fbclid|gclid|msclkid|mc_[ce]id)=[^&#]{0,400}&?"
)
_LEFT_OVER: Final = re.compile(r"[?&](?=#|$)")
_ENCODED: Final = {ord(sign): f"%{ord(sign):02X}" for sign in ' ()<>[]\\`|"'}
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_NOT_SAID: Final = re.compile(r"^(?:https?://|mailto:|tel:)")


def is_whole(to: str) -> bool:
    """Tell whether an address says all by itself where it leads."""
    return _SCHEME.match(to) is not None


def target(written: str) -> str | None:
    """Return the address that a link leads to; None when it is no knowledge.

    It has no blanks and no brackets, so that it cannot end the link it is put into.
    """
    to = _UNSEEN.sub("", written).strip()
    if not to or to.startswith("#") or len(to) > _LONGEST:
        return None
    scheme = _SCHEME.match(to)
    if scheme and scheme[1].lower() not in _SCHEMES:
        return None
    to = f"https:{to}" if to.startswith("//") else to
    return _LEFT_OVER.sub("", _TRACKING.sub("", to)).translate(_ENCODED) or None


def format_link(text: str, to: str) -> str:
    """Return words as a link; as they are where they say the address themselves.

    Blanks around them stay, their line ends become blanks.
    """
    words = " ".join(text.split())
    if not words or _strip_scheme(words.strip("`*_ ")) == _strip_scheme(to):
        return text
    inner = words[1:-1] if words[0] == "[" and words[-1] == "]" else words
    # A bracket in the words would end the link too early.
    has_brackets = "[" in inner or "]" in inner
    whole = f"{words} ({to})" if has_brackets else f"[{inner}]({to})"
    return f"{' ' * text[0].isspace()}{whole}{' ' * text[-1].isspace()}"


def remove_links(text: str) -> str:
    """Return Markdown with the words of its links and pictures, and not where they lead."""
    return _LINK.sub(r"\1", text)


def format_title(text: str) -> str:
    """Return the words of a heading, which is a link as a whole or not at all."""
    is_link = _LINK.fullmatch(text) is not None and len(text) <= LONGEST_TITLE
    return text if is_link else remove_links(text)


def _strip_scheme(address: str) -> str:
    return _NOT_SAID.sub("", address.casefold()).rstrip("/")
