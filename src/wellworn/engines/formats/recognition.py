"""Tells what a file or folder holds that can be imported, where that is without a doubt."""

from __future__ import annotations

from pathlib import Path

from wellworn.engines.formats.bundle import MANIFEST
from wellworn.engines.formats.foreign import recognise_program
from wellworn.engines.formats.foreign.files import read_first_value
from wellworn.engines.formats.markdown import SUFFIXES
from wellworn.engines.formats.records import KINDS


def recognise(path: Path) -> str | None:
    """Return the kind of import that a file or folder is for; None if that is in doubt."""
    if path.is_dir() and (path / MANIFEST).is_file():
        return "bundle"
    return recognise_program(path) or (_look_into(path) if path.is_dir() else _look_at(path))


def _look_into(folder: Path) -> str | None:
    is_markdown = any(file.suffix.casefold() in SUFFIXES for file in folder.rglob("*.*"))
    return "markdown" if is_markdown else None


def _look_at(file: Path) -> str | None:
    if file.suffix.casefold() in SUFFIXES:
        return "markdown"
    first = read_first_value(file)
    if first.get("record") in KINDS:
        return "bundle"
    if first.get("type") in {"entity", "relation"} or "entities" in first:
        return "mcp-memory"
    return "transcript" if {"speaker", "text"} <= first.keys() else None
