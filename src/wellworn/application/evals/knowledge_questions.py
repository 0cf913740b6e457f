"""A file of questions to one's own knowledge, each with what its answer is to hold.

YAML read as letters: `1.10` and `yes` are texts, as they stand in the documents that are asked
for. Anchors are followed and never copied, so that a small file cannot become a large one. Every
complaint says the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

import yaml

from wellworn.errors import InvalidInput
from wellworn.kit.text import is_storable

OUTCOMES: Final = ("resolved", "ambiguous", "not_stated", "unknown")
_LARGEST: Final = 1_000_000
"""Characters of a file."""
_LONGEST_QUESTION: Final = 10_000
_LONGEST_TERM: Final = 200
_LONGEST_CONTEXT: Final = 2_000
_MOST_DOCUMENTS: Final = 5
"""No more are looked at."""
_KEYS: Final = ("ask", "resolve", "context", "expect")
_EXPECTED: Final = ("document", "text", "value", "outcome")
_EXAMPLE: Final = "an entry is such as: - {ask: who runs cube?, expect: {document: mytech/a.md}}"


class QuestionsUnusable(InvalidInput):
    """The file is no list of questions; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The contents that an answer is to have; what is empty is not asked for.

    Attributes:
        documents: as cited, with or without an anchor, or paths alone.
        text: words of a passage.
        value: an identifier, to the letter.
        outcome: one of `OUTCOMES`; only of terms.
    """

    documents: tuple[str, ...] = ()
    text: str = ""
    value: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to be searched for, or a term to be resolved.

    Attributes:
        number: its place in the file, from 1.
        line: where it begins, from 1.
        text: the question or the term.
        is_term: whether it is resolved.
        context: what a term is asked for.
    """

    number: int
    line: int
    text: str
    is_term: bool
    context: str
    expected: Expected


def questions(text: str) -> tuple[Asked, ...]:
    """Read a file of questions.

    Raises:
        QuestionsUnusable: it is none; the message says the line, the entry, and what is wrong.
    """
    if len(text) > _LARGEST:
        raise QuestionsUnusable(f"the file is larger than {_LARGEST // 1000} KB; split it")
    root = _parse(text)
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        raise QuestionsUnusable(f"the file is not a list of questions; {_EXAMPLE}")
    nodes = cast("list[yaml.Node]", root.value)
    return tuple(_entry(node, number) for number, node in enumerate(nodes, start=1))


def _parse(text: str) -> yaml.Node | None:
    try:
        return yaml.BaseLoader(text).get_single_node()
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise QuestionsUnusable(f"{where}this is not YAML: {failure.problem}") from failure
    except yaml.YAMLError as failure:
        message = "this is not YAML: it has characters that cannot be read"
        raise QuestionsUnusable(message) from failure
    except RecursionError as failure:
        raise QuestionsUnusable(
            "this is not a list of questions: it is nested too deep"
        ) from failure


def _entry(node: yaml.Node, number: int) -> Asked:
    place = _Place(number, node.start_mark.line + 1)
    fields = place.fields(node, _KEYS, "the entry")
    if ("ask" in fields) == ("resolve" in fields):
        raise place.make_refusal("it must have either ask or resolve")
    is_term = "resolve" in fields
    name, longest = ("resolve", _LONGEST_TERM) if is_term else ("ask", _LONGEST_QUESTION)
    if "context" in fields and not is_term:
        raise place.make_refusal("context is for resolve; put it into the question")
    if "expect" not in fields:
        raise place.make_refusal("it does not say what to expect")
    return Asked(
        number=number,
        line=place.line,
        text=place.text(fields[name], name, longest),
        is_term=is_term,
        context=place.text(fields["context"], "context", _LONGEST_CONTEXT)
        if "context" in fields
        else "",
        expected=_read_expected(place, fields["expect"], is_term=is_term),
    )


def _read_expected(place: _Place, node: yaml.Node, *, is_term: bool) -> Expected:
    fields = place.fields(node, _EXPECTED, "expect")
    if not fields:
        raise place.make_refusal(f"expect has none of {', '.join(_EXPECTED)}")
    texts = {
        name: place.text(fields[name], f"expect.{name}", _LONGEST_QUESTION)
        for name in ("text", "value", "outcome")
        if name in fields
    }
    outcome = texts.get("outcome", "")
    if outcome and not is_term:
        raise place.make_refusal("expect.outcome is for resolve; a search has none")
    if outcome and outcome not in OUTCOMES:
        raise place.make_refusal(f"expect.outcome is {outcome!r}, and not {_either(OUTCOMES)}")
    if outcome == "unknown" and fields.keys() - {"outcome"}:
        raise place.make_refusal("of what is unknown nothing else can be expected")
    documents = place.texts(fields["document"], "expect.document") if "document" in fields else ()
    return Expected(documents, **texts)


@dataclass(frozen=True, slots=True)
class _Place:
    """An entry that is being read."""

    number: int
    line: int

    def make_refusal(self, reason: str, node: yaml.Node | None = None) -> QuestionsUnusable:
        line = self.line if node is None else node.start_mark.line + 1
        return QuestionsUnusable(f"line {line}, entry {self.number}: {reason}")

    def fields(self, node: yaml.Node, known: tuple[str, ...], what: str) -> Mapping[str, yaml.Node]:
        if not isinstance(node, yaml.MappingNode):
            raise self.make_refusal(f"{what} is no mapping; {_EXAMPLE}", node)
        nodes: dict[str, yaml.Node] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if name not in known:
                reason = f"{what} has {name!r}, and may only have {', '.join(known)}"
                raise self.make_refusal(reason, key)
            if name in nodes:
                raise self.make_refusal(f"{what} has {name} twice; is a dash missing?", key)
            nodes[name] = value
        return nodes

    def text(self, node: yaml.Node, what: str, longest: int) -> str:
        value = cast("object", node.value)
        if not isinstance(node, yaml.ScalarNode) or not isinstance(value, str):
            raise self.make_refusal(f"{what} is no text; put it in quotes", node)
        if not value.strip():
            raise self.make_refusal(f"{what} is empty", node)
        if not is_storable(value):
            raise self.make_refusal(f"{what} has characters that no document has", node)
        if len(value) > longest:
            raise self.make_refusal(f"{what} is longer than {longest:,} characters", node)
        return value.strip()

    def texts(self, node: yaml.Node, what: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._texts(node, what)))

    def _texts(self, node: yaml.Node, what: str) -> Iterator[str]:
        if not isinstance(node, yaml.SequenceNode):
            yield self.text(node, what, _LONGEST_QUESTION)
            return
        nodes = cast("list[yaml.Node]", node.value)
        if not 1 <= len(nodes) <= _MOST_DOCUMENTS:
            reason = f"{what} names {len(nodes)} documents; the first {_MOST_DOCUMENTS} are judged"
            raise self.make_refusal(reason, node)
        for item in nodes:
            yield self.text(item, what, _LONGEST_QUESTION)


def _either(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
