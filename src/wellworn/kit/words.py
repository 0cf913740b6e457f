"""Lists of words, which are data: a file `words.toml` beside the modules that read it.

Each list is a key whose value is its words between blanks; comments in the file say what it is for
and where it comes from.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources


def load_words(module: str, key: str) -> tuple[str, ...]:
    """Return a list of words, in order, from the file of the package that a module is in."""
    return tuple(_lists(module.rpartition(".")[0])[key].split())


@cache
def _lists(package: str) -> Mapping[str, str]:
    return tomllib.loads(resources.files(package).joinpath("words.toml").read_text("utf-8"))
