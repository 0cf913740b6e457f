"""Looking something up in documentation: "what is X?" over sections of Markdown.

Nobody judged anything here. A heading that stands over one section only and says something
becomes a question, and the section is its answer. With headings shown it is a look-up by name,
asked plainly, in small letters, and with two letters swapped; with headings hidden the body must
be found by what it means.

Source: the Markdown of any repositories, one folder each.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.retrieval.models import Corpus, Doc, Query
from benchmarks.retrieval.tasks.splits import Split, is_kept

_SHORTEST_BODY: Final = 200
_SHORTEST_HEADING: Final = 4
_MOST_WORDS: Final = 8
_ONE_IN: Final = 4
_FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING: Final = re.compile(r"#{1,5}\s+(.*)")
_ATTRIBUTES: Final = re.compile(r"\s*\{[^}]*\}\s*$")
_MARKS: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)|[`*]")
_SAYS_NOTHING: Final = re.compile(
    "overview|introduction|example|usage|install|configur|note|next step|see also|summary|setup"
    "|requirement|prerequisite|feature|option|parameter|argument|reference|getting started|faq"
    "|limitation|what's next|quick ?start|step|additional|more|other|advanced|basic|common",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """The text between one heading and the next; `id` is the file's path and a number."""

    id: str
    file: str
    heading: str
    body: str


def headings_shown(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield all sections with their headings, asked for by name in three forms."""
    sections = list(_sections(data / "docs"))
    docs = tuple(
        Doc(one.id, f"{one.heading}\n{one.body}", one.file, position=n, extra=one.heading)
        for n, one in enumerate(sections)
    )
    queries = tuple(
        Query(f"{one.id}/{form}", text, frozenset({one.id}), form)
        for one in _asked(sections, split)
        for form, text in _forms(one.heading).items()
    )
    yield Corpus("docs-shown", docs, queries)


def headings_hidden(data: Path, split: Split) -> Iterator[Corpus]:
    """Yield all sections without their headings, asked for by name."""
    sections = list(_sections(data / "docs"))
    docs = tuple(Doc(one.id, one.body, one.file, position=n) for n, one in enumerate(sections))
    queries = tuple(
        Query(f"{one.id}/plain", f"what is {one.heading}?", frozenset({one.id}), "plain")
        for one in _asked(sections, split)
    )
    yield Corpus("docs-hidden", docs, queries)


def _sections(folder: Path) -> Iterator[Section]:
    for path in sorted(folder.rglob("*.md")):
        file = str(path.relative_to(folder))
        parts = _parts(path.read_text("utf-8", errors="replace"))
        for number, (heading, body) in enumerate(parts):
            yield Section(f"{file}#{number}", file, heading, body)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield heading and body of what is not empty; a `#` inside a code fence is no heading."""
    heading, body, is_fenced = "", list[str](), False
    for line in _FRONT_MATTER.sub("", text).splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_fenced = not is_fenced
        match = None if is_fenced else _HEADING.match(line)
        if match is None:
            body.append(line)
            continue
        if "".join(body).strip():
            yield heading, "\n".join(body).strip()
        heading, body = _plain(match[1]), []
    if "".join(body).strip():
        yield heading, "\n".join(body).strip()


def _plain(title: str) -> str:
    return _MARKS.sub(r"\1", _ATTRIBUTES.sub("", title)).strip()


def _asked(sections: list[Section], split: Split) -> Iterator[Section]:
    """Yield every fourth, by a fixed toss, of the sections that their heading names."""
    named: defaultdict[str, list[Section]] = defaultdict(list)
    for section in sections:
        named[section.heading.lower()].append(section)
    for key, (first, *others) in named.items():
        toss = zlib.crc32(key.encode()) % (2 * _ONE_IN)
        is_asked = toss % _ONE_IN == 0 and is_kept(split, is_dev=toss < _ONE_IN)
        if is_asked and not others and _says_something(first):
            yield first


def _says_something(section: Section) -> bool:
    return (
        len(section.body) >= _SHORTEST_BODY
        and len(section.heading) >= _SHORTEST_HEADING
        and len(section.heading.split()) <= _MOST_WORDS
        and _SAYS_NOTHING.match(section.heading) is None
    )


def _forms(heading: str) -> dict[str, str]:
    middle = len(heading) // 2
    swapped = heading[middle] + heading[middle - 1]
    mistyped = heading[: middle - 1] + swapped + heading[middle + 1 :]
    return {
        "plain": f"what is {heading}?",
        "lower": heading.lower(),
        "typo": f"what is {mistyped.lower()}?",
    }
