"""The rules of the house about shape, read off the syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

MAX_PORT_METHODS = 8

# Where a broad `except` is right: the edges at which one caller's fault must not end the process.
ENTRY_POINTS = (
    "src/wellworn/interfaces/",
    # The loop that runs jobs outlives every one of them.
    *("src/wellworn/engines/jobs/service.py", "src/wellworn/engines/jobs/worker.py"),
    # Whatever a tool of a turn raises is its result.
    "src/wellworn/domain/turns/phases/coordination.py",
    # Of somebody else's server, over an SDK, anything may come; it is a failure with its reason.
    "src/wellworn/engines/tool_servers/session.py",
    # What a turn, or what it waits for, raises in its own thread is raised where it is waited for.
    *("src/wellworn/application/calls/running_turn.py", "src/wellworn/domain/turns/turn_run.py"),
    # The work in the background: whatever a step raises, the others are due.
    "src/wellworn/application/calls/upkeep.py",
)
# An engine written in another language raises whatever it likes, panics included.
ENGINES = (
    "src/wellworn/engines/storage/vectors/shard.py",
    "src/wellworn/engines/embedding/hub_model.py",
)
BROAD = {"Exception", "BaseException"}


def _is_in(place: str, *folders: str) -> bool:
    return place.startswith(folders)


def _names(node: ast.expr | None) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} if node else set()


def _bases(node: ast.ClassDef) -> set[str]:
    ends = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    return {end.attr if isinstance(end, ast.Attribute) else getattr(end, "id", "") for end in ends}


def _classes(trees: dict[str, ast.Module]) -> Iterator[tuple[str, ast.ClassDef]]:
    for place, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield place, node


def test_the_package_itself_holds_only_its_version(source_trees):
    _docstring, *rest = source_trees["src/wellworn/__init__.py"].body
    assigned = [_names(target) for node in rest for target in getattr(node, "targets", [None])]
    assert assigned == [{"__version__"}]


def _keeps(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler can end an exception, rather than tidy up and pass it on."""
    last = handler.body[-1]
    return not (isinstance(last, ast.Raise) and last.exc is None)


def _catches_everything(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.ExceptHandler)
        and (node.type is None or bool(_names(node.type) & BROAD))
        and _keeps(node)
    )


def test_only_entry_points_catch_everything(source_trees):
    broad = [
        f"{place}:{node.lineno}"
        for place, tree in source_trees.items()
        if not _is_in(place, *ENTRY_POINTS, *ENGINES)
        for node in ast.walk(tree)
        if _catches_everything(node)
    ]
    assert broad == []


def test_a_port_has_at_most_eight_methods(source_trees):
    ports = {
        f"{place}: {node.name}": sum(
            isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body
        )
        for place, node in _classes(source_trees)
        if "Protocol" in _bases(node)
    }
    assert ports, "no port was found; the test looks in the wrong place"
    assert {port: count for port, count in ports.items() if count > MAX_PORT_METHODS} == {}


def _described(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and any(
        keyword.arg == "description" and ast.unparse(keyword.value).strip("'\"")
        for keyword in value.keywords
    )


def test_every_setting_says_what_it_does(source_trees):
    fields = [
        (f"{node.name}.{ast.unparse(part.target)}", part.value)
        for place, node in _classes(source_trees)
        if PurePosixPath(place).stem == "settings" or "/settings/" in place
        if _bases(node) & {"BaseModel", "BaseSettings"}
        for part in node.body
        if isinstance(part, ast.AnnAssign) and "ClassVar" not in ast.unparse(part.annotation)
    ]
    assert fields, "no setting was found; the test looks in the wrong place"
    assert [name for name, value in fields if not _described(value)] == []


def _skips(tree: ast.Module) -> Iterator[tuple[int, bool]]:
    """Yield the line of every skip and whether it gives a reason."""
    marks = {"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail", "pytest.importorskip"}
    called: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called.add(id(node.func))
            name = ast.unparse(node.func)
            told = any(keyword.arg == "reason" for keyword in node.keywords)
            if name in marks:
                yield node.lineno, told
            elif name == "pytest.skip":
                yield node.lineno, told or bool(node.args)
    for node in ast.walk(tree):
        bare = isinstance(node, ast.Attribute) and id(node) not in called
        if bare and ast.unparse(node) in marks - {"pytest.importorskip"}:
            yield node.lineno, False


def test_no_test_is_skipped_without_a_reason(test_trees):
    silent = [
        f"{place}:{line}"
        for place, tree in test_trees.items()
        for line, told in _skips(tree)
        if not told
    ]
    assert silent == []
