"""The discovery layer as files: catalog, hot terms, tree, unknowns, aliases, and the preamble.

They are read by models and by people, and made of text that others wrote: so every entry is one
line, markup in it says nothing, and nothing in it passes for a control token.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from types import MappingProxyType
from typing import Final

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import UnknownTerm
from wellworn.domain.knowledge.commonness import is_common
from wellworn.domain.knowledge.digests import DocumentDigest
from wellworn.domain.knowledge.entities import key, term
from wellworn.domain.knowledge.summaries import folder_summary
from wellworn.domain.knowledge.terms import HotTerm, least_of_a_template
from wellworn.domain.sources import format_citation
from wellworn.engines.safety import neutralise
from wellworn.kit.text import CHARACTERS_A_TOKEN
from wellworn.kit.words import load_table

_LONGEST_LINE: Final = 300
_WIDEST: Final = 60
"""Characters to which the cells of a column are filled up; blanks cost the reader too."""
_DEEPEST: Final = 5
_READMES: Final = ("readme.md", "index.md", "overview.md", "agents.md", "readme.txt", "_index.md")

NOT_STATED: Final = "known, but this is not stated"
NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_SEVERAL: Final = 2
"""Documents in which a name stands that somebody should explain."""
_MOST_UNEXPLAINED: Final = 50
MOST_LISTED: Final = 2_000
"""Documents that the catalog lists one by one."""
_ENTRY: Final = re.compile(
    r"- \*\*(?:(?P<top>[^/*]{1,200})/)?[^*]*\*\*(?: - (?P<more>[0-9]{1,9}) (?:more )?documents$)?"
)


def render_catalog(digests: Iterable[DocumentDigest], *, most: int = MOST_LISTED) -> str:
    """Return catalog.md: a line for each document, by source.

    Of more than `most` documents each folder lists its first, and says how many more there are.
    """
    digests = list(digests)
    sizes = Counter((digest.source, _list_folder(digest)) for digest in digests)
    shown = _count_shown(list(sizes.values()), most)
    lines = ["# Knowledge Base Catalog", ""]
    for source, members in _by_source(digests).items():
        lines += [f"## {_line(source)}", ""]
        usual = _usual_headings(members)
        if len(digests) > most:
            members.sort(key=lambda digest: (_list_folder(digest), digest.path))
        for folder, of_folder in groupby(members, _list_folder):
            documents = list(of_folder)
            for member in documents[:shown]:
                about = _line(member.summary.render(without=usual) or member.title)
                named = f"- **{_name(member.path)}**"
                lines.append(f"{named} - {about}" if about else named)
            more = len(documents) - shown
            if more > 0:
                lines.append(f"- **{_name(folder)}** - {more} {'more ' if shown else ''}documents")
        lines.append("")
    return "\n".join(lines)


def _list_folder(digest: DocumentDigest) -> str:
    """Return the folder of a document, or the site of a page."""
    return f"{digest.path.rpartition('/')[0]}/"


def _count_shown(sizes: Sequence[int], most: int) -> int:
    """Return how many documents each folder may list, if no more than `most` are listed."""
    shown = max(sizes, default=0)
    while shown > 0 and sum(min(size, shown) for size in sizes) > most:
        shown = shown * 3 // 4
    return shown


def render_hot_terms(terms: Iterable[HotTerm], digests: Iterable[DocumentDigest]) -> str:
    """Return hot_terms.md: a row for each term, in the order given."""
    places = {digest.document: (digest.source, digest.path) for digest in digests}
    rows = [("Term", "Best Reference", "Summary")]
    for hot in terms:
        place = places.get(hot.document) if hot.document is not None else None
        where = format_citation(*place, hot.anchor) if place else ""
        rows.append((_cell(hot.term), _cell(where), _cell(hot.summary)))
    widths = [min(_WIDEST, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    lines = ["# Hot Terms", ""]
    for number, row in enumerate(rows):
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"| {' | '.join(padded)} |")
        if number == 0:
            lines.append(f"| {' | '.join('-' * width for width in widths)} |")
    return "\n".join([*lines, ""])


def render_tree_summaries(digests: Iterable[DocumentDigest]) -> str:
    """Return tree_summaries.md: sources and their folders, and what is in each."""
    lines = ["# Tree Summaries", ""]
    for source, members in _by_source(digests).items():
        root = _Folder(source)
        for member in members:
            root.add(member)
        lines += root.lines()
    return "\n".join([*lines, ""])


def list_unknown(
    missed: Mapping[str, int],
    digests: Sequence[DocumentDigest],
    unstated: Mapping[str, int] = NOTHING,
) -> list[UnknownTerm]:
    """Return the terms that nobody explains, those first that were missed most often.

    Args:
        missed: what was asked for while nothing was known of it, and how often.
        digests: of the documents.
        unstated: what was asked of a thing that is known, and is not stated.
    """
    known = {"", *(key(each.term) for of in digests for each in (*of.candidates, *of.facts))}
    asked = [
        UnknownTerm(term(name), times, sum(of.words.count(key(name).split()) for of in digests))
        for name, times in missed.items()
        if key(name) not in known
    ]
    asked += [UnknownTerm(term(name), times, 0, NOT_STATED) for name, times in unstated.items()]
    asked.sort(key=lambda gap: (-gap.times, -gap.mentions, gap.term))
    known |= {key(gap.term) for gap in asked}
    return [*asked, *_list_unexplained(digests, known)]


def _list_unexplained(digests: Sequence[DocumentDigest], known: Set[str]) -> list[UnknownTerm]:
    """Return the names that stand in several documents and are explained in none."""
    written: dict[str, str] = {}
    mentions: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for of in digests:
        names = {name: key(name) for name in of.words.named}
        documents.update({*names.values()})
        for name, identity in names.items():
            written.setdefault(identity, name)
            mentions[identity] += of.words.named[name]
    names = [
        UnknownTerm(written[identity], 0, mentions[identity], f"named in {count} documents")
        for identity, count in documents.items()
        if count >= _SEVERAL
        and identity not in known
        and not all(map(is_common, written[identity].split()))
    ]
    return sorted(names, key=lambda gap: (-gap.mentions, gap.term))[:_MOST_UNEXPLAINED]


def render_unknowns(unknown: Iterable[UnknownTerm]) -> str:
    """Return unknowns.md: the terms that could not be resolved, and why."""
    lines = ["# Unknown Terms", ""]
    rows = [f'- **"{_name(gap.term)}"** - {_why(gap)}' for gap in unknown]
    if not rows:
        return "\n".join([*lines, "No unknown terms.", ""])
    intro = "These terms appear frequently but couldn't be resolved:"
    return "\n".join([*lines, intro, "", *rows, ""])


def render_aliases(aliases: Iterable[Alias]) -> str:
    """Return aliases.learned.json, by term."""
    made = {
        alias.term: {
            "canonical": alias.citation,
            "confidence": alias.confidence,
            "last_used": _moment(alias.last_used_at),
            "usage_count": alias.usage_count,
        }
        for alias in sorted(aliases, key=lambda alias: alias.term)
    }
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def render_preamble(catalog_text: str, *, budget_tokens: int) -> str:
    """Return the prompt that tells an agent of the knowledge base, with the catalog if it fits.

    Else it says how many documents each source and folder has, the largest first, as many as fit.

    Args:
        catalog_text: catalog.md.
        budget_tokens: of about four characters each; all but the catalog is said anyway.
    """
    prompts = load_table(__package__, "prompts.toml")
    whole = f"{prompts['preamble']}{prompts['with_catalog']}{catalog_text}"
    room = budget_tokens * CHARACTERS_A_TOKEN
    if catalog_text and len(whole) <= room:
        return whole
    alone = f"{prompts['preamble']}{prompts['without_catalog']}"
    outline = f"{alone}{prompts['outline']}"
    for line in _list_folders(catalog_text):
        if len(outline) + len(line) > room:
            break
        outline += line
    return outline if not outline.endswith(prompts["outline"]) else alone


def _list_folders(catalog_text: str) -> Iterator[str]:
    """Yield a line for each source of a catalog and each of its topmost folders, largest first."""
    source = ""
    counts: Counter[tuple[str, str]] = Counter()
    for line in catalog_text.splitlines():
        if line.startswith("## "):
            source = line.removeprefix("## ")
        elif entry := _ENTRY.match(line):
            counts[source, ""] += int(entry["more"] or 1)
            if entry["top"]:
                counts[source, f"{entry['top']}/"] += int(entry["more"] or 1)
    for (named, folder), count in counts.most_common():
        yield f"- **{named}/{folder}** - {_count_documents(count)}\n"


def _count_documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documents"


@dataclass(slots=True)
class _Folder:
    """A folder of documents, to be told in lines."""

    name: str
    folders: dict[str, _Folder] = field(default_factory=dict[str, "_Folder"])
    documents: list[DocumentDigest] = field(default_factory=list[DocumentDigest])

    def add(self, digest: DocumentDigest) -> None:
        folder = self
        for name in [] if "://" in digest.path else digest.path.split("/")[:-1]:
            folder = folder.folders.setdefault(name, _Folder(name))
        folder.documents.append(digest)

    @property
    def only_folder(self) -> _Folder | None:
        """The one folder in it, if it holds nothing else."""
        is_alone = not self.documents and len(self.folders) == 1
        return next(iter(self.folders.values())) if is_alone else None

    def lines(self, depth: int = 0, above: str = "") -> Iterator[str]:
        """Yield the folder's line and those below it; folders that hold one folder are joined."""
        name = f"{above}{self.name}/"
        if depth and self.only_folder:
            yield from self.only_folder.lines(depth, name)
            return
        about = _line(self.about())
        yield f"{'  ' * depth}- **{_name(name)}**" + (f" - {about}" if about else "")
        if depth < _DEEPEST:
            for folder in self.folders.values():
                yield from folder.lines(depth + 1)

    def about(self) -> str:
        """Return what its readme says, else what is in it."""
        if self.only_folder:
            return self.only_folder.about()
        files = {
            document.path.rpartition("/")[2].casefold(): document for document in self.documents
        }
        readme = next((files[name] for name in _READMES if name in files), None)
        if readme is None and len(self.documents) == 1 and not self.folders:
            readme = self.documents[0]
        titles = [document.title or document.path.rpartition("/")[2] for document in self.documents]
        summary = readme.summary.text if readme else ""
        return folder_summary(summary, [*titles, *self.folders])


def _usual_headings(members: Sequence[DocumentDigest]) -> frozenset[str]:
    """Return the headings of a template that many documents follow."""
    times = Counter(title for member in members for title in set(member.summary.covers))
    least = least_of_a_template(len(members))
    return frozenset(title for title, count in times.items() if count >= least)


def _by_source(digests: Iterable[DocumentDigest]) -> dict[str, list[DocumentDigest]]:
    members: dict[str, list[DocumentDigest]] = defaultdict(list)
    for digest in sorted(digests, key=lambda digest: (digest.source, digest.path)):
        members[digest.source].append(digest)
    return members


def _why(unknown: UnknownTerm) -> str:
    if not unknown.times:
        return f"Mentioned {_times(unknown.mentions)}, {unknown.note}, explained in none"
    asked = f"Asked {_times(unknown.times)}"
    if unknown.note == NOT_STATED:
        return f"{asked}, {NOT_STATED}"
    if not unknown.mentions:
        return f"{asked}, no matching documentation"
    return f"{asked}, mentioned {_times(unknown.mentions)}, explained nowhere"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _line(text: str) -> str:
    """Return a text on one line that no reader takes for anything but text."""
    one_line = " ".join(neutralise(text[: 2 * _LONGEST_LINE]).split())
    return one_line if len(one_line) <= _LONGEST_LINE else f"{one_line[: _LONGEST_LINE - 1]}\u2026"


def _name(text: str) -> str:
    return _line(text).replace("*", "\\*")


def _cell(text: str) -> str:
    return _line(text).replace("\\", "\\\\").replace("|", "\\|")
