"""The project of a directory: what a `.wellworn` file or a git repository says it is.

A project is an open space of its own that needs no key on loopback. Its id is a digest, so a file
can name no other space, and neither a path nor an address leaves the machine. What lies in a
repository is foreign: it is read, and no program runs.

Source: `docs/adr/0017-projects.md`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wellworn.errors import InvalidInput
from wellworn.kit.project_ids import derive_project_id, is_space_id

MARKER = ".wellworn"
_LARGEST_MARKER = 4096
_LARGEST_CONFIG = 1_048_576
_REMOTE = 'remote "'
_SHORT_ADDRESS = re.compile(r"\A([^/:]+):(?!//)")
"""The host in `git@host:path`, which is no URL."""
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://(?:[^/]*@)?(?P<host>[^/:?#]*)(?::[0-9]*)?)?(?P<path>/[^?#]*)(?:[?#].*)?",
    re.IGNORECASE,
)


class Project(NamedTuple):
    """A project: its name, the id of its space, and the directory that makes it one."""

    name: str
    space: str
    directory: Path


def find_project(start: Path | None = None) -> Project | None:
    """Return the project of a directory, by default the working one, or None outside of any.

    The nearest `.wellworn` file above decides, else the nearest git repository.

    Raises:
        InvalidInput: the `.wellworn` file is not as it should be.
    """
    # The working directory may be gone, and one above it closed to this user.
    with suppress(OSError, UnicodeDecodeError):
        start = (start or Path.cwd()).resolve()
        marked = next((place for place in _ascend(start) if (place / MARKER).is_file()), None)
        name = None if marked is None else _read_name(marked / MARKER)
        if marked is not None and name is not None:
            return Project(name, derive_project_id(name, "name", name), marked)
        return _find_by_place(marked or start, is_marked=marked is not None)
    return None


def _ascend(place: Path) -> tuple[Path, ...]:
    return (place, *place.parents)


def _find_by_place(place: Path, *, is_marked: bool) -> Project | None:
    """Return the project that a place in a git repository is, or else a marked directory."""
    root = next((folder for folder in _ascend(place) if (folder / ".git").exists()), None)
    if root is None:
        space = derive_project_id(place.name, "path", str(place))
        return Project(place.name, space, place) if is_marked else None
    # All clones and work trees of a repository are one project.
    folder = _find_git_folder(root / ".git")
    origin = _find_remote(folder / "config") or str(folder.parent)
    directory = place if is_marked else root
    name = origin.rpartition("/")[2] if directory == root else directory.name
    inside = directory.relative_to(root).as_posix()
    return Project(name, derive_project_id(name, "git", origin, inside), directory)


def _read_name(marker: Path) -> str | None:
    """Return the name in a `.wellworn` file, None when the file has none.

    Raises:
        InvalidInput: what it has is not a project's name; the message does not repeat it.
    """
    # Each hook would load what few folders need.
    import tomllib  # noqa: PLC0415

    from wellworn.kit.text import check_name  # noqa: PLC0415

    with marker.open("rb") as file:
        content = file.read(_LARGEST_MARKER + 1)
    try:
        fields = tomllib.loads(content.decode())
    except (ValueError, RecursionError):
        fields = None
    name = fields and fields.get("name")
    if fields == {}:
        return None
    if len(content) > _LARGEST_MARKER or fields != {"name": name} or not isinstance(name, str):
        raise InvalidInput(f'{marker} must be empty or one line: name = "…"')
    if is_space_id(name.strip()):
        raise InvalidInput(f"{marker} can name a project only; this is the id of a space")
    return check_name(name)


def _find_git_folder(entry: Path) -> Path:
    """Return the folder that all work trees of a repository share."""
    if entry.is_file():
        entry = entry.parent / _read_small(entry).removeprefix("gitdir:").strip()
        common = entry / "commondir"
        entry = entry / _read_small(common).strip() if common.is_file() else entry
    return entry.resolve()


def _read_small(path: Path) -> str:
    """Return the text of a file; a pipe or a device in its place may have no end.

    Raises:
        OSError: it is none, or too large.
        UnicodeDecodeError: it is no text.
    """
    if not path.is_file() or path.stat().st_size > _LARGEST_CONFIG:
        message = "no file, or larger than git makes it"
        raise OSError(message)
    return path.read_text()


def _find_remote(config: Path) -> str | None:
    """Return host and path of the first remote, of `origin` if there is one; no credentials."""
    from configparser import Error as ConfigFailed  # noqa: PLC0415
    from configparser import RawConfigParser  # noqa: PLC0415

    parser = RawConfigParser(strict=False, allow_no_value=True, delimiters=("=",))
    try:
        parser.read_string(_read_small(config))
    except (ConfigFailed, OSError, ValueError):
        return None
    remotes = [name for name in parser.sections() if name.startswith(_REMOTE)]
    remotes.sort(key=lambda name: name != f'{_REMOTE}origin"')
    urls = [parser.get(name, "url", fallback=None) for name in remotes]
    return next((address for url in urls if url and (address := _simplify(url.strip('" ')))), None)


def _simplify(url: str) -> str | None:
    """Return the same text for all ways to write a repository's address; None for a relative path.

    What may be secret in it, a user, a password or a query, is left out.
    """
    parts = _ADDRESS.fullmatch(_SHORT_ADDRESS.sub(r"ssh://\1/", url))
    if parts is None:
        return None
    path = parts["path"].rstrip("/").removesuffix(".git").rstrip("/")
    return f"{(parts['host'] or '').lower()}{path}"
