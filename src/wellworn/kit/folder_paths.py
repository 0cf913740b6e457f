"""Where folders are, and whether one is inside another, whatever links say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence


def is_below(root: str, path: str) -> bool:
    """Tell whether a path is a folder or inside it; both without links."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def resolve_within(path: str, roots: Sequence[str]) -> str | None:
    """Return where a folder is without links, which may lead out of no root that it is named in.

    Whoever may write into a root may put a link in the place of a folder there, and would read
    through it what the server may read. A folder that is named outside of all roots is anywhere.

    Returns:
        The path, or None where a link leads out.
    """
    folder, name = os.path.realpath(path), os.path.normpath(path)
    is_named_within = is_below_any(map(os.path.normpath, roots), name)
    if not is_named_within and not is_below_any(map(os.path.realpath, roots), name):
        return folder
    return folder if is_below_any(map(os.path.realpath, roots), folder) else None


def is_below_any(roots: Iterable[str], path: str) -> bool:
    """Tell whether a path is one of some folders or inside one; all without links."""
    return any(is_below(root, path) for root in roots)
