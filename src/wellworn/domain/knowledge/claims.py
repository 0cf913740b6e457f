"""Finds what a span of a document claims: a term, a value, and the type of the value.

Types come from what the value is (an address, a URL) and, where that leaves a choice, from what
the document calls it. A value without a type of its own counts only under a few known names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wellworn.domain.knowledge.attributes import find_attribute, load_attributes
from wellworn.domain.knowledge.entities import Subject, is_code, term
from wellworn.domain.knowledge.views import Reading
from wellworn.domain.sources import Identifier, find_identifiers
from wellworn.engines.retrieval.text import STOP_WORDS
from wellworn.kit.words import load_phrases, load_words

SUMMARY: Final = "summary"
DETAIL: Final = "detail"
HEADED: Final = 0.4
"""Certainty of what stands below a head of any words: so sure nothing else is."""

#: Kinds of identifiers that are types of facts.
_TYPES: Final = frozenset(("ip", "cidr", "url", "endpoint", "port", "header", "path", "email"))
_ENDPOINT: Final = re.compile(r"\b(?:endpoint|webhook|api url|base url|api base)s?\b")
_SECRET: Final = re.compile(
    r"\b(?:secret|token|password|passphrase|credential|(?:api|access|private|signing) ?key)s?\b"
)
_SECRET_NAME: Final = re.compile(
    r"(?:^|_)(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|DSN)(?:_|$)"
)
_SUMMARY_KEY: Final = re.compile(
    r"(?:the )?(?:role|purpose|description|summary|about|function|usage|what(?: it (?:is|does))?)"
)
_NAMED: Final = {
    "port": re.compile(r"(?:[a-z]{1,40}+ )?ports?"),
    "hostname": re.compile(r"(?:[a-z]{1,40}+ )?(?:hostname|host name|fqdn|dns name)"),
    "version": re.compile(r"(?:[a-z]{1,40}+ )?version|(?:image )?tag"),
}
_NAMED_VALUES: Final = {
    "port": re.compile(
        r"[0-9]{1,5}(?:[-\u2013][0-9]{1,5})?(?:/[A-Za-z]{1,9}(?![\w:-]|\.\w))?(?![\w:-]|\.\w)"
    ),
    "hostname": re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?=[\s`*]{0,9}(?:\Z|[(,;]))"),
    "version": re.compile(r"v?[0-9]{1,20}+(?:\.[0-9A-Za-z-]+){0,4}(?![\w-]|\.\w)"),
}
_IP: Final = re.compile(r"(?:.* )?(?:ips?|ip addr(?:ess(?:es)?)?)")
#: Types of which every value has a form that nothing else has.
_EXACT: Final = frozenset({"ip", "cidr", "port", "url", "endpoint", "email"})
_ADDRESS: Final = re.compile(r"(?:.* )?(?:ips?|address(?:es)?)")
#: Half of an address, of which the rest stands elsewhere: `.76`, `x.x.x.12`, `10.0.0.x`.
_PART_OF_ADDRESS: Final = re.compile(r"(?:[\dxX*]{0,3}\.){1,3}[\dxX*]{0,3}(?:/\d+)?\W*")
_PLACES: Final = ("/", "~", "$")
_FILES: Final = re.compile(r"\b(?:path|file|folder|directory|dir|config|script|log|logs|mount)s?\b")
_COMMAND_KEY: Final = re.compile(r"(?:ssh|command|cmd|login)")
#: Words that say which value it is: `is_attribute`.
_KNOWN_NAME: Final = re.compile(
    "|".join(each.pattern for each in (*_NAMED.values(), _COMMAND_KEY, _SUMMARY_KEY))
)
_COMMAND: Final = re.compile(r"`(?P<value>[a-z][\w./-]*[ \t][^`\n]{1,200})`")
#: Known names of values that have no shape of their own.
_DETAILS: Final = frozenset(load_words(__name__, "details"))
#: Environments of one thing.
STAGES: Final = frozenset(load_words(__name__, "stages"))
_LONGEST_DETAIL: Final = 60
_MOST_DETAIL_WORDS: Final = 6
_LONGEST_NAME: Final = 40
_MOST_NAME_WORDS: Final = 4
_BETWEEN: Final = " \t`*_\"'<>()[],;:/"
_LABEL: Final = re.compile(r"[*_]{0,3}\[[^\[\]]{0,200}\]\(")
#: Shown text is not what a document says.
_SHOWN_ONLY: Final = re.compile(rf"\b(?:e\.?g|{load_phrases(__name__, 'shown_only')})\b")
#: Names that say of which kind a remark is, or that leave it to what stands before.
_REMARKS: Final = frozenset(load_words(__name__, "remarks"))
_EXAMPLE: Final = re.compile(r"(?:for )?examples?\b.*|.*\b(?:examples?|samples?|outputs?)")
_HISTORY: Final = re.compile(rf"(?:.* )?(?:{load_phrases(__name__, 'history_headings')})")
_LISTENING: Final = load_attributes()["listen address"].names
_PORT_BEHIND: Final = re.compile(r":[0-9]{1,5}(?![\w.:])")
_STAND_IN: Final = re.compile(r"<[^<>\s]{1,60}>|\byour[-_ ]|\bYOUR_|\bxxx|\.\.\.|\{[^{}]{1,60}\}")


@dataclass(frozen=True, slots=True)
class FactSpan:
    """A value at `start` to `end`, inside the snippet that says it."""

    term: str
    attribute: str
    fact_type: str
    start: int
    end: int
    snippet_start: int
    snippet_end: int
    confidence: float


class IdentifierIndex:
    """A text and the identifiers in it, looked up by span; only lines that are asked for are read.

    A span must not reach over the end of a line.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines: dict[int, Sequence[Identifier]] = {}

    def find_within(self, start: int, end: int) -> Sequence[Identifier]:
        """Return the identifiers that stand in a span, in order."""
        if start >= end:
            return ()
        return [
            identifier
            for identifier in self.find_in_line(start)
            if start <= identifier.start and identifier.end <= end
        ]

    def find_in_line(self, place: int) -> Sequence[Identifier]:
        """Return the identifiers of the line that a character is in, in order."""
        line = self.text.rfind("\n", 0, place) + 1
        if line not in self._lines:
            end = self.text.find("\n", line)
            self._lines[line] = find_identifiers(self.text, line, end if end >= 0 else None)
        return self._lines[line]

    def find_values(self, start: int, end: int) -> Sequence[Identifier]:
        """Return those that are the value in a span, and not only mentioned along with it.

        The first one must begin the value; more of them may follow right after it. What a link
        goes to is the value if the link is all there is.
        """
        span_text = self.text[start:end]
        if "![" in span_text:
            return ()
        values: list[Identifier] = []
        at = start
        for identifier in self.find_within(start, end):
            if self.text[at : identifier.start].endswith("]("):
                return [identifier] if self._is_link_alone(identifier, start, end) else values
            if self.text[at : identifier.start].strip(_BETWEEN):
                break
            values.append(identifier)
            at = identifier.end
        return values

    def _is_link_alone(self, identifier: Identifier, start: int, end: int) -> bool:
        label, rest = self.text[start : identifier.start], self.text[identifier.end : end]
        is_all = _LABEL.fullmatch(label) is not None and not rest.strip(_BETWEEN)
        return is_all and identifier.kind == "url"


def index_identifiers(reading: Reading) -> IdentifierIndex:
    """Return the identifiers of a document, to be found once: `Reading.find`."""
    return IdentifierIndex(reading.text)


@dataclass(frozen=True, slots=True)
class TypedSpan:
    """A typed value and where it stands."""

    fact_type: str
    start: int
    end: int


def classify_identifier(identifier: Identifier, name: str) -> str:
    """Return the type of an identifier that a document calls `name`; empty for what is no fact."""
    if identifier.kind == "env":
        is_secret = _SECRET_NAME.search(identifier.value) or _SECRET.search(name)
        return "secret_ref" if is_secret else "env"
    if identifier.kind == "host":
        return "hostname"
    if identifier.kind == "path" and not (
        identifier.value.startswith(_PLACES) or _FILES.search(name)
    ):
        return ""
    if identifier.kind == "url" and _ENDPOINT.search(name):
        return "endpoint"
    return identifier.kind if identifier.kind in _TYPES else ""


def find_typed_value(identifier: Identifier, name: str, text: str) -> TypedSpan | None:
    """Return an identifier as a value; None for what is no fact.

    The port belongs to the address that a program listens at.
    """
    kind = classify_identifier(identifier, name)
    if not kind or is_placeholder(identifier.value):
        return None
    end = identifier.end
    if name.partition(" ")[0] in _LISTENING:
        if kind == "port" and text[identifier.start - 1] == ":":
            return None
        port = _PORT_BEHIND.match(text, end) if kind in {"ip", "hostname"} else None
        end = port.end() if port else end
    return TypedSpan(kind, identifier.start, end)


def name_value(name: str, value: TypedSpan, text: str) -> str:
    """Return what a value is called: `name`, unless that is of a value of another type.

    In `10.9.1.1:443`, whatever stands over it, 443 is a port; and no name is an IP.
    """
    if value.fact_type == DETAIL:
        return name
    is_port = value.fact_type == "port"
    names_port = _NAMED["port"].fullmatch(name) is not None
    is_behind = is_port and text[max(0, value.start - 1) : value.start] == ":"
    is_no_ip = names_ip(name) and value.fact_type not in {"ip", "cidr"}
    is_other = is_no_ip or (names_port and not is_port) or (is_behind and not names_port)
    return value.fact_type if is_other or not name else name


def add_aside(name: str, aside: str) -> str:
    """Return what a value is called with what stands in brackets behind its name."""
    return f"{name} ({term(aside)})" if name and aside.strip() else name


def names_ip(name: str) -> bool:
    """Tell whether values called so are IP addresses, and what is called so is none otherwise."""
    return _IP.fullmatch(name) is not None


def list_exact_types(name: str) -> frozenset[str]:
    """Return the types of values called `name`, where each has a form; empty where it is open."""
    attribute = find_attribute(name)
    types = attribute.types if attribute else frozenset[str]()
    return types if types <= _EXACT else frozenset()


def is_illustrative(name: str) -> bool:
    """Tell whether what stands under this name is an example or a pointer, and no statement."""
    return name in _REMARKS or _SHOWN_ONLY.search(name) is not None


def is_example(title: str) -> bool:
    """Tell whether a heading says that what stands below it is shown, and not said."""
    return _EXAMPLE.fullmatch(term(title)) is not None


def is_history(title: str) -> bool:
    """Tell whether a heading says that what stands below it are changes, and not what holds."""
    return _HISTORY.fullmatch(term(title)) is not None


def find_examples(reading: Reading) -> list[bool]:
    """Tell of each part whether it, or one it is below, is called an example, output or history."""
    shown: list[bool] = []
    for part in reading.parts:
        is_below = part.parent is not None and shown[part.parent]
        shown.append(is_below or is_example(part.title) or is_history(part.title))
    return shown


def is_value_name(name: str) -> bool:
    """Tell whether a folded name can be what a value is called: short, and no sentence."""
    tokens = name.split()
    if (
        not tokens
        or len(name) > _LONGEST_NAME
        or len(tokens) > _MOST_NAME_WORDS
        or is_illustrative(name)
    ):
        return False
    stops = [word for word in tokens if word in STOP_WORDS]
    return len(stops) <= 1 and tokens[0] not in STOP_WORDS and not is_code(name)


def is_placeholder(value: str) -> bool:
    """Tell whether a value is one that the reader shall replace."""
    return _STAND_IN.search(value) is not None


def is_summary_key(name: str) -> bool:
    return _SUMMARY_KEY.fullmatch(name) is not None


def is_attribute(name: str) -> bool:
    """Tell whether a folded name says which value it is, rather than whose."""
    return name.replace(" ", "-") in _ATTRIBUTES or _KNOWN_NAME.fullmatch(name) is not None


def find_named_value(
    name: str, text: str, start: int, end: int, *, is_column: bool = False, is_free: bool = False
) -> TypedSpan | None:
    """Return the value that its name gives a type to; `text[start:end]` is where it may stand.

    What heads a column names its values, known or not; so do names that are free.
    """
    command = find_command(text, start, end) if _COMMAND_KEY.fullmatch(name) else None
    if command:
        return command
    while start < end and text[start] in "`*\"' \t":
        start += 1
    for kind, pattern in _NAMED.items():
        match = _NAMED_VALUES[kind].match(text, start, end) if pattern.fullmatch(name) else None
        if match:
            return TypedSpan(kind, *match.span())
    is_part = _ADDRESS.fullmatch(name) and _PART_OF_ADDRESS.fullmatch(text, start, end)
    # A port of letters is a harbour where a complete column has them, and else no value.
    is_other = _NAMED["hostname"].fullmatch(name) or (
        not is_column and _NAMED["port"].fullmatch(name)
    )
    if is_part or is_other or names_ip(name):
        return None
    is_free = is_free or is_column or is_detail(name)
    return find_detail(text, start, end) if is_free else None


def find_command(text: str, start: int, end: int) -> TypedSpan | None:
    """Return the command in a span: what is marked as code, or all of it."""
    command = _COMMAND.search(text, start, end)
    if command:
        return TypedSpan("command", *command.span("value"))
    command_text = text[start:end].rstrip(" \t.")
    return (
        TypedSpan("command", start, start + len(command_text))
        if "`" not in command_text and command_text
        else None
    )


def item_subject(name: str, subject: Subject) -> Subject:
    """Return the subject of a list's item: a thing of its own, or an aspect of what lists it.

    "staging" in a list of environments is no thing of its own.
    """
    if name in STAGES and subject.entity:
        return Subject(subject.entity, name)
    return Subject(name)


def is_detail(name: str) -> bool:
    """Tell whether a folded name is a known one of values without a shape of their own."""
    return name.replace(" ", "-") in _DETAILS or name.rpartition(" ")[2] in _DETAILS


def find_detail(text: str, start: int, end: int) -> TypedSpan | None:
    """Return a short value without a shape of its own; None for what is longer."""
    detail = text[start:end].rstrip(" \t`*,;\"'")
    # The full stop of an abbreviation, such as `k.A.`, is part of it.
    detail = detail if "." in detail.split(" ")[-1][:-1] else detail.rstrip(" \t`*.,;\"'")
    is_short = len(detail) <= _LONGEST_DETAIL and len(detail.split()) <= _MOST_DETAIL_WORDS
    is_short = is_short and any(map(str.isalnum, detail))
    return (
        TypedSpan(DETAIL, start, start + len(detail)) if is_short and "](" not in detail else None
    )


def build_claims(
    subject: Subject, name: str, value: TypedSpan, *, snippet: tuple[int, int], confidence: float
) -> list[FactSpan]:
    """Return what one value says: of the entity, and of the side of it."""
    whole = f"{subject.aspect} {name}".strip()
    terms = {subject.entity: whole}
    if subject.aspect:
        terms[f"{subject.entity} {subject.aspect}"] = name
    return [
        FactSpan(
            term(whose), attribute, value.fact_type, value.start, value.end, *snippet, confidence
        )
        for whose, attribute in terms.items()
        if whose
    ]


_ATTRIBUTES: Final = _DETAILS | frozenset(load_words(__name__, "attributes"))
