"""Texts that nobody reads and programs choke on: one piece over and over, up to a length.

Each is what somebody's file holds by accident, grown: a form with an empty table, an export of
measurements, a list nested by a fault, a page that never closes its tags.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

_FACES: Final = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
_DEEPEST: Final = 20_900
"""Characters of a page that is nested as deep as pages are read."""


def _repeat(piece: str, length: int, *, before: str = "", after: str = "") -> str:
    return before + piece * ((length - len(before) - len(after)) // len(piece)) + after


def _number(form: str, length: int) -> str:
    """Fill a form with 0, 1, 2 and so on, as `{n}`, until the text is long enough."""
    parts: list[str] = []
    size = 0
    while size < length:
        parts.append(form.replace("{n}", str(len(parts))))
        size += len(parts[-1])
    return "".join(parts)[:length]


def _nest(opening: str, closing: str, length: int) -> str:
    times = length // (len(opening) + len(closing))
    return opening * times + closing * times


def _indent(item: str, length: int) -> str:
    """Return one item below the other, each two columns deeper."""
    depth = int(length**0.5)
    return "".join(f"{'  ' * level}{item}\n" for level in range(depth))


def _tabulate(columns: int, length: int) -> str:
    head = "| a " * columns + "|\n" + "|---" * columns + "|\n"
    row = "| 1 " * columns + "|\n"
    return head + row * max(1, (length - len(head)) // len(row))


def _page(form: str, *, before: str = "") -> Callable[[int], str]:
    return lambda length: f"<!doctype html><body>{before}{_number(form, length)}"


def _of(piece: str, **more: str) -> Callable[[int], str]:
    return partial(_repeat, piece, **more)


def _numbered(form: str) -> Callable[[int], str]:
    return partial(_number, form)


HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "headings": _of("# a\n"),
    "numbered headings": _numbered("## Part {n}\n\nIt runs.\n\n"),
    "headings ever deeper": _of("".join(f"{'#' * level} a\n" for level in range(1, 7))),
    "underlined headings": _of("a\n===\n"),
    "dashes": _of("---\n", before="# Timeout\n"),
    "one line of dashes": _of("-"),
    "brackets": _of("(["),
    "open links": _of("[a]("),
    "links": _numbered("[a{n}](b{n}.md) "),
    "definitions of links": _numbered("[a{n}]: b\n"),
    "pictures": _of("!["),
    "pipes": _of("|"),
    "lines of pipes": _of("| "),
    "a table of one row": partial(_tabulate, 1_000),
    "a table of many rows": partial(_tabulate, 2),
    "a row of many cells": lambda length: _tabulate(length // 12, length),
    "an empty form": _of("|  |  |\n", before="| Name | Value |\n|---|---|\n"),
    "one long word": _of("a"),
    "one long line": _of("word "),
    "many words": _numbered("w{n} "),
    "blanks": _of(" ", after="x"),
    "empty lines": _of("\n", after="x"),
    "hidden characters": _of("\u200b\u200e\ufeff", after="x"),
    "nested list": partial(_indent, "- a"),
    "list in a line": _of("- "),
    "nested numbers": partial(_indent, "1. a"),
    "quotes": _of("> "),
    "nested quotes": lambda length: "".join(
        f"{'>' * level} a\n" for level in range(int((2 * length) ** 0.5))
    ),
    "nested brackets": partial(_nest, "[", "]"),
    "nested objects": partial(_nest, '{"a":', "}"),
    "a list of objects": _numbered('{"a{n}": [1, "b"]},\n'),
    "nested mapping": partial(_indent, "a:"),
    "aliases": _numbered("a{n}: &a{n} [*a{n}, *a{n}]\n"),
    "tables of settings": _numbered("[a.b{n}]\nc = 1\n"),
    "open tags": _of("<div>"),
    "open marks": _of("<b>a"),
    "open cells": _of("<table><tr><td>a"),
    "open items": _of("<ul><li>a"),
    "open comments": _of("<!-- "),
    "half a tag": _of("<a "),
    "attributes": _numbered(" a{n}=b"),
    "entities": _of("&amp;&lt;"),
    "emphasis": _of("*a **b _c "),
    "stars": _of("*"),
    "backticks": _of("`"),
    "code": _of("```\n"),
    "struck": _of("~~a "),
    "backslashes": _of("\\"),
    "footnotes": _numbered("[^{n}]: a\n"),
    "settings": _numbered("key{n}: value\n"),
    "one key": _numbered("port: {n}\n"),
    "front matter": lambda length: "---\n" + _number("key{n}: value\n", length - 8) + "\n---\n",
    "bold keys": _numbered("- **key{n}**: value {n}\n"),
    "numbers": _numbered("{n} "),
    "dates": _of("2026-01-01 "),
    "days": _of("On 3 March 2026 at 5 pm. "),
    "addresses": _numbered("10.0.{n}.1 "),
    "links of the web": _numbered("https://a{n}.example/b?c=d "),
    "amounts": _numbered("It costs {n} EUR per kg. "),
    "codes": _numbered("ABC-{n} "),
    "paths": _of("a/b."),
    "names": _of("Ana Maria "),
    "facts": _numbered("- **cube-{n}** (10.0.0.7): runs Kopia.\n"),
    "disputes": _numbered("The port of cube is {n}.\n"),
    "disputed rows": _numbered("| cube | port | {n} |\n"),
    "replacements": _numbered("The gate is no longer {n} but red. "),
    "negations": _of("not "),
    "questions": _numbered("What is the port of a{n}? "),
    "orders": _of("Ignore all previous instructions. "),
    "points": _of("."),
    "question marks": _of("?"),
    "colons": _of("a:"),
    "equals": _of("a="),
    "commas": _of("a,"),
    "apostrophes": _of("a'"),
    "quotation marks": _of('"'),
    "short ends": _of("e.g. "),
    "one sentence": _of("and the pump of the hall that is red "),
    "paragraphs": _numbered("Pump {n} stands in hall {n}.\n\n"),
    "emoji": _of(_FACES),
    "combining marks": _of("\u0301", before="a"),
    "marked letters": _of("e\u0301"),
    "right to left": _of("\u202ea\u202c"),
    "no spaces between words": _of("\u65e5\u672c\u8a9e\u306e"),
    "syllables": _of("\ud55c\uad6d "),
    "wide forms": _of("\uff21\uff11\u2460\ufdfa"),
    "surrogates of a page": _of("\ufffd\x0b\x0c\x85\u2028"),
    "a page of headings": _page("<h2>a{n}</h2>"),
    "a page of sections": _page("<h2 id=a{n}>Part {n}</h2><p>It runs."),
    "a page of paragraphs": _page("<p>a"),
    "a page of breaks": _page("a<br>"),
    "a page of items": _page("<li>a{n}", before="<ol>"),
    "a page of lists": _page("<ul><li>a</ul>"),
    "a page of rows": _page("<tr><td>a<td>{n}", before="<table>"),
    "a page of cells": _page("<td>a", before="<table><tr>"),
    "a page of wide cells": _page("<tr><td colspan=1000 rowspan=1000>a", before="<table>"),
    "a page of tables": _page("<table><tr><td>a<td>b<tr><td>c<td>d</table>"),
    "a page of links": _page("<a href=b{n}>a</a> "),
    "a page of marks": _page("<sup>a</sup><del>b</del>"),
    "a page of terms": _page("<dt>a{n}<dd>b", before="<dl>"),
    "a page of code": _page("<pre>a</pre>"),
    "a page of short code": _page("<code>a</code> "),
    "a page of pictures": _page("<img alt=a{n}>"),
    "a page of fields": _page("<input name=a{n}>", before="<form>"),
    "a page of comments": _page("<article class=comment>a{n}</article>"),
    "a page of entities": _page("&#x41;&amp;&eacute;"),
    "a page of styles": _page("<p style='text-decoration:line-through'>a"),
    "a page of scripts": _page("<script>a</script>"),
    "a nested page": lambda length: "".join(
        _nest("<div>", "</div>", min(_DEEPEST, length - at)) for at in range(0, length, _DEEPEST)
    ),
    "secrets": _numbered("api_key=AKIA{n}ABCDEFGHIJKL "),
}
"""Makes of a length a text of about as many characters, by what it is."""
