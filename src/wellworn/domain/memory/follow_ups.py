"""Finds what a prompt refers to in the answer before: an area, or what was shown. Pure.

Full prompts are recognized, by phrases in a file of words; everything else, and everything where a
session has no answer yet, is a prompt of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wellworn.domain.memory.contribution import judge_contribution
from wellworn.domain.memory.contribution.courtesy import PHATIC
from wellworn.domain.memory.disambiguation import find_telling_words
from wellworn.domain.memory.routing import is_general
from wellworn.domain.thoughts import pick_tag
from wellworn.engines.retrieval.text import is_function_word
from wellworn.kit.words import load_phrases, load_words

LONGEST: Final = 120
"""Characters; a longer prompt says enough by itself."""
MOST_TELLING_WORDS: Final = 3
SHORTEST_PART: Final = 3
"""Letters by which a part of a name is recognized."""
_WORDS_BESIDE_A_TAG: Final = 2
_MOST_BESIDE_A_PRONOUN: Final = 1
"""Telling words: "How does it work?"."""
_MOST_BESIDE_A_POSSESSIVE: Final = 2
"""The same of "what is their phone number?"."""


class FollowUpKind(StrEnum):
    """The part of the answer before that is meant."""

    AREAS = "areas"
    ALL_AREAS = "all_areas"
    NO_AREA = "no_area"
    PLACE = "place"
    SOURCE = "source"
    MORE = "more"
    OTHERS = "others"
    SAME_QUESTION = "same_question"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A reference to the answer before.

    Attributes:
        areas: names of the areas that it picks.
        place: which of the areas or of the results shown, from 1; the last for -1, none for 0.
    """

    kind: FollowUpKind
    areas: tuple[str, ...] = ()
    place: int = 0

    @property
    def is_choice(self) -> bool:
        """Whether it only points, so that it states nothing by itself."""
        is_about_all = self.kind in {FollowUpKind.ALL_AREAS, FollowUpKind.NO_AREA}
        return is_about_all or self.place != 0

    def pick(self, shown: Sequence[str]) -> tuple[str, ...]:
        """Return the one of the results that stands at the place, if there is one."""
        return _pick(self.place, shown)

    @property
    def shows_known(self) -> bool:
        """Whether it asks for what was shown, regardless of what else is close."""
        return self.kind in {FollowUpKind.PLACE, FollowUpKind.SOURCE}


def find_follow_up(prompt: str, offered: Sequence[str]) -> FollowUp | None:
    """Return what the prompt refers to in an answer that offered these areas, if anything."""
    if len(prompt) > LONGEST:
        return None
    words = _list_words(prompt)
    text, place = " ".join(words), _find_place(words)
    if (areas := _pick_areas(prompt, offered)) or (areas := _pick(place, offered)):
        return FollowUp(FollowUpKind.AREAS, areas, place)
    if place:
        return FollowUp(FollowUpKind.PLACE, place=place)
    for kind, phrases in _CHOICES.items():
        if offered and text in phrases:
            return FollowUp(kind)
    return _find_question(prompt, text, words)


def refers_back(prompt: str) -> bool:
    """Tell whether a prompt only refers to an answer before it, and names nothing itself."""
    if len(prompt) > LONGEST:
        return False
    names_nothing = (
        " ".join(_list_words(prompt)) in _QUESTIONS[FollowUpKind.MORE]
        or not find_telling_words(prompt)
        or is_general(prompt)
        or _names_placeholder(prompt)
    )
    follow_up = find_follow_up(prompt, ()) if names_nothing else None
    return follow_up is not None and not follow_up.place


def _names_placeholder(prompt: str) -> bool:
    """Tell whether a prompt names nothing but "that thing", in whatever language."""
    words = find_telling_words(prompt) - _PLACEHOLDERS - _BESIDE_A_PLACEHOLDER
    return _PLACEHOLDER.search(prompt.casefold()) is not None and all(map(is_function_word, words))


def _list_words(prompt: str) -> list[str]:
    return _WORD.findall(prompt.casefold().replace("\u2019", "'"))


def _pick(place: int, among: Sequence[str]) -> tuple[str, ...]:
    """Return what stands at a place, from 1, or -1 for the last; nothing for 0."""
    at = place - 1 if place > 0 else len(among) - 1
    return tuple(among[at : at + 1]) if place else ()


def _find_question(prompt: str, text: str, words: Sequence[str]) -> FollowUp | None:
    bare = " ".join(words[words[0] in _CONNECTIVES :]) if words else ""
    for kind, phrases in _QUESTIONS.items():
        if text in phrases or bare in phrases:
            return FollowUp(kind)
    if judge_contribution(prompt).is_stored:
        return None
    if text.startswith(_FAILING):
        return FollowUp(FollowUpKind.OTHERS)
    telling = len(find_telling_words(prompt) - _ASKING - PHATIC)
    if _points(words, telling) or _names_placeholder(prompt):
        return FollowUp(FollowUpKind.MORE)
    is_bare_question = not telling and prompt.rstrip().endswith("?")
    if is_bare_question or (telling <= MOST_TELLING_WORDS and text.startswith(_CONTINUING)):
        return FollowUp(FollowUpKind.SAME_QUESTION)
    return None


def _points(words: Sequence[str], telling: int) -> bool:
    """Tell whether a pronoun stands beside few telling words."""
    if not _POSSESSIVES.isdisjoint(words):
        return telling <= _MOST_BESIDE_A_POSSESSIVE
    return telling <= _MOST_BESIDE_A_PRONOUN and not _PRONOUNS.isdisjoint(words)


def _find_place(words: Sequence[str]) -> int:
    """Return which of a list is meant, from 1, or -1 for the last; 0 for none or several."""
    left = [word for word in words if word not in _BESIDE_A_PLACE]
    if len(left) != 1:
        return 0
    return _PLACES.get(left[0], 0)


def _pick_areas(prompt: str, offered: Sequence[str]) -> tuple[str, ...]:
    """Return the offered areas that the prompt names, wholly or in part.

    None where it asks something of its own, or where a word of it may mean several.
    """
    telling = find_telling_words(prompt)
    whole = pick_tag(prompt, offered)
    if whole is not None and len(telling) <= len(find_telling_words(whole)) + _WORDS_BESIDE_A_TAG:
        return (whole,)
    named = {word: _name_by_part(word, offered) for word in telling}
    if not named or not offered:
        return ()
    common = set(offered).intersection(*named.values())
    if len(common) == 1:
        return tuple(common)
    if all(len(areas) == 1 for areas in named.values()):
        chosen = {area for areas in named.values() for area in areas}
        return tuple(area for area in offered if area in chosen)
    return ()


def _name_by_part(word: str, offered: Sequence[str]) -> set[str]:
    return {
        area
        for area in offered
        if any(
            part == word or (len(word) >= SHORTEST_PART and part.startswith(word))
            for part in re.split(r"[\W_]+", area.casefold())
        )
    }


def _split_phrases(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in words)


def _load_places() -> Mapping[str, int]:
    places = {str(number): number for number in range(1, 51)}
    for number, forms in enumerate(load_words(__name__, "places"), 1):
        places |= dict.fromkeys(forms.split("/"), number)
    return places | dict.fromkeys(load_words(__name__, "last_places"), -1)


_WORD: Final = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")
_PLACES: Final = _load_places()
_BESIDE_A_PLACE: Final = frozenset(load_words(__name__, "beside_a_place"))
_PLACEHOLDERS: Final = frozenset(load_words(__name__, "placeholders"))
_BESIDE_A_PLACEHOLDER: Final = frozenset(load_words(__name__, "beside_a_placeholder"))
_PLACEHOLDER: Final = re.compile(
    rf"(?<!\w)(?:{load_phrases(__name__, 'pointing')}) (?:{'|'.join(_PLACEHOLDERS)})(?!\w)"
)
_CHOICES: Final[Mapping[FollowUpKind, frozenset[str]]] = {
    FollowUpKind.ALL_AREAS: frozenset(_split_phrases(load_words(__name__, "all_areas"))),
    FollowUpKind.NO_AREA: frozenset(_split_phrases(load_words(__name__, "no_area"))),
}
_PRONOUNS: Final = frozenset(load_words(__name__, "pronouns"))
_POSSESSIVES: Final = frozenset(load_words(__name__, "possessives"))
_CONNECTIVES: Final = frozenset(load_words(__name__, "connectives"))
_ASKING: Final = frozenset(load_words(__name__, "asking"))
_FAILING: Final = _split_phrases(load_words(__name__, "failing"))
_CONTINUING: Final = tuple(
    f"{phrase} " for phrase in _split_phrases(load_words(__name__, "continuing"))
)
_QUESTIONS: Final[Mapping[FollowUpKind, frozenset[str]]] = {
    FollowUpKind.SOURCE: frozenset(_split_phrases(load_words(__name__, "source_questions"))),
    FollowUpKind.MORE: frozenset(_split_phrases(load_words(__name__, "more_questions"))),
    FollowUpKind.OTHERS: frozenset(_split_phrases(load_words(__name__, "other_questions"))),
}
