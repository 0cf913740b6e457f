"""A process's memory: for itself and for root, and no more of it than its work needs.

Source: prctl(2), PR_SET_DUMPABLE; core(5); mallopt(3), M_ARENA_MAX.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from contextlib import suppress
from typing import Final

_PR_SET_DUMPABLE: Final = 4
_M_ARENA_MAX: Final = -8
_MOST_HEAPS: Final = 2
_GARBAGE_AFTER_OBJECTS: Final = 100_000


def keep_memory_private() -> None:
    """Keep the memory of this process out of core files and from other programs of its user."""
    with suppress(ValueError, OSError):  # not every system knows or allows every limit
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def share_heaps() -> None:
    """Let all threads allocate from two heaps, where the C library would make eight for each core.

    Every heap keeps what was freed in it, so many threads would hold far more than they use. What
    `MALLOC_ARENA_MAX` says comes first.
    """
    if sys.platform == "linux" and "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(AttributeError):  # not every C library has such heaps
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MOST_HEAPS)


def collect_seldom() -> None:
    """Look for cycles of garbage seldom, in a process that makes much and keeps little.

    A long document makes hundreds of thousands of objects in a second, few of them in cycles; to
    look through them as often as usual takes a third of the time.
    """
    gc.freeze()
    gc.set_threshold(_GARBAGE_AFTER_OBJECTS)
