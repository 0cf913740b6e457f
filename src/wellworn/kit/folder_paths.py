"""Tells where folders are, and whether one is inside another, whatever links say."""

from __future__ import annotations

import os
from collections.abc import Iterable


def is_below(root: str, path: str) -> bool:
    """Tell whether a path is a folder or inside it; both without links."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def is_without_links(path: str) -> bool:
    """Tell whether a path is that of a file or folder itself: no part of it is a link.

    One who may write beside a folder may put a link in its place, and would read through it what
    the server may read.
    """
    return os.path.realpath(path) == os.path.normpath(path)


def is_below_any(roots: Iterable[str], path: str) -> bool:
    """Tell whether a path is one of some folders or inside one; all without links."""
    return any(is_below(root, path) for root in roots)
