"""What the house weighs, held to figures that may only fall.

`python -m tests.architecture.test_figures` writes what is measured to `figures.toml`.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = PROJECT / "src"
FIGURES = Path(__file__).with_name("figures.toml")
# A figure follows what it measures once that fell by more than this part.
SLACK = 0.01
SLIVER_LINES = 70
REPEATED_LINES = 8


@cache
def _read(folder: str, *endings: str) -> dict[Path, list[str]]:
    """Return the lines that are not blank of every file below a folder, without migrations."""
    files = sorted(file for file in (PROJECT / folder).rglob("*") if file.suffix in endings)
    return {
        file: [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        for file in files
        if "migrations" not in file.parts
    }


def _count_lines(folder: str, *endings: str) -> int:
    return sum(map(len, _read(folder, *endings).values()))


@cache
def _module_names() -> dict[str, Path]:
    names: dict[str, Path] = {}
    for file in _read("src", ".py"):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return names


def _list_imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported when a module is, and not for its types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in _module_names() else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif (
            isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test)
        ) or isinstance(node, ast.Try):
            yield from _list_imports(node)


@cache
def _imports() -> dict[str, set[str]]:
    trees = {name: ast.parse(file.read_text("utf-8")) for name, file in _module_names().items()}
    return {
        name: {other for other in _list_imports(tree) if other in trees and other != name}
        for name, tree in trees.items()
    }


def _count_slivers() -> int:
    """Count the short modules that one other module imports."""
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, others in _imports().items():
        for other in others:
            importers[other].add(name)
    lines = _read("src", ".py")
    return sum(
        len(importers[name]) == 1 and file.stem != "__init__" and len(lines[file]) < SLIVER_LINES
        for name, file in _module_names().items()
    )


def _measure_chain() -> int:
    """Return how many modules the longest chain of imports has; circles are cut where met."""
    lengths: dict[str, int] = {}

    def measure(name: str) -> int:
        if name not in lengths:
            lengths[name] = 0
            lengths[name] = 1 + max(map(measure, sorted(_imports()[name])), default=0)
        return lengths[name]

    return max(map(measure, sorted(_imports())))


def _count_repetitions() -> int:
    """Count the runs of lines that stand in the source more than once."""
    runs = Counter(
        "\n".join(lines[start : start + REPEATED_LINES])
        for lines in _read("src", ".py").values()
        for start in range(len(lines) - REPEATED_LINES + 1)
        if not lines[start].startswith(("from ", "import ", " " * 4 + '"'))
    )
    return sum(count - 1 for count in runs.values() if count > 1)


def _count_namesakes() -> int:
    """Count the classes whose name another module defines too; shapes of the wire aside."""
    places: defaultdict[str, set[Path]] = defaultdict(set)
    for file in _read("src", ".py"):
        if "models" in file.parts and "client" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].add(file)
    return sum(len(files) > 1 for files in places.values())


MEASURES: dict[str, Callable[[], int]] = {
    "source_lines": lambda: _count_lines("src", ".py"),
    "word_list_lines": lambda: _count_lines("src", ".toml", ".txt"),
    "test_lines": lambda: _count_lines("tests", ".py"),
    "modules": lambda: len(_module_names()),
    "slivers": _count_slivers,
    "import_chain": _measure_chain,
    "repetitions": _count_repetitions,
    "namesakes": _count_namesakes,
}


@pytest.mark.parametrize("name", MEASURES)
def test_a_figure_only_falls(name):
    bound, measured = tomllib.loads(FIGURES.read_text("utf-8"))[name], MEASURES[name]()
    assert measured <= bound, f"{name} grew from {bound} to {measured}"
    assert measured >= bound * (1 - SLACK) - 1, f"{name} fell to {measured}: lower its figure"


if __name__ == "__main__":
    kept = [line for line in FIGURES.read_text("utf-8").splitlines() if line.startswith("#")]
    figures = [f"{name} = {measure()}" for name, measure in MEASURES.items()]
    FIGURES.write_text("\n".join([*kept, *figures]) + "\n", "utf-8")
