"""Links of documents as Markdown, where the address adds to the words.

Links within the document, scripts and tracking parameters are left out.

Source: WHATWG URL Standard, section 4.4 (blanks in addresses); CommonMark 0.31, section 6.3.
"""

from __future__ import annotations

import re
from typing import Final

from wellworn.kit.markdown import LONGEST_TITLE

_SCHEMES: Final = frozenset({"ftp", "ftps", "git", "http", "https", "mailto", "sftp", "ssh", "tel"})
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]{0,30}):")
# Anything longer is the state of a program.
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
    """Tell whether an address is absolute."""
    return _SCHEME.match(to) is not None


def target(written: str) -> str | None:
    """Return the cleaned address of a link, free of blanks and brackets; None to leave it out."""
    to = _UNSEEN.sub("", written).strip()
    if not to or to.startswith("#") or len(to) > _LONGEST:
        return None
    scheme = _SCHEME.match(to)
    if scheme and scheme[1].lower() not in _SCHEMES:
        return None
    to = f"https:{to}" if to.startswith("//") else to
    return _LEFT_OVER.sub("", _TRACKING.sub("", to)).translate(_ENCODED) or None


def format_link(text: str, to: str) -> str:
    """Return words as a Markdown link; unchanged where they are the address themselves.

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
    """Return Markdown with the words of its links and pictures, without their addresses."""
    return _LINK.sub(r"\1", text)


def format_title(text: str) -> str:
    """Return a heading that is nothing but one link, or else without its links."""
    is_link = _LINK.fullmatch(text) is not None and len(text) <= LONGEST_TITLE
    return text if is_link else remove_links(text)


def _strip_scheme(address: str) -> str:
    return _NOT_SAID.sub("", address.casefold()).rstrip("/")
