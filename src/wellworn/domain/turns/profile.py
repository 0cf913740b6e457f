"""What was learned of a user: `preferences.md` and `facts.md`, each line with its turn.

The newest line of a name holds; older ones stay, struck through. Learned by the forms that say it
plainly ("I prefer …", "my … is …"), and taken as they are when people edit the files.

Source: the specification of document IO, section 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.links import format_wikilink
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import split_sentences
from wellworn.kit.ids import make_word

PREFERENCES: Final = "preferences.md"
FACTS: Final = "facts.md"
_LINE: Final = re.compile(
    r"^- \*\*(?P<name>[^*\n]+):\*\* (?P<value>.+?) \(turn (?P<turn>\d+)[^\n]*\)$", re.MULTILINE
)
_FAVOURITE: Final = re.compile(
    r"\bmy favou?rite ([\w -]{2,40}?) (?:is|are) (?:the )?([^.,;!?\n]{2,80})", re.IGNORECASE
)
_PREFER: Final = re.compile(r"\bI (?:always )?prefer ([^.,;!?\n]{2,80})", re.IGNORECASE)
_BUDGET: Final = re.compile(r"\bmy budget is ([^.,;!?\n]{1,40})", re.IGNORECASE)
_MINE: Final = re.compile(
    r"\bmy ([\w -]{2,40}?) (?:is|are) (?:called |named )?([^.,;!?\n]{2,80})", re.IGNORECASE
)
_I_AM: Final = re.compile(
    r"\bI (live in|work at|work as|use|own) ([^.,;!?\n]{2,80})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ProfileLine:
    """Something known of the user, and the turn that said it."""

    name: str
    value: str
    turn: int


def list_preferences(vault: Vault) -> list[ProfileLine]:
    return _read_lines(vault.read(PREFERENCES) or "")


def list_facts(vault: Vault) -> list[ProfileLine]:
    return _read_lines(vault.read(FACTS) or "")


def learn(vault: Vault, turn: Turn) -> None:
    """Add what a query says of its user."""
    _add(vault, PREFERENCES, "Preferences", list(_find_preferences(turn.query)), turn)
    _add(vault, FACTS, "Facts", list(_find_facts(turn.query)), turn)


def list_learned(query: str) -> list[tuple[str, str]]:
    """Return name and value of what a query says of its user, where it asks for nothing."""
    if "?" in query:
        return []
    return [*_find_preferences(query), *_find_facts(query)]


def _find_preferences(query: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of what a query says that its user prefers."""
    for statement in _list_statements(query):
        for match in _FAVOURITE.finditer(statement):
            yield f"favorite_{_make_name(match[1])}", format_line(match[2])
        for match in _PREFER.finditer(statement):
            yield "prefers", format_line(match[1])
        for match in _BUDGET.finditer(statement):
            yield "budget", format_line(match[1])


def _find_facts(query: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of what a query says of its user."""
    for statement in _list_statements(query):
        for match in _MINE.finditer(statement):
            if not match[1].lower().startswith(("favo", "budget", "question")):
                yield _make_name(match[1]), format_line(match[2])
        for match in _I_AM.finditer(statement):
            yield _make_name(match[1]), format_line(match[2])


def _list_statements(query: str) -> list[str]:
    """Return the sentences of a query that ask for nothing."""
    return [sentence for sentence in split_sentences(query) if not sentence.endswith("?")]


def _make_name(words: str) -> str:
    return make_word(words).replace("-", "_")


def _read_lines(text: str) -> list[ProfileLine]:
    """Return the lines that hold: the newest of each name."""
    lines = [
        ProfileLine(match["name"], match["value"], int(match["turn"]))
        for match in _LINE.finditer(text)
    ]
    return list({line.name: line for line in lines}.values())


def _add(vault: Vault, path: str, title: str, learned: list[tuple[str, str]], turn: Turn) -> None:
    text = vault.read(path) or f"# {title}\n\nThe newest line of a name holds.\n\n"
    known = {line.name: line for line in _read_lines(text)}
    changed = text
    for name, value in learned:
        before = known.get(name)
        if before is not None and before.value == value:
            continue
        if before is not None:
            changed = _strike(changed, before, turn)
        link = format_wikilink(f"{turn.folder}/context.md", f"turn_{turn.number:06d}")
        changed += f"- **{name}:** {value} (turn {turn.number}, {link})\n"
    if changed != text:
        vault.write(path, changed)


def _strike(text: str, line: ProfileLine, turn: Turn) -> str:
    """Mark a line as superseded; it stays to be seen."""
    start = f"- **{line.name}:** {line.value} (turn {line.turn}"
    struck = (
        f"- ~~**{line.name}:** {line.value}~~ (superseded in turn {turn.number}; turn {line.turn}"
    )
    return text.replace(start, struck)
