"""Front matter: fields for programs that stand before the words for people.

It is a YAML mapping between two `---` or TOML between two `+++`. A block that is no mapping stands
between two rules and is for readers; so does one that begins with a blank line and has a heading,
which would be a comment in YAML. YAML that no parser accepts (`title: Setup: part 1`) is read line
by line, as most tools that show such pages do.

Source: Jekyll's and Hugo's documentation of front matter; pandoc, `yaml_metadata_block`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import yaml

from wellworn.kit.markdown.inline import is_filled_in

LONGEST_FRONT_MATTER: Final = 8_000
"""Characters looked through; a block that goes on longer is no front matter."""

_BLOCK: Final = re.compile(
    r"(?:---[ \t\r]*\n(?P<yaml>.*?)^(?:---|\.\.\.)"
    r"|\+\+\+[ \t\r]*\n(?P<toml>.*?)^\+\+\+)[ \t\r]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADED: Final = re.compile(r"[ \t\r]*\n(?:[^\n]*\n)*?#")
_FIELD: Final = re.compile(r"[\"']?(\w[\w .-]{0,80})[\"']?[ \t]*[:=](?:[ \t]+(.*)|$)")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(.*)")
_NEITHER: Final = re.compile(r"[ \t]*(?:#.*)?$|[ \t]|\[{1,2}[\w.\"' -]{1,80}\]{1,2}$|[\]})]")
#: libyaml is ten times as fast; it keeps every scalar as it is written.
_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a text.

    Attributes:
        end: offset after its last line.
        fields: by folded name, the value or the values of a list, as they are written; without
            empty ones, and without fields that have fields of their own.
    """

    text: str
    end: int
    fields: Mapping[str, tuple[str, ...]]

    @property
    def title(self) -> str:
        """The title; empty where a template puts another one there."""
        return "" if is_filled_in(title := self.value("title")) else title

    def value(self, name: str) -> str:
        """Return a field's first value; empty without one."""
        return self.fields.get(name, ("",))[0]

    def span(self, value: str) -> tuple[int, int] | None:
        """Return where a value stands; None where it is written in another way."""
        start = self.text.find(value, 0, self.end)
        return (start, start + len(value)) if start >= 0 else None


def read_front_matter(text: str) -> FrontMatter | None:
    """Return the front matter; None where there is none in the first 8,000 characters."""
    block = _BLOCK.match(text, 0, LONGEST_FRONT_MATTER) if text[:3] in {"---", "+++"} else None
    if block is None:
        return None
    is_toml = block["yaml"] is None
    inside = block["toml"] if is_toml else block["yaml"]
    if not is_toml and _HEADED.match(inside):
        return None
    fields = _parse(inside, is_toml=is_toml)
    if fields is None:
        fields = _read_lines(inside)
    return FrontMatter(text, block.end(), _to_values(fields)) if fields else None


def _parse(block: str, *, is_toml: bool) -> dict[str, Any] | None:
    """Return the fields, none for what is no mapping; None for what no parser accepts."""
    try:
        loaded = tomllib.loads(block) if is_toml else yaml.load(block, Loader=_LOADER)  # noqa: S506 - it makes strings only
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", loaded) if isinstance(loaded, dict) else {}


def _read_lines(block: str) -> dict[str, Any]:
    """Return the fields, line by line; none if any line is of another kind."""
    fields: dict[str, list[str]] = {}
    name = ""
    for line in block.splitlines():
        if field := _FIELD.match(line):
            name = field[1].strip()
            fields[name] = _split_list(field[2] or "")
        elif name and (item := _ITEM.match(line)):
            fields[name] += _split_list(item[1])
        elif not _NEITHER.match(line):
            return {}
    return fields


def _split_list(text: str) -> list[str]:
    is_list = text.startswith("[") and text.rstrip().endswith("]")
    values = text.strip()[1:-1].split(",") if is_list else [text]
    return [value.strip().strip("\"'") for value in values]


def _to_values(fields: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    named: dict[str, tuple[str, ...]] = {}
    for name, field in fields.items():
        values = cast("list[object]", field) if isinstance(field, list) else [field]
        texts = (str(value).strip() for value in values if not isinstance(value, (dict, list)))
        if filled := tuple(filter(None, texts)):
            named[str(name).casefold()] = filled
    return named
