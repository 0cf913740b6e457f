"""Identifiers in a text: addresses, hosts, paths, names of settings, each with its exact place.

Agents must not guess them, so each is found as it is written and compared as exactly as its kind
allows: db-01 is never db-10. A text is read word by word, and every word is looked at once.

Source: measured errors of typed patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wellworn.domain.sources.identifier_kinds import (
    SEEN_BEFORE,
    IdentifierKind,
    is_only_told,
    kind_of,
    may_tell_kind,
)
from wellworn.kit.folding import FoldedText, fold_forms

_LONGEST_WORD: Final = 300
_UNSEEN: Final = r"\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_WORD: Final = re.compile(
    rf"[*_]{{0,3}}(?P<url>(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{{1,20}}://[^\s<>\"`|\\^{_UNSEEN}]++)"
    rf"|[^\s()\[\]<>\"'`|,;=?{_UNSEEN}]++"
)
_ONLY_SIGNS: Final = "#-=|*~+.:/<>!&^$%{}()[]\\\u2013\u2014\u2022\u2026"
"""Signs that nothing is an identifier of: what draws headings, lists, rules and tables."""
_AT_THE_BEGINNING: Final = "*_!&^${"
_AT_THE_END: Final = "([{*_!?:.,;&'\u2026\u2013\u2014"
_OPENED_BY: Final = {")": "(", "]": "[", "}": "{"}
_LONGEST_URL: Final = 2_000

_SIGNS: Final = frozenset(":@#/")
_COMPOUNDS: Final = (
    re.compile(r":(?P<port>\d{2,5})(?:/(?:tcp|udp))?"),
    re.compile(r"(?P<port>\d{1,5})/(?:tcp|udp)"),
    re.compile(r"(?:[\w.-]{1,64}@)?(?P<name>[A-Za-z0-9.-]{1,253})(?::(?P<port>\d{1,5}))?"),
    re.compile(r"(?P<name>[^:#]{1,300})(?:#[\w.-]{1,200}|:\d{1,7}(?:[:-]\d{1,7}){0,2})"),
)
_METHOD: Final = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) $")
_URL_HOST: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^/?#]{0,300}")
_LISTENING: Final = frozenset({IdentifierKind.HOST, IdentifierKind.IP})
_IN_ANY_CASE: Final = frozenset(
    {IdentifierKind.EMAIL, IdentifierKind.HEADER, IdentifierKind.HOST, IdentifierKind.IP}
)
_EXACT_WORD: Final = re.compile(
    r"(?=[^\d]{0,80}\d)(?!\d{1,9}[A-Za-z]{1,4}$)[0-9-]{0,80}+[A-Za-z][A-Za-z0-9-]{0,160}"
    r"|(?=.[\w.:/]{0,500}?[_.:/]\w)\w{1,200}+(?:[.:/]{1,2}+\w{1,200}+){0,8}"
)
_QUOTED: Final = re.compile(r"`([^`\s]{2,80})`")


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier in a text: `text[start:end]`, folded, is its value."""

    kind: IdentifierKind
    value: str
    start: int
    end: int


def find_identifiers(text: str, start: int = 0, end: int | None = None) -> list[Identifier]:
    """Return the identifiers of a text, or of full lines of it, in order; none overlaps another."""
    end = len(text) if end is None else end
    stretch = text[start:end]
    folded = FoldedText.of(stretch)
    if folded.text is stretch:
        return [*_iterate_identifiers(text, start, end)]
    return [
        Identifier(each.kind, each.value, start + first, start + last)
        for each in _iterate_identifiers(folded.text, 0, len(folded.text))
        for first, last in [folded.find_span(each.start, each.end)]
    ]


def normalize_identifier(value: str) -> str:
    """Return what is equal for two spellings of one identifier, and for nothing else."""
    value = fold_forms(value)
    if host := _URL_HOST.match(value):
        return host[0].casefold() + value[host.end() :]
    return value.casefold() if kind_of(value, "") in _IN_ANY_CASE else value


def extract_exact_terms(query: str) -> list[str]:
    """Return the words of a question that are to be found exactly as they are written."""
    query = fold_forms(query)
    placed = [(quoted.start(1), quoted[1]) for quoted in _QUOTED.finditer(query)]
    for start, end, is_url in _words(query, 0, len(query)):
        placed_in_word = [
            (identifier.start, identifier.value)
            for identifier in _in_word(query, start, end, is_url=is_url)
        ]
        if not placed_in_word and _EXACT_WORD.fullmatch(query, start, end):
            placed_in_word = [(start, query[start:end])]
        placed += placed_in_word
    return list(dict.fromkeys(word for _, word in sorted(placed)))


def _iterate_identifiers(text: str, first: int, last: int) -> Iterator[Identifier]:
    taken = first
    is_told = may_tell_kind(text[first:last])
    for start, end, is_url in _words(text, first, last, is_told=is_told):
        for identifier in _in_word(text, start, end, is_url=is_url):
            if identifier.start < taken:
                # What looks like a method before a path is the end of the identifier before it.
                yield Identifier(identifier.kind, text[start:end], start, end)
            else:
                yield identifier
            taken = identifier.end


def _words(
    text: str, first: int, last: int, *, is_told: bool = True
) -> Iterator[tuple[int, int, bool]]:
    """Yield start and end of each word without its punctuation, and whether it is a URL.

    Where nothing is told to be an identifier, what only that makes one is left out.
    """
    for match in _WORD.finditer(text, first, last):
        word = match[0]
        if word.isalpha() and word != "localhost":
            continue  # first, as nine of ten words are such
        if not word.strip(_ONLY_SIGNS):
            continue
        if not is_told and is_only_told(word.lstrip(_AT_THE_BEGINNING).rstrip(_AT_THE_END)):
            continue
        is_url = match.lastgroup == "url"
        start, end = match.span("url" if is_url else 0)
        if end - start > (_LONGEST_URL if is_url else _LONGEST_WORD):
            continue
        word = text[start:end]
        start += len(word) - len(word.lstrip(_AT_THE_BEGINNING))
        end = _end(text, start, end)
        if start < end:
            yield start, end, is_url


def _end(text: str, start: int, end: int) -> int:
    """Return where a word ends before its punctuation, and before a bracket it did not open."""
    if start < end and text[end - 1].isalnum():
        return end
    while start < end and not text.startswith("/*", end - 2):
        word = text[start:end]
        length = len(word.rstrip(_AT_THE_END))
        if length == len(word):
            opened = _OPENED_BY.get(word[-1], "")
            if not opened or word.count(opened) >= word.count(word[-1]):
                break
            length -= 1
        end = start + length
    return end


def _in_word(text: str, start: int, end: int, *, is_url: bool) -> Iterator[Identifier]:
    """Yield the identifier that a word is, else those it is made of."""
    if is_url:
        url = text[start:end].partition("](")[0]
        yield Identifier(IdentifierKind.URL, url, start, start + len(url))
        return
    if known := _identify(text, start, end):
        yield known
        return
    if _SIGNS.isdisjoint(text[start:end]):
        return
    for compound in _COMPOUNDS:
        if match := compound.fullmatch(text, start, end):
            yield from _split_compound(text, match)
            return


def _split_compound(text: str, match: re.Match[str]) -> Iterator[Identifier]:
    """Yield what has a name of its own in a word such as `root@db-01:22`."""
    has = match.groupdict()
    name = _identify(text, *match.span("name")) if "name" in has else None
    if name:
        yield name
    if has.get("port") and ("name" not in has or (name and name.kind in _LISTENING)):
        yield Identifier(IdentifierKind.PORT, match["port"], *match.span("port"))


def _identify(text: str, start: int, end: int) -> Identifier | None:
    """Return the identifier that a full word is."""
    seen = max(0, start - SEEN_BEFORE)
    before = text[max(seen, text.rfind("\n", seen, start) + 1) : start]
    kind = kind_of(text[start:end], before)
    if kind is None:
        return None
    if kind is IdentifierKind.ENDPOINT and (method := _METHOD.search(before)):
        start -= len(before) - method.start()
    return Identifier(kind, text[start:end], start, end)
