"""Recognises sentences that tell nothing of what they name: they want it, or only name it. Pure.

"I need the VPN address" and "serial numbers of the probes for Aldous" have the words of a fact and
not its value: what is told of the address or of the numbers is missing.

Source: `python -m benchmarks remembering`, the texts in `benchmarks/notes/requests.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from wellworn.domain.thoughts.truth.subjects import ENGLISH_VERBS, TIMES, VERBS
from wellworn.engines.retrieval.text import (
    ENGLISH,
    STOP_WORDS,
    detect_language,
    list_compounds,
    list_function_words,
)
from wellworn.kit.words import fold, load_phrases, load_words, straighten

_CONTRACTIONS: Final = {
    "can't": "can not",
    "won't": "will not",
    "n't": " not",
    "'d": " would",
    "'m": " am",
    "'re": " are",
    "'ve": " have",
    "'ll": " will",
}
_CONTRACTION: Final = re.compile(rf"(?:{'|'.join(_CONTRACTIONS)})(?!\w)", re.IGNORECASE)
_FINDING: Final = load_phrases(__name__, "finding")
_WISH: Final = re.compile(
    rf"(?:(?:{load_phrases(__name__, 'before_a_wish')}),? )*"
    rf"(?:(?:{load_phrases(__name__, 'wishers')}) )?"
    rf"(?:(?:{load_phrases(__name__, 'beside_a_wish')}) )*"
    rf"(?:(?:{load_phrases(__name__, 'wishing')})(?!\w)(?: is(?!\w))?"
    rf"(?: to (?:{_FINDING})(?!\w))?"
    rf"|it would (?:\S+ ){{1,3}}?to (?:{_FINDING})(?!\w))",
    re.IGNORECASE,
)
_NEED: Final = re.compile(
    rf"(?:[^\s,:;]+ ){{1,8}}?(?:{load_phrases(__name__, 'needing')})(?!\w)", re.IGNORECASE
)
_NEEDING: Final = frozenset(load_words(__name__, "needing"))
_PREFERENCE: Final = re.compile(
    rf"(?<!\w)(?:{load_phrases(__name__, 'preferring')})(?!\w)", re.IGNORECASE
)
_INDEFINITE: Final = frozenset(load_words(__name__, "wanted_anew"))
_COURTESY: Final = re.compile(r"(?<![\s,.!?])[\s,.!?]++(?:(?:please|thanks|thank you)[\s,.!?]*+)?$")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[-./_@#&'][^\W_]+)*'?|[:=\u2192;]|->")
_SIGNS: Final = frozenset((":", "=", "->", "\u2192", ";"))
_VALUE: Final = re.compile(r"\d|\w[/_@:]\w|\w\.\w{2,}")
_CLAUSES: Final = frozenset(load_words(__name__, "opening_a_clause"))
_RELATIVES: Final = frozenset(load_words(__name__, "relatives"))
_NAMING: Final = frozenset(load_words(__name__, "naming_relatives"))
_SUBJECTS: Final = frozenset(load_words(__name__, "clause_subjects"))
_PREPOSITIONS: Final = frozenset(load_words(__name__, "prepositions"))
_JOINTS: Final = _PREPOSITIONS | _RELATIVES | {"and", "or"}
_OWNERS: Final = frozenset(load_words(__name__, "owners"))
_DETERMINERS: Final = _OWNERS | frozenset(load_words(__name__, "demonstratives"))
_BEFORE_A_PARTICIPLE: Final = _DETERMINERS | _JOINTS | {"be"}
_BEFORE_NO_VERB: Final = [[word] for word in ("to", "be", *_OWNERS)]
_PREDICATES: Final = ENGLISH_VERBS | _SUBJECTS | {"it"}
_OWN: Final = ("my ", "our ")
_MOST_VERBS_IN_A_RELATIVE: Final = 1
_NAMING_WITHIN: Final = 5
"""Tokens among which the preposition stands that shows what is named: "serial numbers of"."""
_SHORTEST_PARTICIPLE: Final = 5


def find_wished(sentence: str) -> str | None:
    """Return what the speaker wants, lacks or forgot; None of a sentence that tells."""
    text = _expand(sentence)
    match = _WISH.match(text)
    return text[match.end() :].strip() if match else None


def needs(sentence: str) -> bool:
    """Tell whether a sentence says what somebody or something needs or looks for."""
    return _NEED.match(_expand(sentence)) is not None


def asks_by_wishing(sentence: str) -> bool:
    """Tell whether the speaker wants to be told something: what is there, and not anything new.

    Of "I need the gate code" nothing else is told. "I need a code", "I need the code by Friday"
    and "I need the code changed" tell what shall be.
    """
    wished = find_wished(sentence)
    if not wished or has_value(wished):
        return False
    first = wished.split()[0].casefold()
    if first in _INDEFINITE | {"to"} or _may_be_preference(sentence, wished):
        return False
    return first in _RELATIVES or names_only(wished, is_wished=True)


def _may_be_preference(sentence: str, wished: str) -> bool:
    """Tell whether what is wanted may be how something shall be: "I want my tea with milk"."""
    near = next(
        (token for token in _TOKEN.findall(wished.casefold()) if token in _PREPOSITIONS), "of"
    )
    is_of_own = wished.casefold().startswith(_OWN)
    may_be = is_of_own or near not in {"of", "for"}
    return may_be and _PREFERENCE.search(_expand(sentence)) is not None


def has_value(sentence: str) -> bool:
    """Tell whether a sentence has a number, an address, an identifier or a name of a time."""
    return _VALUE.search(sentence) is not None or not TIMES.isdisjoint(
        _TOKEN.findall(fold(sentence))
    )


def names_only(sentence: str, *, is_wished: bool = False) -> bool:
    """Tell whether a sentence names something and tells nothing of it: it has no predicate.

    Only of English is that known for sure; elsewhere, and where words may be verbs, it tells. What
    is wished needs no more than to have no verb.
    """
    text = _COURTESY.sub("", sentence)
    tokens = _TOKEN.findall(text.replace("\u2019", "'"))
    folded = [token.casefold() for token in tokens]
    is_english = detect_language(list_compounds(text)) == ENGLISH
    if len(folded) < 2 - is_wished or not (_SIGNS | _CLAUSES).isdisjoint(folded):
        return False
    if not is_english:
        return is_wished and (VERBS | _INDEFINITE).isdisjoint(folded)
    if not (is_wished or _names(folded)):
        return False
    head, relative = _cut_relative(folded)
    if len(_find_verbs(relative, 0)) > _MOST_VERBS_IN_A_RELATIVE:
        return False
    verbs = _find_verbs(head, 1)
    # "The room the printer is in."
    is_relative = len(verbs) == 1 and not relative and head[-1] in _PREPOSITIONS
    return (not verbs or is_relative) and not _may_have_verb(tokens[: len(head)])


def _expand(sentence: str) -> str:
    return _CONTRACTION.sub(
        lambda match: _CONTRACTIONS[match.group().casefold()], straighten(sentence)
    )


def _names(tokens: Sequence[str]) -> bool:
    """Tell whether a sentence begins as a name of something: "the code of", "serial numbers of"."""
    first = tokens[0]
    if first in _NEEDING:
        return False
    if first in _DETERMINERS | _NAMING:
        return True
    if first in STOP_WORDS | TIMES or tokens[1] in _DETERMINERS:
        return False
    near = (token for token in tokens[1:_NAMING_WITHIN] if token in _JOINTS)
    return next(near, "") in {"of", "for", "and"}


def _cut_relative(tokens: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return what names, and what follows "who", "where" or the subject of another clause."""
    opens = _RELATIVES | (_SUBJECTS if tokens[0] in _DETERMINERS else frozenset[str]())
    least = tokens[0] not in _NAMING
    at = next((at for at, token in enumerate(tokens[least:], least) if token in opens), len(tokens))
    return tokens[:at], tokens[at:]


def _find_verbs(tokens: Sequence[str], start: int) -> list[int]:
    """Return the places of known verbs, but of no infinitive and no noun: "to pay", "points of"."""
    return [
        at
        for at in range(start, len(tokens))
        if tokens[at] in (_PREDICATES if start else ENGLISH_VERBS)
        and tokens[at - 1 : at] not in _BEFORE_NO_VERB
        and tokens[at + 1 : at + 2] != ["of"]
    ]


def _may_have_verb(tokens: Sequence[str]) -> bool:
    """Tell whether a word may be a verb by its ending: "repaired by Tom", "the pump leaks oil"."""
    function_words = list_function_words(ENGLISH)
    for token, following in pairwise([*tokens, "of"]):
        word = token.casefold()
        is_name = token[:1].isupper() or "'" in token
        may_inflect = word.endswith("s") and not word.endswith(("ss", "us", "is")) and not is_name
        if may_inflect and word not in function_words and following.casefold() not in _JOINTS:
            return True
    return any(
        word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE
        for before, word in pairwise(map(str.casefold, tokens))
        if before not in _BEFORE_A_PARTICIPLE
    )
