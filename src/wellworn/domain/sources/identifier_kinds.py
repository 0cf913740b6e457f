"""Tells what one word identifies, by its own shape and by what stands before it.

Each kind has a pattern that the full word must have; where a shape alone says too little, words
right before it decide: 1.2.3.4 is an address, and after "version" it is none. What could be two
kinds is the more usual one, and what could be no identifier at all is none.

Source: measured errors of typed patterns; IANA's root zone, the most used domains of it.
"""

from __future__ import annotations

import ipaddress
import re
from enum import StrEnum
from typing import Final

from wellworn.kit.words import load_phrases, load_words


class IdentifierKind(StrEnum):
    """The kind of thing that an identifier names."""

    IP = "ip"
    CIDR = "cidr"
    HOST = "host"
    URL = "url"
    ENDPOINT = "endpoint"
    PORT = "port"
    ENV = "env"
    HEADER = "header"
    PATH = "path"
    FLAG = "flag"
    VERSION = "version"
    TICKET = "ticket"
    EMAIL = "email"


_FILE_TYPES: Final = frozenset(load_words(__name__, "file_types"))
# The last labels of names that are hosts wherever they stand.
_DOMAINS: Final = frozenset(load_words(__name__, "domains"))
# Also words of code and prose: a host only after a name of more than letters.
_DOUBTFUL_DOMAINS: Final = frozenset(load_words(__name__, "doubtful_domains"))
_OBJECTS: Final = frozenset(load_words(__name__, "objects"))
_PRODUCTS: Final = re.compile(
    r"(?:node|next|nuxt|vue|react|express|three|d3|ember|backbone|chart|moment|socket\.io|p5)\.js"
    r"|(?:asp|ado|vb)\.net|socket\.io",
    re.IGNORECASE,
)
_NO_TICKETS: Final = frozenset(load_words(__name__, "standards"))
_HEADERS: Final = re.compile(
    r"X(?:-[A-Z0-9][A-Za-z0-9]{0,30}){1,6}"
    r"|(?:[A-Z][A-Za-z0-9]{1,20}-){1,4}(?:Token|Key|Id|ID|Signature|Secret|Auth|Nonce)"
    r"|Accept-(?:Charset|Encoding|Language|Ranges)|Access-Control-[A-Z][A-Za-z-]{2,30}"
    r"|(?:Proxy|WWW)-Auth(?:enticate|orization)|Cache-Control|Set-Cookie|User-Agent|Retry-After"
    r"|Content-(?:Disposition|Encoding|Language|Length|Range|Security-Policy|Type)"
    r"|If-(?:Match|Modified-Since|None-Match|Range|Unmodified-Since)|Last-Modified"
    r"|Strict-Transport-Security|Transfer-Encoding"
)
_EMAIL: Final = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,7}(?:[a-z]{2,24}|[A-Z]{2,24})"
)
_SCP: Final = re.compile(r"[\w.-]{1,64}@[A-Za-z0-9.-]{1,253}:(?!\d{1,5}$)[\w~./-]{1,400}")
_ADDRESS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?")
_ADDRESS_6: Final = re.compile(
    r"(?=[^.]{0,45}\d)[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:/\d{1,3})?"
)
_ENV: Final = re.compile(r"[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,12}")
_FLAG: Final = re.compile(r"--[a-z][a-z0-9]{0,30}(?:[-_.][a-z0-9]{1,30}){0,8}")
_TICKET: Final = re.compile(r"([A-Z][A-Z0-9]{1,9})-\d{1,6}|CVE-\d{4}-\d{4,7}")
_VERSION: Final = re.compile(
    r"[vV]?\d{1,5}(?:\.\d{1,5}){2,3}(?:[-+.]?[A-Za-z][\w.+-]{0,40})?|[vV]\d{1,4}(?:\.\d{1,5})?"
)
_SHORT_VERSION: Final = re.compile(r"\d{1,4}(?:\.\d{1,5}){1,4}(?:[-+.]?[A-Za-z][\w.+-]{0,40})?")
_HOST: Final = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z][A-Za-z0-9-]{0,22}[A-Za-z0-9]"
)
_MACHINE: Final = re.compile(
    rf"(?:{load_phrases(__name__, 'machine_roles')})(?:-[a-z][a-z0-9]{{0,20}}){{0,4}}-\d{{1,4}}"
)
_NAME_OF_MACHINE: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,6}")
_SEGMENTS: Final = re.compile(r"(?:[\w.@+~%*{}$-]{0,120}/){1,30}[\w.@+~%*{}$-]{0,120}")
_WINDOWS: Final = re.compile(r"[A-Za-z]:\\(?:[\w. $~-]{1,80}\\){0,20}[\w.$~-]{0,80}")
_FILE: Final = re.compile(r"\.?[\w-][\w.+-]{0,100}\.([A-Za-z0-9]{1,10})")
_ENDPOINT: Final = re.compile(
    r"/(?:(?:api|v\d{1,2}|graphql|rest|webhooks?|oauth2?|healthz?|metrics)(?:[/?{]|$)"
    r"|[\w/.-]{0,120}[{:][a-z_])"
)

_SAYS_VERSION: Final = re.compile(
    r"(?:\b(?:versions?|release[ds]?|rev(?:ision)?|v|ver\.?|upgrade[ds]? to|downgrade[ds]? to)"
    r"|[=<>~]=|\^)[\s:=`*|]{0,4}(?:is |was |from |to |of |number )?[\"'`*v]{0,3}$",
    re.IGNORECASE,
)
_SAYS_ADDRESS: Final = re.compile(
    r"\b(?:ip|ipv4|addr(?:ess)?|gateway|dns|subnet|network|ping|ssh)\b[^\w\n]{0,6}"
    r"(?:is |of )?\W{0,3}$",
    re.IGNORECASE,
)
_SAYS_PORT: Final = re.compile(
    r"\bports?\b[\s:=`*|]{0,6}(?:is |are |number )?(?:\d{1,5}[\s,/`]{1,4}(?:and |or )?){0,8}"
    r"[`*]{0,3}$",
    re.IGNORECASE,
)
_SAYS_HOST: Final = re.compile(
    r"\b(?:host(?:name)?|server|machine|ssh|ping)\b[\s:=`*|]{0,5}(?:is |called |named )?[`*]{0,3}$",
    re.IGNORECASE,
)
_SAYS_METHOD: Final = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[\s`*|\"']{1,6}$")

#: One of them is in all that a port or a host without a sign inside is told by.
_TELLING: Final = ("port", "host", "server", "machine", "ssh", "ping")

SEEN_BEFORE: Final = 80
"""Characters before a word that are looked at."""
_NEAR: Final = 32
_HIGHEST_PORT: Final = 65_535


def kind_of(word: str, before: str) -> IdentifierKind | None:
    """Return what a word names; None for an ordinary one.

    Args:
        word: without the punctuation around it.
        before: the last characters before it, on the same line.
    """
    if word.isalpha() and word != "localhost":
        return None
    # Most of the others, and neither a number nor a sign can be more.
    if word.isdecimal() or len(word) == 1:
        return IdentifierKind.PORT if _is_port(word, before) else None
    # Without a sign inside it is none of the kinds that have one.
    for kind, is_one in _WITHOUT_SIGN if word.isalnum() else _KINDS:
        if is_one(word, before):
            return kind
    return None


def is_only_told(word: str) -> bool:
    """Tell whether a word is an identifier only where words before it say so: a port, a host."""
    return word.isalnum() and word[0] not in "vV" and word != "localhost"


def may_tell_kind(text: str) -> bool:
    """Tell whether a text, folded, may have words that say of others that they are identifiers."""
    lowered = text.lower()
    return any(word in lowered for word in _TELLING)


def is_code_before(before: str) -> bool:
    """Tell whether a word stands in back quotes."""
    return before.endswith("`")


def _is_email(word: str, _before: str) -> bool:
    return "@" in word and _EMAIL.fullmatch(word) is not None


def _is_url(word: str, _before: str) -> bool:
    return "@" in word and _SCP.fullmatch(word) is not None


def _is_address(word: str, before: str) -> bool:
    if ":" in word:
        return _ADDRESS_6.fullmatch(word) is not None and _is_network(word)
    if not _ADDRESS.fullmatch(word) or not _is_network(word):
        return False
    return (
        not _SAYS_VERSION.search(before[-_NEAR:])
        or _SAYS_ADDRESS.search(before[-_NEAR:]) is not None
    )


def _is_network(word: str) -> bool:
    try:
        ipaddress.ip_interface(word)
    except ValueError:
        return False
    return True


def _is_ip(word: str, before: str) -> bool:
    return "/" not in word and _is_address(word, before)


def _is_cidr(word: str, before: str) -> bool:
    return "/" in word and _is_address(word, before)


def _is_port(word: str, before: str) -> bool:
    if not word.isdecimal() or len(word) > len(str(_HIGHEST_PORT)):
        return False
    return 0 < int(word) <= _HIGHEST_PORT and _SAYS_PORT.search(before) is not None


def _is_env(word: str, _before: str) -> bool:
    return "_" in word and _ENV.fullmatch(word) is not None


def _is_header(word: str, _before: str) -> bool:
    return "-" in word and _HEADERS.fullmatch(word) is not None


def _is_flag(word: str, _before: str) -> bool:
    return word.startswith("--") and _FLAG.fullmatch(word) is not None


def _is_ticket(word: str, _before: str) -> bool:
    match = _TICKET.fullmatch(word)
    return match is not None and match[1] not in _NO_TICKETS


def _is_version(word: str, before: str) -> bool:
    if not word[:1].isdigit() and word[:1] not in "vV":
        return False
    if _VERSION.fullmatch(word):
        return True
    return (
        _SHORT_VERSION.fullmatch(word) is not None
        and _SAYS_VERSION.search(before[-_NEAR:]) is not None
    )


def _is_endpoint(word: str, before: str) -> bool:
    if not word.startswith("/") or len(word) == 1:
        return False
    return _SAYS_METHOD.search(before[-_NEAR:]) is not None or _ENDPOINT.match(word) is not None


def _is_path(word: str, before: str) -> bool:
    if "\\" in word:
        return _WINDOWS.fullmatch(word) is not None
    if "/" not in word:
        return _is_file(word)
    if not _SEGMENTS.fullmatch(word) or not any(map(str.isalpha, word)):
        return False
    if word.startswith(("/", "~/", "./", "../")) or is_code_before(before):
        return len(word) > len("/x")
    return _is_file(word.rpartition("/")[2]) or (word.endswith("/") and word[0].isalnum())


def _is_file(name: str) -> bool:
    match = _FILE.fullmatch(name)
    if match is None:
        return name in {".env", ".gitignore", ".dockerignore", ".editorconfig", ".npmrc", ".netrc"}
    return match[1].lower() in _FILE_TYPES and not _PRODUCTS.fullmatch(name)


def _is_host(word: str, before: str) -> bool:
    if word == "localhost" or ("-" in word and _MACHINE.fullmatch(word)):
        return True
    if "." not in word:
        is_name = any(map(str.isdigit, word)) and _NAME_OF_MACHINE.fullmatch(word) is not None
        return is_name and _SAYS_HOST.search(before[-_NEAR:]) is not None
    if not _HOST.fullmatch(word) or _PRODUCTS.fullmatch(word):
        return False
    first, *_, last = word.split(".")
    if last.istitle() or first.lower() in _OBJECTS:
        return False
    is_plain = first.isalpha() and word.count(".") == 1
    return last.lower() in _DOMAINS or (last.lower() in _DOUBTFUL_DOMAINS and not is_plain)


_WITHOUT_SIGN = (
    (IdentifierKind.VERSION, _is_version),
    (IdentifierKind.HOST, _is_host),
)
_KINDS = (
    (IdentifierKind.URL, _is_url),
    (IdentifierKind.EMAIL, _is_email),
    (IdentifierKind.CIDR, _is_cidr),
    (IdentifierKind.IP, _is_ip),
    (IdentifierKind.PORT, _is_port),
    (IdentifierKind.FLAG, _is_flag),
    (IdentifierKind.ENV, _is_env),
    (IdentifierKind.TICKET, _is_ticket),
    (IdentifierKind.HEADER, _is_header),
    (IdentifierKind.ENDPOINT, _is_endpoint),
    (IdentifierKind.PATH, _is_path),
    *_WITHOUT_SIGN,
)
