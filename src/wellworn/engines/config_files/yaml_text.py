"""YAML edited in place, as far as one member of a mapping below the top goes.

PyYAML says where each node stands; lines are inserted and removed between them. A mapping that is
written in braces is left to its owner.
"""

from __future__ import annotations

from typing import Any, Final, cast

import yaml

from wellworn.engines.config_files.format import ConfigBroken, Format, Steps


def _compose(text: str) -> yaml.MappingNode | None:
    try:
        composed: object = yaml.compose(text, Loader=yaml.SafeLoader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        node = cast("yaml.Node | None", composed)
    except yaml.YAMLError as failure:
        mark = getattr(failure, "problem_mark", None)
        where = f"line {mark.line + 1} is not YAML" if mark else "it is not YAML"
        raise ConfigBroken(where) from failure
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise ConfigBroken("it is not a YAML mapping")
    return node


def _read(text: str) -> dict[str, Any]:
    _compose(text)
    try:
        return cast("dict[str, Any]", yaml.safe_load(text) or {})
    except (yaml.YAMLError, ValueError) as failure:
        raise ConfigBroken("it has a value of no kind that is known here") from failure


def _put(text: str, path: Steps, value: object) -> str:
    group, name = path
    root = _compose(text)
    pair = root and _find(root, group)
    if pair is None:
        head = text if not text or text.endswith("\n") else f"{text}\n"
        return head + _write({group: {name: value}})
    key, below = pair
    if not isinstance(below, yaml.MappingNode) or below.flow_style:
        raise ConfigBroken(f"{group} is not a mapping with one member a line")
    first = below.value[0][0]
    lines = text.splitlines(keepends=True)
    indent = " " * first.start_mark.column
    new = [f"{indent}{line}\n" for line in _write({name: value}).splitlines()]
    at = key.start_mark.line + 1
    return "".join([*lines[:at], *new, *lines[at:]])


def _drop(text: str, path: Steps) -> str:
    group, name = path
    root = _compose(text)
    pair = root and _find(root, group)
    member = None
    if pair is not None and isinstance(pair[1], yaml.MappingNode):
        member = _find(pair[1], name)
    if pair is None or member is None:
        return text
    lines = text.splitlines(keepends=True)
    start, column = member[0].start_mark.line, member[0].start_mark.column
    end = start + 1
    while end < len(lines) and _is_below(lines[end], column):
        end += 1
    kept = [*lines[:start], *lines[end:]]
    return "".join(kept)


def _drop_group(text: str, group: str | int) -> str:
    """Drop a group without a member."""
    root = _compose(text)
    pair = root and _find(root, group)
    if pair is None:
        return text
    lines = text.splitlines(keepends=True)
    line = pair[0].start_mark.line
    return "".join([*lines[:line], *lines[line + 1 :]])


def _take_out(text: str, path: Steps) -> str:
    return _drop_group(text, path[0]) if len(path) == 1 else _drop(text, path)


def _is_below(line: str, column: int) -> bool:
    return len(line) - len(line.lstrip(" ")) > column and bool(line.strip())


def _find(node: yaml.MappingNode, name: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
    return next((pair for pair in pairs if pair[0].value == name), None)


def _write(value: object) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


YAML_TEXT: Final = Format(_read, _put, _take_out, _write)
