"""Which things "the pump" may mean: those whose documents say that they are pumps.

One alone is what is meant, if the whole phrase is its kind and nothing else is called so. Otherwise
the asker is asked, with what tells the things apart: name, value and place.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.answers import Answer, Value
from wellworn.domain.knowledge.asked_values import TELLING, select_values
from wellworn.domain.knowledge.entities import name_key, split_pieces, term
from wellworn.domain.knowledge.lookup import TermLookup, Thing
from wellworn.domain.knowledge.naming import strip_article
from wellworn.domain.knowledge.places import NOTES, choose_place
from wellworn.domain.knowledge.questions import ValueQuestion
from wellworn.domain.knowledge.steps import Option, ask, label_value, offer

_MOST_WORDS: Final = 4
_MOST_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class KindGroup:
    """The things that a phrase may mean by their kind.

    Attributes:
        question: what is asked of the one that is meant.
        is_whole: whether the phrase is their kind, rather than a kind and words beside it.
        words: those of the context that chose their place over that of what was passed over.
    """

    question: ValueQuestion
    things: Sequence[Thing]
    is_whole: bool
    words: str = ""
    passed: Sequence[Thing] = ()

    @property
    def only(self) -> Thing | None:
        """The one thing that is meant; None where others may be, or another role of it."""
        is_one = len(self.things) == 1 and self.is_whole and not self.things[0].has_roles
        return self.things[0] if is_one else None


def find_group(lookup: TermLookup, question: ValueQuestion, context: str) -> KindGroup | None:
    """Return what a question may mean by a kind; None where nothing is of it.

    What it asks for in words of its own must be stated of one of the things at least.
    """
    stated = lookup.find_kinds(kind for _, kind in _list_kinds(question.name))
    group = _find_things(lookup, question, context, stated) if stated else None
    asked = question.asked
    is_free = asked is not None and asked.is_free and not question.is_by_context
    return _keep_stating(lookup, group) if group and (is_free or question.qualifiers) else group


def ask_about_group(lookup: TermLookup, term: str, group: KindGroup) -> Answer:
    """Ask which of several things of a kind is meant, those first that state what is asked."""
    known = lookup.load_known(thing.name for thing in group.things)
    choices = [_choose_thing(lookup, thing, known, group.question) for thing in group.things]
    choices.sort(key=lambda choice: choice[0] is None)
    values = [value for value, _ in choices[:_MOST_SHOWN] if value is not None]
    return ask(term, [option for _, option in choices], values=values, most=_MOST_SHOWN)


def _list_kinds(name: str) -> list[tuple[Sequence[str], str]]:
    """Return the ways to read a phrase as words and the kind that they stand before."""
    words = term(strip_article(name)).split()
    cuts = range(len(words) if len(words) <= _MOST_WORDS else 0)
    return [(words[:cut], " ".join(words[cut:])) for cut in cuts]


def _find_things(
    lookup: TermLookup, question: ValueQuestion, context: str, stated: Container[str]
) -> KindGroup | None:
    for before, kind in _list_kinds(question.name):
        marks = {name_key(word) for word in before}
        things = lookup.list_things(kind) if kind in stated else []
        things = [thing for thing in things if marks <= _list_marks(thing)]
        if things:
            place, words = choose_place({thing.place for thing in things}, context)
            chosen = [thing for thing in things if place in {None, thing.place}]
            passed = [thing for thing in things if place not in {None, thing.place}]
            return KindGroup(question, chosen, not marks, words, passed)
    return None


def _list_marks(thing: Thing) -> set[str]:
    """Return the words by which one of several things of a kind may be meant."""
    return {name_key(word) for word in split_pieces(f"{thing.name} {thing.quote.text}")}


def _keep_stating(lookup: TermLookup, group: KindGroup) -> KindGroup | None:
    """Return a group without the things of which nothing states what is asked."""
    known = lookup.load_known(thing.name for thing in group.things)
    stating = [
        thing
        for thing in group.things
        if _choose_thing(lookup, thing, known, group.question)[0] is not None
    ]
    is_whole = group.is_whole and len(stating) == len(group.things)
    return replace(group, things=stating, is_whole=is_whole) if stating else None


def _choose_thing(
    lookup: TermLookup, thing: Thing, known: Mapping[str, Sequence[Value]], question: ValueQuestion
) -> tuple[Value | None, Option]:
    """Return a thing as one that may be meant, and what its place states of what is asked."""
    values = [
        value
        for value in known.get(name_key(thing.name), ())
        if lookup.find_place(value.evidence.document_id) in {thing.place, NOTES}
    ]
    selected = select_values(values, question) if question.asked else []
    for value in selected:
        return value, offer(label_value(value), value.evidence)
    where = [value for value in values if value.fact_type in TELLING]
    quotes = [value.evidence for value in (*where, *values)]
    return None, offer(thing.name, [*quotes, thing.quote][0])
