"""Recognizes the kind of source an address, a path or a note means, and configures it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from wellworn.domain.sources.connectors import SourceKind

_LONGEST_NAME = 100
_OPTIONS = {"text": "--note"}
"""Options that are not called like the field of the configuration they are for."""
_NOTHING_NAMED = "name what to add: a URL, a folder, a file, or --note 'a text'"
_NOT_THERE = (
    "there is no such file or folder; a page begins with https://, a repository needs --git"
)


@dataclass(frozen=True, slots=True)
class RecognizedSource:
    """A source to be added; `file` is the first file of a source of uploads."""

    source_type: str
    name: str
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    file: Path | None = None


def recognize_source(
    what: str | None, details: Mapping[str, object], *, is_git: bool
) -> RecognizedSource:
    """Return the source that is meant.

    Args:
        what: an address, a path, or the title of a note.
        details: further fields of its configuration; each is for some kinds only.
        is_git: whether it is a repository, whatever it is called.

    Raises:
        typer.BadParameter: it is nothing that there is, or an option is not for its kind.
    """
    from wellworn.domain.sources import connectors

    options = {*details, *(["git"] if is_git else [])}
    kind, source = connectors.recognize_source(what or "", options)
    if kind is None or source is None:
        raise typer.BadParameter(_NOT_THERE if what else _NOTHING_NAMED)
    _require_details_of(kind.name, details)
    name = " ".join(source.name.split())[:_LONGEST_NAME] or "source"
    if kind.location is None:
        return RecognizedSource(kind.name, name, dict(details), Path(source.location))
    return RecognizedSource(kind.name, name, {kind.location: source.location, **details})


def change_config(
    source_type: str, config: Mapping[str, Any], what: str | None, details: Mapping[str, object]
) -> dict[str, Any] | None:
    """Return the configuration of a source as it is to be, or None when it stays as it is.

    Raises:
        typer.BadParameter: it cannot be elsewhere, or an option is not for its kind.
    """
    changes: dict[str, Any] = dict(details)
    _require_details_of(source_type, details)
    if what is not None:
        kind = _kinds().get(source_type)
        if kind is None or kind.location is None:
            raise typer.BadParameter(f"a source of the kind {source_type} has no place to change")
        changes[kind.location] = _resolve_folder(what) if kind.is_local else what
    return {**config, **changes} if changes else None


def read_token(variable: str | None, *, ask: bool) -> str | None:
    """Return the token of a variable, or one that is asked for unseen; None without either.

    Raises:
        typer.BadParameter: there is nothing in the variable.
    """
    if variable is not None:
        token = os.environ.get(variable, "").strip()
        if not token:
            raise typer.BadParameter("the variable named by --token-env is not set")
        return token
    if ask:
        token = str(typer.prompt("token", hide_input=True, err=True)).strip()
        if not token:
            raise typer.BadParameter("no token was given")
        return token
    return None


def format_secret(source_type: str, token: str) -> str:
    """Return what is sent for a token: a web page wants a full header, git the token alone.

    Raises:
        typer.BadParameter: nobody asks for a token there.
    """
    kinds = _kinds()
    kind = kinds.get(source_type)
    if kind is not None and kind.sign_in is None:
        names = " or a ".join(each.name for each in kinds.values() if each.sign_in)
        raise typer.BadParameter(f"a token is for a {names}, and this is a {source_type}")
    is_bare = kind is not None and kind.sign_in == "header" and " " not in token
    return f"Bearer {token}" if is_bare else token


def _kinds() -> Mapping[str, SourceKind]:
    from wellworn.domain.sources.connectors import load_source_kinds

    return load_source_kinds()


def _require_details_of(source_type: str, details: Mapping[str, object]) -> None:
    for name in details:
        owners = [kind.name for kind in _kinds().values() if name in kind.options]
        if source_type not in owners:
            option = _OPTIONS.get(name) or f"--{name.replace('_', '-')}"
            message = f"{option} is for a {' or a '.join(owners)}, and this is a {source_type}"
            raise typer.BadParameter(message)


def _resolve_folder(what: str) -> str:
    path = Path(what).expanduser().resolve()
    if not path.is_dir():
        raise typer.BadParameter("this source is a folder, and there is no such folder")
    return str(path)
