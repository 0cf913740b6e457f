"""What kind of source somebody means by an address, a path or a note."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

_WEB = ("http://", "https://")
_LONGEST_NAME = 100


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
    for name, kind in (("branch", "git_repo"), ("path_filter", "git_repo"), ("include", "folder")):
        given = getattr(details, name)
        if given is None:
            continue
        if found.source_type != kind:
            option = name.replace("_", "-")
            raise typer.BadParameter(
                f"--{option} is for a {kind}, and this is a {found.source_type}"
            )
        found.config[name] = given
    return found


def authorization(source_type: str, token: str) -> str:
    """Return what is sent for a token: a web page wants a whole header, git the token alone."""
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


def _last_part(address: str) -> str:
    rest = address.partition("://")[2] or address.rpartition(":")[2]
    plain = rest.partition("?")[0].partition("#")[0].rstrip("/")
    # What stands before an @ may be a password.
    return plain.rpartition("/")[2].rpartition("@")[2]


def _name(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_NAME] or "source"
