"""Lists of words and tables of patterns: TOML files beside the modules that read them.

Each list in `words.toml` is a key whose value is its words between blanks; comments in the file say
what it is for and where it comes from.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any

from wellworn.kit.folding import fold_forms


def load_words(module: str, key: str) -> tuple[str, ...]:
    """Return a list of words, in order, from the file of the package that a module is in."""
    return tuple(load_table(module.rpartition(".")[0], "words.toml")[key].split())


def load_phrases(module: str, key: str) -> str:
    """Return a list as the alternatives of a pattern, longest first; `_` stands for a blank."""
    phrases = sorted(load_words(module, key), key=len, reverse=True)
    return "|".join(re.escape(phrase.replace("_", " ")) for phrase in phrases)


def straighten(text: str) -> str:
    """Return the text, folded, with plain apostrophes and single blanks."""
    return " ".join(fold_forms(text).replace("\u2019", "'").split())


def fold(text: str) -> str:
    """Return the text as phrases are written: straightened, in lower case."""
    return straighten(text.casefold())


def fold_phrases(phrases: Iterable[str]) -> frozenset[str]:
    """Return the words of a list as they stand in folded text; `_` stands for a blank."""
    return frozenset(phrase.replace("_", " ").casefold() for phrase in phrases)


@cache
def load_table(package: str, name: str) -> Mapping[str, Any]:
    """Return what a TOML file of a package holds."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))
