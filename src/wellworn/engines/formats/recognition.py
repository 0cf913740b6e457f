"""Tells what a file or folder holds that can be imported, where that is without a doubt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wellworn.engines.formats.bundle import MANIFEST
from wellworn.engines.formats.foreign import read_opening, recognise_place, recognise_value
from wellworn.engines.formats.markdown import SUFFIXES
from wellworn.engines.formats.records import KINDS


def recognise(path: Path) -> str | None:
    """Return the kind of import that a file or folder is for; None if that is in doubt."""
    if path.is_dir() and (path / MANIFEST).is_file():
        return "bundle"
    if program := recognise_place(path):
        return program
    first = read_opening(path)
    if program := recognise_value(first):
        return program
    return _look_into(path) if path.is_dir() else _look_at(path, first)


def _look_into(folder: Path) -> str | None:
    is_markdown = any(file.suffix.casefold() in SUFFIXES for file in folder.rglob("*.*"))
    return "markdown" if is_markdown else None


def _look_at(file: Path, first: Mapping[str, Any]) -> str | None:
    if file.suffix.casefold() in SUFFIXES:
        return "markdown"
    if first.get("record") in KINDS:
        return "bundle"
    if first.get("type") in {"entity", "relation"} or "entities" in first:
        return "mcp-memory"
    return "transcript" if {"speaker", "text"} <= first.keys() else None
