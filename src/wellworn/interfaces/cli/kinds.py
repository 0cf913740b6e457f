"""What kind of source somebody means by an address, a path or a note."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

_WEB = ("http://", "https://")
_LONGEST_NAME = 100
_PLACE = {"url": "url", "git_repo": "repo_url", "folder": "path", "manual_note": "title"}
"""The field of a kind's configuration that says which one it is."""
_WITHOUT_LOGIN = frozenset({"folder", "upload", "manual_note"})
_OF_KIND = (
    ("branch", "git_repo", "branch"),
    ("path_filter", "git_repo", "path_filter"),
    ("include", "folder", "include"),
    ("note", "manual_note", "text"),
)
"""A detail, the only kind that it is for, and the field of its configuration."""


@dataclass(frozen=True, slots=True)
class Details:
    """What options say of a source; each is for some kinds only."""

    note: str | None = None
    git: bool = False
    branch: str | None = None
    path_filter: str | None = None
    include: str | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source to be added; `file` is the first file of a source of uploads."""

    source_type: str
    name: str
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    file: Path | None = None


def wanted(what: str | None, details: Details) -> Wanted:
    """Return the source that is meant.

    Raises:
        typer.BadParameter: it is nothing that there is, or an option is not for its kind.
    """
    found = _meant(what, details)
    found.config.update(_detailed(found.source_type, details))
    return found


def reconfigured(
    source_type: str, config: Mapping[str, Any], what: str | None, details: Details
) -> dict[str, Any] | None:
    """Return the configuration of a source as it is to be, or None when it stays as it is.

    Raises:
        typer.BadParameter: it cannot be elsewhere, or an option is not for its kind.
    """
    changes = _detailed(source_type, details)
    if what is not None:
        if source_type not in _PLACE:
            raise typer.BadParameter(f"a source of the kind {source_type} is at no other place")
        changes[_PLACE[source_type]] = _folder(what) if source_type == "folder" else what
    return {**config, **changes} if changes else None


def _detailed(source_type: str, details: Details) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, kind, key in _OF_KIND:
        given = getattr(details, name)
        if given is None:
            continue
        if source_type != kind:
            option = name.replace("_", "-")
            raise typer.BadParameter(f"--{option} is for a {kind}, and this is a {source_type}")
        found[key] = given
    return found


def token_given(variable: str | None, *, ask: bool) -> str | None:
    """Return the token of a variable, or one that is asked for unseen; None without either.

    Raises:
        typer.BadParameter: there is nothing in the variable.
    """
    if variable is not None:
        found = os.environ.get(variable, "").strip()
        if not found:
            raise typer.BadParameter("the variable named by --token-env is not set")
        return found
    if ask:
        found = str(typer.prompt("token", hide_input=True, err=True)).strip()
        if not found:
            raise typer.BadParameter("no token was given")
        return found
    return None


def authorization(source_type: str, token: str) -> str:
    """Return what is sent for a token: a web page wants a whole header, git the token alone.

    Raises:
        typer.BadParameter: nobody asks for a token there.
    """
    if source_type in _WITHOUT_LOGIN:
        raise typer.BadParameter(f"a token is for a url or a git_repo, and this is a {source_type}")
    is_bare = source_type == "url" and " " not in token
    return f"Bearer {token}" if is_bare else token


def _meant(what: str | None, details: Details) -> Wanted:
    if details.note is not None:
        title = what or "note"
        return Wanted("manual_note", _name(title), {"title": title, "text": details.note})
    if not what:
        raise typer.BadParameter("say what to add: a URL, a folder, a file, or --note 'a text'")
    is_web = what.lower().startswith(_WEB)
    if details.git or (what.endswith(".git") and (is_web or what.startswith(("git@", "ssh://")))):
        return Wanted("git_repo", _name(_last_part(what).removesuffix(".git")), {"repo_url": what})
    if is_web:
        return Wanted("url", _name(_last_part(what)), {"url": what})
    return _on_disk(what)


def _on_disk(what: str) -> Wanted:
    path = Path(what).expanduser().resolve()
    if path.is_dir():
        return Wanted("folder", _name(path.name), {"path": str(path)})
    if path.is_file():
        return Wanted("upload", _name(path.stem), file=path)
    raise typer.BadParameter(
        "no file or folder is called so; a page begins with https://, a repository needs --git"
    )


def _folder(what: str) -> str:
    path = Path(what).expanduser().resolve()
    if not path.is_dir():
        raise typer.BadParameter("this source is a folder, and no folder is called so")
    return str(path)


def _last_part(address: str) -> str:
    rest = address.partition("://")[2] or address.rpartition(":")[2]
    plain = rest.partition("?")[0].partition("#")[0].rstrip("/")
    # What stands before an @ may be a password.
    return plain.rpartition("/")[2].rpartition("@")[2]


def _name(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_NAME] or "source"
