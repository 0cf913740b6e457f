"""Claims of lines: `key: value`, and definition lines.

A line says whose value it is by its own name ("cube: 100.70.237.79") or leaves it to the heading
above ("- Endpoint: …"). Which of the two is decided by the name: a word that names a kind of value
never names a thing. Of sentences only those are read that begin with what something is: all else
that they say is read when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.claims import (
    SUMMARY,
    FactSpan,
    IdentifierIndex,
    TypedSpan,
    add_aside,
    build_claims,
    find_command,
    is_attribute,
    is_summary_key,
    is_value_name,
    item_subject,
)
from wellworn.domain.knowledge.entities import (
    Subject,
    ends_plainly,
    is_instruction,
    is_special,
    name_in,
    plain,
    term,
    words,
)
from wellworn.domain.knowledge.nesting import list_lines
from wellworn.domain.knowledge.views import Line, Reading
from wellworn.domain.knowledge.whole_fields import FieldValue, read_field
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.sentences import NOT_SHORT
from wellworn.kit.words import load_phrases, load_words

_MARK: Final = (
    r"[ \t]{0,40}(?:(?P<bullet>[-*+\u2022])[ \t]+|[0-9]{1,3}[.)][ \t]+|>[ \t]?)?"
    r"(?:\[[ xX]\][ \t]+)?"
)
_MARKS: Final = re.compile(r"[ \t]*(?:(?:[-*+>\u2022]|[0-9]{1,3}[.)])[ \t]+)*")
_NAME: Final = (
    r"(?P<name>[*_`]{0,3}\[[^\[\]\n]{1,80}\]\([^()\n]{0,200}\)[*_`]{0,3}|[^\s|:(][^|:(\n]{0,80}?)"
)
_LINE: Final = re.compile(
    rf"{_MARK}{_NAME}[ \t]{{0,8}}(?:\((?P<aside>[^()\n]{{1,200}})\)[*_`]{{0,3}}[ \t]{{0,8}})?"
    r"(?:(?<=[ \t])(?P<dash>-|\u2013|\u2014|--)[ \t]+|(?P<colon>:)[*_`]{0,3}[ \t]+)(?P<said>\S.*)$"
)
_SENTENCE_END: Final = re.compile(rf"(?<!\betc)[.!?]{NOT_SHORT}(?=\s|$)")
#: Beginnings of a line that says what something is.
_DEFINITION: Final = re.compile(
    r"(?:The |Our |An? )?[*`\"]{0,3}"
    r"(?P<name>[^\W_][\w.+#/-]{0,40}(?: [^\W_][\w.+#/-]{0,40}){0,2}?)[*`\"]{0,3} "
    r"(?:is|are) (?=(?:an?|the|our|my|your) )"
)
_CONTINUED: Final = re.compile(r"[ \t]*\n(?:[ \t]{2,}(?=\S)|(?=[a-z(]))(?P<line>[^\n]+)")
_MOST_LINES: Final = 4
_STARTS: Final = re.compile(r"[-*+#|>`<:!\[]|[0-9]{1,3}[.)]")
_LONGEST_SUMMARY: Final = 240
_COMMAND_LINE: Final = re.compile(
    r"`[^`\n]{0,200}`[ \t]*(?:\(|$)"
    rf"|(?:{load_phrases(__name__, 'commands')})[ \t]"
)
_LEAST_SUMMARY: Final = 8
#: Names of what tells of the page.
_PASSING: Final = frozenset(load_words(__name__, "page_fields"))
_NO_STATEMENT: Final = ("#", "|", "    ", "\t", "![", "<", ":::", "!!!", "[")


@dataclass(frozen=True, slots=True)
class PairedStatement:
    """A line in its parts: its name, and the spans of what stands in brackets and what is said.

    `called` is the name as a term.
    """

    name: str
    called: str
    is_code: bool
    is_marked: bool
    is_listed: bool
    by_dash: bool
    aside: tuple[int, int]
    value_span: tuple[int, int]
    snippet: tuple[int, int]


def claims(
    line: Line, statement: PairedStatement | None, subject: Subject, evidence: IdentifierIndex
) -> Iterator[FactSpan]:
    """Yield what a line says that gives a name a value, or says what something is."""
    if _starts_otherwise(line):
        return
    if statement is not None and is_value_name(statement.called):
        yield from _of_pair(statement, subject, evidence)
    yield from _define(line, evidence.text)


def split_statements(reading: Reading) -> dict[int, PairedStatement]:
    """Return the lines that give a name a value, in parts, by where they begin.

    To be found once: `Reading.find`.
    """
    lines = (line for line in list_lines(reading) if not _starts_otherwise(line))
    taken = ((line.start, _split_statement(line)) for line in lines)
    return {start: statement for start, statement in taken if statement is not None}


def _starts_otherwise(line: Line) -> bool:
    """Tell whether a line is a heading, a row, code or the like, and no statement."""
    return line.text.startswith(_NO_STATEMENT)


def cut(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the first sentence, at most 240 characters, no word cut."""
    stop = _SENTENCE_END.search(text, start, min(end, start + _LONGEST_SUMMARY))
    end = stop.start() if stop else end
    if end - start > _LONGEST_SUMMARY:
        end = max(start, text.rfind(" ", start, start + _LONGEST_SUMMARY))
    return start, start + len(text[start:end].rstrip(" \t,;:*_"))


def is_said(text: str) -> bool:
    """Tell whether a text says something: two words or more, and more than a link."""
    seen = plain(text)
    if len(seen) < _LEAST_SUMMARY or sum(map(str.isalpha, seen)) * 2 <= len(seen):
        return False
    if _COMMAND_LINE.match(text) or seen.startswith(("http", "[!", "<", "{")):
        return False
    return sum(word.casefold() not in STOP_WORDS for word in words(seen)) > 1


def paragraph_end(text: str, end: int) -> int:
    """Return where the paragraph ends that goes on at the end of a line; a few lines are read."""
    for _ in range(_MOST_LINES):
        following = _CONTINUED.match(text, end)
        if following is None or _STARTS.match(following["line"]) or _LINE.match(following["line"]):
            break
        end = following.end()
    return end


def _split_statement(line: Line) -> PairedStatement | None:
    """Return a line in its parts; None for one that gives no name a value."""
    match = _LINE.match(line.text)
    if match is None:
        return None
    aside, base = match.span("aside"), line.start
    name = plain(match["name"]).strip("\"' ")
    return PairedStatement(
        name=name,
        called=term(name),
        is_code="`" in match["name"],
        is_marked=match["name"].startswith(("**", "__")),
        is_listed=match["bullet"] is not None,
        by_dash=match["dash"] is not None,
        aside=(base + aside[0], base + aside[1]) if aside[0] >= 0 else (0, 0),
        value_span=(base + match.start("said"), base + len(line.text.rstrip())),
        snippet=_strip_marks(line),
    )


def _strip_marks(line: Line) -> tuple[int, int]:
    """Return the span of a line without white space and list marks around it."""
    marks = _MARKS.match(line.text)
    start = line.start + (marks.end() if marks else 0)
    return start, max(start, line.start + len(line.text.rstrip()))


def _of_pair(
    statement: PairedStatement, subject: Subject, evidence: IdentifierIndex
) -> Iterator[FactSpan]:
    if _names_something(statement, subject, evidence):
        definition = list(_of_definition(statement, subject, evidence))
        yield from definition
        phrase = evidence.text[slice(*statement.value_span)]
        if definition or subject.lists or not _states_detail(statement, subject, phrase):
            return
    whose, attribute = _split(statement.name)
    if whose:
        yield from _values(statement, Subject(whose), attribute, evidence)
    # What is said of a name is not said of a longer one that begins with it.
    is_own = f"{subject.entity} ".startswith(f"{whose} ") if whose else False
    if statement.by_dash or is_own:
        return
    if subject.entity:
        yield from _values(statement, subject, statement.called, evidence)


def _names_something(
    statement: PairedStatement, subject: Subject, evidence: IdentifierIndex
) -> bool:
    """Tell whether a line's name is whom it is about, rather than which value it gives."""
    name_words, name = words(statement.name), statement.called
    if not name_words or is_attribute(name):
        return False
    if name_words != [statement.name] and is_attribute(term(name_words[-1])):
        return False
    if any(
        identifier.kind in {"ip", "cidr"} for identifier in evidence.find_within(*statement.aside)
    ):
        return True
    if subject.lists and (statement.is_listed or statement.by_dash):
        return True
    named = name_in(statement.name)
    return bool(named) if statement.by_dash else named == name and not ends_plainly(name)


def _of_definition(
    statement: PairedStatement, subject: Subject, evidence: IdentifierIndex
) -> Iterator[FactSpan]:
    name = statement.called
    whose, text = item_subject(name, subject), evidence.text
    aside = read_field(evidence, statement.aside, "")
    if aside:
        yield from _state(statement, whose, aside, text, confidence=0.95)
        # It is no remark on what follows.
        statement = replace(statement, aside=(0, 0))
    start, end = statement.value_span
    span = cut(text, start, paragraph_end(text, end))
    values = read_field(evidence, (start, span[1]), "")
    yield from _state(statement, whose, values, text, confidence=0.85)
    phrase = text[slice(*span)]
    if _COMMAND_LINE.match(text, start, end):
        command = find_command(text, start, end)
        name_of_it = subject.aspect or "command"
        if command:
            yield from build_claims(
                whose, name_of_it, command, snippet=statement.snippet, confidence=0.85
            )
    elif not whose.aspect and is_said(phrase) and not _is_order(statement, phrase):
        value = TypedSpan(SUMMARY, *span)
        snippet = (statement.snippet[0], max(statement.snippet[1], span[1]))
        sure = 0.9 if statement.by_dash or subject.lists else 0.8
        sure -= 0.15 if statement.is_code and not subject.lists else 0.0
        yield from build_claims(Subject(name), "", value, snippet=snippet, confidence=sure)


def _is_order(statement: PairedStatement, phrase: str) -> bool:
    """Tell whether a line says what to do, as "AMD: Enable the IOMMU".

    "`doctor` - Check the index" says what a thing does.
    """
    return not (statement.by_dash or statement.is_code) and is_instruction(phrase)


def _split(name: str) -> tuple[str, str]:
    """Cut "cube IP" into whose and which; the first is empty when it is nobody's in particular."""
    name_words = words(name)
    for number in range(1, len(name_words)):
        which = term(" ".join(name_words[number:]))
        if is_attribute(which):
            return name_in(" ".join(name_words[:number])), which
    return "", ""


def _values(
    statement: PairedStatement, subject: Subject, name: str, evidence: IdentifierIndex
) -> Iterator[FactSpan]:
    text, (start, end) = evidence.text, statement.value_span
    is_free = _states_detail(statement, subject, text[start:end])
    values = read_field(
        evidence, (start, end), name, until=paragraph_end(text, end), is_free=is_free
    )
    yield from _state(
        statement,
        subject,
        [each for each in values if each.is_typed or not statement.is_code],
        text,
        confidence=0.9,
    )
    span = cut(text, start, end)
    if is_summary_key(name) and not subject.aspect and is_said(text[slice(*span)]):
        value, whose = TypedSpan(SUMMARY, *span), Subject(subject.entity)
        yield from build_claims(whose, "", value, snippet=statement.snippet, confidence=0.9)


def _states_detail(statement: PairedStatement, subject: Subject, phrase: str) -> bool:
    """Tell whether a line of a list gives a thing's value under any name: "- Flow: 18 m³/h".

    What is said after a colon is as often a remark, an order or half a sentence, and what bears a
    small letter first is often a program's.
    """
    is_key = statement.name[:1].isupper() and (statement.is_listed or statement.is_marked)
    return (
        is_key
        and any(map(is_special, subject.entity.split()))
        and statement.called.replace(" ", "-") not in _PASSING
        and not is_instruction(statement.name)
        and _is_value(phrase)
    )


def _is_value(phrase: str) -> bool:
    """Tell whether what is said is a value by its form: a quantity, one word, or a name."""
    value_words = words(plain(phrase))
    is_name = bool(value_words) and all(word[:1].isupper() for word in value_words)
    return phrase[:1].isdigit() or len(value_words) == 1 or is_name


def _state(
    statement: PairedStatement,
    subject: Subject,
    values: Iterable[FieldValue],
    text: str,
    *,
    confidence: float,
) -> Iterator[FactSpan]:
    """Yield what values say of a thing: those with a form of their own more surely than others."""
    for name, whole, is_typed in values:
        is_behind = whole.end > statement.aside[1]
        called = add_aside(name, text[slice(*statement.aside)]) if is_behind else name
        snippet = statement.snippet[0], max(statement.snippet[1], whole.end)
        sure = confidence if is_typed else confidence - 0.1
        yield from build_claims(subject, called, whole, snippet=snippet, confidence=sure)


def _define(line: Line, text: str) -> Iterator[FactSpan]:
    """Yield what "Kopia is the backup tool" says that a name is."""
    match = _DEFINITION.match(line.text)
    name = name_in(match["name"]) if match else ""
    if match is None or not name or name != term(match["name"]) or is_instruction(name):
        return
    span = cut(text, line.start + match.end(), paragraph_end(text, line.end))
    if is_said(text[slice(*span)]):
        first, last = _strip_marks(line)
        yield FactSpan(name, "", SUMMARY, *span, first, max(last, span[1]), 0.85)
