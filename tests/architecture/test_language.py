"""The naming rules, read off the syntax trees.

- A function's name does not begin with a past participle: functions are imperative verbs.
- A class name is defined in one module only.
- A package exports at most `MOST_EXPORTS` names, or as many as it has a reason for.
- Variables, parameters and attributes say what they hold.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

MOST_EXPORTS = 25
SAYS_NOTHING = {"one", "found", "kept", "said", "given", "told"}

# Verbs that end like a participle of another verb.
VERBS_IN_ED = {
    "embed",
    "reembed",
    "exceed",
    "feed",
    "need",
    "proceed",
    "seed",
    "shed",
    "speed",
    "succeed",
}
IRREGULAR = set(Path(__file__).with_name("irregular_participles.txt").read_text("utf-8").split())

# Each name is allowed everywhere, for its reason.
ALLOWED_FUNCTIONS = {
    "held": "the name of a call and a command that users write",
    "thought": "a noun: what memory keeps",
}
ALLOWED_CLASSES: dict[str, str] = {
    "Reading": "what a reader makes of a text, and what knowledge reads of a document"
}
ALLOWED_EXPORTS = {
    "src/wellworn/domain/sources/__init__.py": (
        31,
        "what a sync is asked, by whom and under which key",
    )
}

PROPERTIES = {"property", "cached_property", "setter"}


Trees = dict[str, ast.Module]


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (getattr(mark, "attr", getattr(mark, "id", "")) for mark in node.decorator_list)
    return not PROPERTIES.isdisjoint(names)


def _is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("ed") and word not in VERBS_IN_ED)


def participles(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the functions whose first word is a past participle, each with its module."""
    for place, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = node.name.lstrip("_")
                is_allowed = name in ALLOWED_FUNCTIONS or _is_property(node)
                if _is_participle(name.partition("_")[0]) and not is_allowed:
                    yield place, node.name


SHAPES = "client/models/"
"""Shapes of the wire: each has the name of the value that it is made from, and all are public."""


def repeated_classes(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the classes whose name another module defines too, each with its module."""
    places: defaultdict[str, set[str]] = defaultdict(set)
    for place, tree in trees.items():
        if SHAPES in place:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(place)
    for name, modules in places.items():
        if len(modules) > 1 and name not in ALLOWED_CLASSES:
            yield from ((place, name) for place in modules)


def surplus_exports(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the names that a package exports beyond the most; without `__all__`, its imports."""
    for place, tree in trees.items():
        if PurePosixPath(place).name != "__init__.py" or SHAPES in place:
            continue
        imports = [
            alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
        listed = [
            element.value
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            for element in getattr(node.value, "elts", ())
        ]
        most, _reason = ALLOWED_EXPORTS.get(place, (MOST_EXPORTS, ""))
        yield from ((place, name) for name in (listed or imports)[most:])


def _bound_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return name if isinstance(node.ctx, ast.Store) else None
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.alias):
        return node.asname
    return node.name if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) else None


def empty_variables(trees: Trees) -> Iterator[tuple[str, str]]:
    """Yield the variables, parameters and attributes whose name says nothing."""
    for place, tree in trees.items():
        for node in ast.walk(tree):
            name = _bound_name(node)
            if name is not None and name.strip("_") in SAYS_NOTHING:
                yield place, f"{name} in line {getattr(node, 'lineno', '?')}"


RULES = (participles, repeated_classes, surplus_exports, empty_variables)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_name_breaks_a_rule(rule, source_trees):
    assert list(rule(source_trees)) == []


SEEDS = {
    participles: (
        "def joined(): ...",
        "class A:\n    async def _written_twice(self): ...",
        "def outer():\n    def counted(): ...",
        "class A:\n    @classmethod\n    def made(cls): ...",
    ),
    repeated_classes: ("class Same: ...", "def f():\n    class Same: ..."),
    surplus_exports: (
        f"__all__ = {[str(number) for number in range(MOST_EXPORTS + 1)]}",
        f"from x import {', '.join(f'n{number}' for number in range(MOST_EXPORTS + 1))}",
    ),
    empty_variables: (
        "found = 1",
        "[one for one in x]",
        "def f(*, given): ...",
        "lambda told: 1",
        "self._kept: int = 1",
        "if (said := f()): ...",
        "import x as found",
        "match x:\n    case [*one]: ...",
    ),
}
INNOCENT = """
__all__ = ["a"]
def join(): ...
def embed(): ...
def read_text(): ...
class Other:
    @property
    def closed(self): ...
    @cached_property
    def made(self): ...
    def find(self): return found
"""


@pytest.mark.parametrize(
    ("rule", "seed"), [(rule, seed) for rule, seeds in SEEDS.items() for seed in seeds]
)
def test_each_rule_sees_what_breaks_it(rule, seed):
    other = ast.parse("class Same: ...")
    trees = {"src/wellworn/kit/__init__.py": ast.parse(seed), "src/wellworn/kit/b.py": other}
    assert next(rule(trees))[0].startswith("src/wellworn/kit/")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_rule_sees_what_does_not_break_it(rule):
    assert list(rule({"src/wellworn/kit/__init__.py": ast.parse(INNOCENT)})) == []


def test_every_exception_has_its_reason():
    assert all([*ALLOWED_FUNCTIONS.values(), *ALLOWED_CLASSES.values()])
    assert all(reason for _most, reason in ALLOWED_EXPORTS.values())
