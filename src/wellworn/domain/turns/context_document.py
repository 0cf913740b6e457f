"""`context.md`: the document that a turn grows in, one section a phase, appended and never changed.

It begins with front matter for Obsidian. A section is a heading of the second level with its
number and title; a further attempt says so. Sections keep to a limit of words.

Source: the specification of document IO, sections 3 and 9.4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.links import format_dual_link, relocate_links
from wellworn.domain.turns.models import Phase, Turn, format_folder
from wellworn.domain.turns.wording import find_area
from wellworn.kit.clock import to_iso
from wellworn.kit.neutralising import neutralise

FILE: Final = "context.md"
TITLES: Final[Mapping[Phase, str]] = MappingProxyType(
    {
        Phase.ANALYSIS: "0. User Query",
        Phase.REFLECTION: "1. Reflection Decision",
        Phase.GATHERING: "2. Gathered Context",
        Phase.PLANNING: "3. Task Plan",
        Phase.COORDINATION: "4. Tool Execution",
        Phase.SYNTHESIS: "5. Synthesis",
        Phase.VALIDATION: "6. Validation",
    }
)
MOST_WORDS: Final[Mapping[Phase, int]] = MappingProxyType(
    {
        Phase.ANALYSIS: 500,
        Phase.REFLECTION: 300,
        Phase.GATHERING: 2_000,
        Phase.PLANNING: 1_000,
        Phase.COORDINATION: 3_000,
        Phase.SYNTHESIS: 2_000,
        Phase.VALIDATION: 500,
    }
)
_HEADING: Final = re.compile(r"^## (\d\. [^\n(]+?)(?: \(Attempt (\d+)\))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section as it stands in the file; `text` includes the heading."""

    title: str
    attempt: int
    text: str


class ContextDocument:
    """The `context.md` of a turn, and the file that holds it."""

    def __init__(self, vault: Vault, turn: Turn) -> None:
        self._vault = vault
        self._turn = turn
        self.path = f"{turn.folder}/{FILE}"

    @property
    def text(self) -> str:
        """The text on the disk now; people may edit it at any time."""
        return self._vault.read(self.path) or ""

    def append(self, section: str) -> None:
        """Add a section; one that stands there already is not added again."""
        text = self.text or format_front_matter(self._turn)
        if section not in text:
            self._vault.write(self.path, f"{text.rstrip()}\n\n{section.rstrip()}\n")

    def finish(self, turn: Turn) -> None:
        """Write what is known of the turn at its end before the first section.

        It takes the place of what stood there, and of one that was given up says so.
        """
        self._turn = turn
        text = self.text
        body = text[_find_body(text) :]
        notice = f"> {turn.summary}\n\n" if turn.is_given_up else ""
        self._vault.write(self.path, format_front_matter(turn) + notice + body)

    def find_edited(self, sections: Sequence[str]) -> list[str]:
        """Return the headings of the sections that were written and do not stand there so now."""
        text, first = self.text, f"{format_folder(self._turn.number)}/{FILE}"
        written = {
            section: relocate_links(section, first, self.path, format_folder(self._turn.number))
            for section in sections
        }
        return [_read_heading(each) for each, now in written.items() if now.rstrip() not in text]


def format_heading(phase: Phase, attempt: int, *, is_counted: bool = False) -> str:
    """Return a section's heading; the first attempt is told where others follow."""
    suffix = f" (Attempt {attempt})" if attempt > 1 or is_counted else ""
    return f"## {TITLES[phase]}{suffix}"


def format_front_matter(turn: Turn, kind: str = "context") -> str:
    """Return the front matter of a document of a turn, and its tags; `kind` says which it is."""
    state = f"status: {turn.status.value}\nengine: {quote_scalar(turn.engine)}\n"
    if turn.quality is not None:
        state = f"quality: {turn.quality:.2f}\n{state}"
    return (
        "---\n"
        f"id: turn_{turn.number:06d}_{kind}\n"
        f"turn_id: {turn.id}\n"
        f"turn_number: {turn.number}\n"
        f"session_id: {quote_scalar(turn.user_id)}\n"
        f"topic: {quote_scalar(turn.topic)}\n"
        f"intent: {turn.intent.value}\n"
        f"content_types: [{kind}]\n"
        "scope: user\n"
        f"{state if kind == 'context' else ''}"
        f"created_at: {to_iso(turn.created_at)}\n"
        f"tags: [turn, {kind}, {find_area(turn.topic)}]\n"
        "---\n\n"
    )


def format_companion(turn: Turn, kind: str, title: str) -> str:
    """Return how a document that stands beside `context.md` begins: what it is, and of what."""
    name, own = f"turn_{turn.number:06d}", format_folder(turn.number)
    link = format_dual_link(f"{own}/{kind}.md", f"{own}/{FILE}", name)
    return f"{format_front_matter(turn, kind)}# {title}\n\n- Linked turn: {link}\n\n"


def read_sections(text: str) -> list[DocumentSection]:
    """Return the sections of a `context.md`, in their order."""
    matches = list(_HEADING.finditer(text))
    bounds = pairwise([*(match.start() for match in matches), len(text)])
    return [
        DocumentSection(match[1], int(match[2] or 1), text[start:end].rstrip())
        for match, (start, end) in zip(matches, bounds, strict=True)
    ]


def _find_body(text: str) -> int:
    """Return where the first section begins."""
    match = _HEADING.search(text)
    return match.start() if match else len(text)


def _read_heading(section: str) -> str:
    return section.partition("\n")[0].removeprefix("## ")


def quote_scalar(text: str) -> str:
    """Return a text as a scalar of front matter."""
    line = neutralise(text).replace("\n", " ")
    escaped = line.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
