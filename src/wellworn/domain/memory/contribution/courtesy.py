"""Tells prompts that are nothing but thanks, a greeting or agreement, and so ask nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from wellworn.domain.memory.contribution.phrases import match_anywhere, match_start
from wellworn.domain.memory.contribution.questions import QUESTION_WORDS, list_words
from wellworn.engines.retrieval.text import is_unspaced
from wellworn.kit.words import fold, fold_phrases, load_words

_LONGEST: Final = 120
"""Characters; whoever says more says something."""
_MARKS: Final = ("?", "\uff1f", "\u061f")


def _match_nothing_but(phrases: Iterable[str], *, end: str) -> re.Pattern[str]:
    alternatives = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    return re.compile(rf"\W*(?:(?:{alternatives}){end}[\W_]*)+")


_PHATIC: Final = fold_phrases(load_words(__name__, "phatic"))
_BESIDE: Final = fold_phrases(load_words(__name__, "beside_thanks"))
_IS_COURTEOUS: Final = _match_nothing_but(_PHATIC | _BESIDE, end=r"(?!\w)")
_IS_COURTEOUS_UNSPACED: Final = _match_nothing_but(filter(is_unspaced, _PHATIC | _BESIDE), end="")
_ANYWHERE_PHATIC: Final = match_anywhere(_PHATIC)
_STARTS_THANKS_FOR: Final = match_start(fold_phrases(load_words(__name__, "thanks_for")))
_BEFORE_A_NAME: Final = tuple(load_words(__name__, "before_a_name"))
_CONTRAST: Final = match_anywhere(fold_phrases(load_words(__name__, "contrast")))


def is_courtesy(prompt: str) -> bool:
    """Tell whether a prompt says thanks, hello, goodbye or yes, and nothing else."""
    folded = fold(_remove_name(prompt))
    if not folded or len(folded) > _LONGEST:
        return False
    if not any(map(str.isalnum, folded)):
        return not any(mark in folded for mark in _MARKS)
    if _STARTS_THANKS_FOR.match(folded):
        return not _asks_besides(folded)
    if is_unspaced(folded):
        return _IS_COURTEOUS_UNSPACED.fullmatch(folded) is not None
    is_courteous = _IS_COURTEOUS.fullmatch(folded) is not None
    return is_courteous and _ANYWHERE_PHATIC.search(folded) is not None


def _remove_name(prompt: str) -> str:
    """Leave out the name of whoever is thanked or greeted, as the last word."""
    rest, _, name = prompt.rstrip().rpartition(" ")
    is_named = name[:1].isupper() and rest.rstrip(", ").casefold().endswith(_BEFORE_A_NAME)
    return rest if is_named else prompt


def _asks_besides(folded: str) -> bool:
    has_mark = any(mark in folded for mark in _MARKS)
    asks = not QUESTION_WORDS.isdisjoint(list_words(folded))
    return has_mark or asks or _CONTRAST.search(folded) is not None
