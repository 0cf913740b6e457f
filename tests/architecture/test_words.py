"""Lists of words are data: they stand in files, with where they come from, and not in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

MOST_WORDS = 11
WORD = re.compile(r"[^\W\d_]{2,}(?:[ _'-]+[^\W\d_]+)*")
OPENS_GROUP = re.compile(r"\?(?::|P<\w+>|i:|[=!]|<[=!])")

# Modules whose lists are no words of a language, each for its reason.
ALLOWED = {
    "client/models/outline.py": "kinds of nodes, an enumeration of the wire",
    "client/models/traces.py": "kinds of events, an enumeration of the wire",
    "engines/safety/secret_rules.py": "beginnings of tokens, as an issuer documents them",
    "interfaces/cli/failures.py": "codes of errors, each with its remedy",
    "interfaces/cli/transfer.py": "names of programs whose memories are imported",
    "interfaces/complaints.py": "statuses of codes of errors; types of errors, each explained",
}


def _count_words(texts: Iterable[str]) -> int:
    return sum(WORD.fullmatch(text.strip()) is not None for text in texts)


def _read_strings(nodes: Iterable[ast.expr | None]) -> list[str]:
    return [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def _split_groups(pattern: str) -> Iterator[list[str]]:
    """Yield the alternatives of each group of a pattern, without what is inside inner groups."""
    groups = [[""]]
    for sign in re.findall(r"\\.|\[[^\]]*\]|.", pattern, re.DOTALL):
        if sign == "(":
            groups.append([""])
        elif sign == ")" and len(groups) > 1:
            yield groups.pop()
        elif sign == "|":
            groups[-1].append("")
        elif sign not in {"?", r"\b"} or not groups[-1][-1]:
            groups[-1][-1] += sign
    yield from groups


def _count_in_text(text: str) -> int:
    groups = ([OPENS_GROUP.sub("", part) for part in group] for group in _split_groups(text))
    return max(_count_words(group) for group in groups)


def _count_in_node(node: ast.AST) -> int:
    match node:
        case ast.List() | ast.Set() | ast.Tuple():
            return _count_words(_read_strings(node.elts))
        case ast.Dict() if all(
            isinstance(value, ast.Constant | ast.Tuple) for value in node.values
        ):
            return max(_count_words(_read_strings(part)) for part in (node.keys, node.values))
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=value)
            | ast.Attribute(attr="split" as name, value=value)
        ) if name.isupper() or name == "split":
            words = " ".join(_read_strings([value])).split()
            return _count_words(words) if len(words) == _count_words(words) else 0
        case ast.JoinedStr():
            return _count_in_text(" ".join(_read_strings(node.values)))
        case ast.Constant(value=str()):
            return _count_in_text(str(node.value))
        case _:
            return 0


def _walk_code(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module but its documentation and what a package exports."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += [child for child in ast.iter_child_nodes(node) if not _is_no_list(child)]


def _is_no_list(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")


def find_word_lists(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield the modules that list more words than code may."""
    for place, tree in trees.items():
        for node in _walk_code(tree):
            if _count_in_node(node) > MOST_WORDS:
                yield place.removeprefix("src/wellworn/")


def test_no_code_lists_words(source_trees):
    assert set(find_word_lists(source_trees)) == ALLOWED.keys()


TWELVE = [f"{letter}lpha" for letter in "abcdefghijkl"]


@pytest.mark.parametrize(
    "code",
    [
        f"WORDS = {TWELVE}",
        f"WORDS = {set(TWELVE)}",
        f"WORDS = {dict.fromkeys(TWELVE, 1)}",
        f"WORDS = {{{', '.join(f'{word!r}: ({word!r},)' for word in TWELVE)}}}",
        f"WORDS = '{' '.join(TWELVE)}'.split()",
        f"WORDS = '{' '.join(TWELVE)}'",
        f"PATTERN = re.compile(r'\\b(?:{'|'.join(TWELVE)})s?\\b')",
        f"PATTERN = re.compile(r'(?P<word>{'?|'.join(TWELVE)})')",
        f"PATTERN = re.compile(rf'{{START}}(?:{'|'.join(TWELVE)}|(?:of|in) .*)')",
    ],
)
def test_a_list_of_words_is_seen_however_it_is_written(code):
    assert set(find_word_lists({"a.py": ast.parse(code)})) == {"a.py"}


@pytest.mark.parametrize(
    "code",
    [
        f'"""{" ".join(TWELVE)}"""',
        f"__all__ = {TWELVE}",
        f"WORDS = {TWELVE[:MOST_WORDS]}",
        f"row = {{{', '.join(f'{word!r}: record.{word}' for word in TWELVE)}}}",
        "raise ValueError('A name of a space is at most sixty characters long, and has no blank.')",
    ],
)
def test_what_is_no_list_of_words_is_passed_over(code):
    assert list(find_word_lists({"a.py": ast.parse(code)})) == []


def test_every_exception_has_its_reason():
    assert all(ALLOWED.values())
