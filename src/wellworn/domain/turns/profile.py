"""Learns of a user: `preferences.md` and `facts.md`, each line with its turn.

A later statement about the same thing takes the place of an earlier one by the rules of thoughts;
the earlier stays, struck through, as what was true. Learned by the forms that say it plainly
("I prefer …", "my … is …"), and read as they are when people edit the files.

Source: the specification of document IO, section 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from threading import Lock
from typing import Final, NamedTuple

from wellworn.domain.memory import reply_to_talk
from wellworn.domain.thoughts.truth import ANY_TIME, TimeScope
from wellworn.domain.turns.files import Vault
from wellworn.domain.turns.index import format_index_note
from wellworn.domain.turns.links import format_wikilink
from wellworn.domain.turns.models import Turn
from wellworn.domain.turns.profile_lines import ProfileDocument, ProfileLine
from wellworn.domain.turns.sections import format_line
from wellworn.domain.turns.wording import split_sentences
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import format_day
from wellworn.kit.project_ids import make_word
from wellworn.kit.words import load_phrases, load_words

PREFERENCES: Final = "preferences.md"
FACTS: Final = "facts.md"
INDEX: Final = "memory/index.md"
_PREFERS: Final = "prefers"
_OF_SEVERAL: Final = frozenset(load_words(__name__, "of_several"))
_OUT: Final = re.compile(
    rf"\b(?:{load_phrases(__name__, 'in_place_of')})\s+(?P<old>.+)", re.IGNORECASE
)
_NOW: Final = re.compile(r"(?<!\s)\s++now\s*+$", re.IGNORECASE)
_FAVOURITE: Final = re.compile(
    r"\bmy favou?rite ([\w -]{2,40}?) (?:is|are) (?:now )?(?:the )?([^.,;!?\n]{2,80})",
    re.IGNORECASE,
)
_PREFER: Final = re.compile(r"\bI (?:always |now )?prefer ([^.,;!?\n]{2,80})", re.IGNORECASE)
_PREFER_NO_LONGER: Final = re.compile(r"\bI (no longer) prefer ([^.,;!?\n]{2,80})", re.IGNORECASE)
_BUDGET: Final = re.compile(r"\bmy budget is (?:now )?([^.,;!?\n]{1,40})", re.IGNORECASE)
_MINE: Final = re.compile(
    r"\bmy ([\w -]{2,40}?) (?:is|are) (?:now )?(?:called |named )?([^.,;!?\n]{2,80})",
    re.IGNORECASE,
)
_I_AM: Final = re.compile(
    r"\bI (?:now )?(no longer )?(live in|work (?:at|as|in)|use|own) ([^.,;!?\n]{2,80})",
    re.IGNORECASE,
)


class UserProfiles:
    """The profiles of users from their turns, in the users' files."""

    def __init__(self) -> None:
        self._lock = Lock()

    def learn(self, vault: Vault, turn: Turn) -> None:
        """Add what a query says of its user; doing it twice changes nothing."""
        day = format_day(turn.created_at)
        for path, title, learned in (
            (PREFERENCES, "Preferences", _find_preferences(turn.query)),
            (FACTS, "Facts", _find_facts(turn.query)),
        ):
            lines = [ProfileLine(name, value, turn.number, day) for name, value in learned]
            if lines:
                self._add(vault, path, title, lines)

    def _add(self, vault: Vault, path: str, title: str, lines: Sequence[ProfileLine]) -> None:
        with self._lock:
            document = ProfileDocument(vault.read(path) or _format_beginning(title))
            for line in lines:
                document.add(line, _measure)
            vault.write(path, document.text)
            write_index_note(vault)

    def forget(self, vault: Vault, turns: Set[int]) -> None:
        """Remove what turns that are gone said, and bring back what that replaced."""
        with self._lock:
            for path in (PREFERENCES, FACTS):
                text = vault.read(path)
                if text is None:
                    continue
                document = ProfileDocument(text)
                document.drop(turns)
                if document.text != text:
                    vault.write(path, document.text)
                    write_index_note(vault)


def write_index_note(vault: Vault) -> None:
    """Write the note that lists what turns learned of their user, if they learned anything."""
    known = [(path, text) for path in (PREFERENCES, FACTS) if (text := vault.read(path))]
    entries = [
        (path.removesuffix(".md"), format_wikilink(path, path), f"{_count_current(text)} hold now")
        for path, text in known
    ]
    if entries:
        about = "What turns learned of their user."
        vault.write(INDEX, format_index_note("Memory Index", about, entries))


def _count_current(text: str) -> int:
    return sum(not line.is_struck for line in ProfileDocument(text).lines)


def _format_beginning(title: str) -> str:
    kind = title.lower()
    head = f"---\nid: {kind}\ncontent_types: [{kind}]\nscope: user\ntags: [{kind}]\n---\n\n"
    return f"{head}# {title}\n\nWhat holds now, and struck through what held before.\n\n"


def _measure(older: ProfileLine, newer: ProfileLine) -> float:
    """Return how sure it is that the later of two lines of a name replaces the earlier."""
    is_stated = newer.says_again(older) or _puts_in_place_of(newer.value, older.value)
    return float(is_stated or newer.name not in _OF_SEVERAL)


def _puts_in_place_of(value: str, old: str) -> bool:
    """Tell whether a value says itself that it takes the place of another: "tea, not coffee"."""
    match, words = _OUT.search(value), set(split_words(_OUT.sub("", old)))
    return match is not None and bool(words) and words <= set(split_words(match["old"]))


class DatedLine(NamedTuple):
    """A line of a user, and by what it was replaced, if it was."""

    line: ProfileLine
    successor: ProfileLine | None

    @property
    def title(self) -> str:
        """The title of a line; of what holds no more, when it did and what took its place."""
        if not self.line.is_struck:
            return self.line.name
        days = " to ".join(filter(None, [self.line.day, self.line.until]))
        then = f"then {self.successor.value}" if self.successor else ""
        return f"{self.line.name} ({', '.join(filter(None, [days, then])) or 'before'})"


def list_preferences(vault: Vault) -> list[ProfileLine]:
    """Return what a user prefers now."""
    return [each.line for each in list_lines(vault, PREFERENCES)]


def list_lines(
    vault: Vault, path: str, scope: TimeScope = ANY_TIME, *, now: float = 0.0
) -> list[DatedLine]:
    """Return the lines of a file that hold, and of a scope of the past also what held before.

    Args:
        vault: of the user.
        path: `PREFERENCES` or `FACTS`.
        scope: the time that is asked about.
        now: in epoch seconds.
    """
    document = ProfileDocument(vault.read(path) or "")
    day = format_day(scope.moment(now))
    return [
        DatedLine(line, successor)
        for line in document.lines
        for successor in [document.find_successor(line)]
        if not line.is_struck
        or (
            (scope.history or line.covers(day))
            and not (successor is not None and successor.says_again(line))
        )
    ]


def list_learned(query: str) -> list[tuple[str, str]]:
    """Return name and value of what a query says of its user, where it asks for nothing."""
    if "?" in query:
        return []
    return [*_find_preferences(query), *_find_facts(query)]


def reply_without_sources(query: str) -> str:
    """Return the answer to a query that asks for nothing; empty for any other.

    It says of its user what is noted, or it only talks.
    """
    if learned := list_learned(query):
        noted = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in learned)
        return f"Noted: {noted}."
    return reply_to_talk(query)


def _find_preferences(query: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of what a query says that its user prefers."""
    for statement in _list_statements(query):
        for match in _FAVOURITE.finditer(statement):
            yield f"favorite_{_make_name(match[1])}", _format_value(match[2])
        for match in _PREFER.finditer(statement):
            yield _PREFERS, _format_value(match[1])
        for match in _PREFER_NO_LONGER.finditer(statement):
            yield _PREFERS, _format_value(f"{match[1]} {match[2]}")
        for match in _BUDGET.finditer(statement):
            yield "budget", _format_value(match[1])


def _find_facts(query: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of what a query says of its user."""
    for statement in _list_statements(query):
        for match in _MINE.finditer(statement):
            if not match[1].lower().startswith(("favo", "budget", "question")):
                yield _make_name(match[1]), _format_value(match[2])
        for match in _I_AM.finditer(statement):
            yield _make_name(match[2]), _format_value(f"{match[1] or ''}{match[3]}")


def _format_value(words: str) -> str:
    """Return a value on one line; that it holds now is what every line says."""
    return format_line(_NOW.sub("", words))


def _list_statements(query: str) -> list[str]:
    """Return the sentences of a query that ask for nothing."""
    return [sentence for sentence in split_sentences(query) if not sentence.endswith("?")]


def _make_name(words: str) -> str:
    return make_word(words).replace("-", "_")
