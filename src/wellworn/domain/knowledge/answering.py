"""Answers from what is compiled: which thing is meant, what is asked of it, what is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wellworn.domain.knowledge.aliases import Alias
from wellworn.domain.knowledge.answers import (
    Answer,
    ChoiceKind,
    ResolutionOutcome,
    ResolverStep,
    StoredConflict,
    Value,
)
from wellworn.domain.knowledge.asked_values import (
    SETTINGS,
    apply_decisions,
    find_rejected_values,
    select_by_context,
    select_of_type,
    select_values,
)
from wellworn.domain.knowledge.attributes import read_context
from wellworn.domain.knowledge.entities import is_special, key
from wellworn.domain.knowledge.explaining import (
    answer_by_alias,
    answer_by_glossary,
    ask_about_places,
    explain,
    offer_title,
)
from wellworn.domain.knowledge.lookup import KnownTerm, TermLookup
from wellworn.domain.knowledge.naming import strip_article
from wellworn.domain.knowledge.places import choose_place, list_place_words
from wellworn.domain.knowledge.questions import ValueQuestion, list_names, split_places
from wellworn.domain.knowledge.steps import (
    Option,
    add_choice,
    answer_not_stated,
    answer_with_values,
    ask,
    ask_about_conflict,
    ask_which_value,
    build_answer,
    offer,
    offer_values,
)

_TITLED_CONFIDENCE: Final = 0.7
_IN_BRACKETS: Final = re.compile(r"\(([^()]{1,200})\)")


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """The place that is meant of several, and what says so: words, and whose, if somebody's."""

    place: str
    kind: ChoiceKind
    words: str
    by: str | None = None


def answer_from_compiled(
    lookup: TermLookup, question: ValueQuestion, context: str
) -> Answer | None:
    """Answer with what is known under a name, or ask what is meant; None where nothing is known.

    Exact spellings come first, then other forms of the words; things that share a form are asked
    about, and so are those that a section of another form tells of: "server" below "Servers".
    """
    answer = answer_for_name(lookup, question, context)
    forms = lookup.list_forms(question.name) if answer is None else ()
    if len(forms) == 1:
        below = lookup.list_below(forms[0])
        answer = _ask_among(lookup, question, below) if len(below) > 1 else None
        answer = answer or answer_for_name(lookup, replace(question, name=forms[0]), context)
    if answer is None and len(forms) > 1:
        answer = _ask_among(lookup, question, forms)
    return answer or _ask_which(lookup, question)


def answer_for_name(lookup: TermLookup, question: ValueQuestion, context: str) -> Answer | None:
    """Answer with what is called so."""
    term = question.name
    names = list(dict.fromkeys([term, strip_article(term)]))
    alias = lookup.find_alias(term)
    places = lookup.find_terms(names, with_headed=question.is_headed)
    if len(places) > 1:
        question = split_places(question, list_place_words(places))
    choice = _choose(lookup, places, question, context, alias) if len(places) > 1 else None
    if choice is None and len(places) > 1:
        return _answer_for_namesakes(lookup, places, question)
    known = places.get(choice.place) if choice else next(iter(places.values()), None)
    answer = _answer_for_thing(lookup, question, known or KnownTerm(), alias, context=context)
    if answer and choice:
        rest = [known for place, known in places.items() if place != choice.place]
        others = [option for known in rest for option, _ in explain(lookup.quoter, term, known)]
        answer = add_choice(answer, choice.kind, choice.words, others, by=choice.by)
    return answer


def _answer_for_thing(
    lookup: TermLookup,
    question: ValueQuestion,
    known: KnownTerm,
    alias: Alias | None,
    *,
    context: str,
) -> Answer | None:
    """Answer with what is known of one thing."""
    values, undecided = _select_holding(known, question)
    if undecided is not None:
        return ask_about_conflict(question.name, select_values(values, question), undecided)
    answer = _answer_with_known(lookup, question, known, values, alias, context=context)
    return answer and _explain_values(answer, known)


def _explain_values(answer: Answer, known: KnownTerm) -> Answer:
    """Return an answer that says which of its values were decided, or are newer than others."""
    shown = {(value.fact_type, value.value) for value in answer.values}
    for conflict in known.conflicts:
        rejected = find_rejected_values(conflict)
        if rejected and (conflict.fact_type, conflict.resolution) in shown:
            lost = [claim for claim in conflict.claims if claim.value in rejected]
            others = [offer(claim.value, claim.evidence)[0] for claim in lost]
            words = conflict.reason or conflict.resolution or ""
            answer = add_choice(answer, ChoiceKind.DECISION, words, others, by=conflict.resolved_by)
    newer = {(value.fact_type, value.attribute): value for value in answer.values}
    older = [
        value
        for value in known.outdated
        if (value.fact_type, value.attribute) in newer
        and (value.fact_type, value.value) not in shown
    ]
    words = ", ".join(
        dict.fromkeys(newer[each.fact_type, each.attribute].evidence.citation for each in older)
    )
    return add_choice(answer, ChoiceKind.NEWEST, words, offer_values(older))


def _select_holding(
    known: KnownTerm, question: ValueQuestion
) -> tuple[list[Value], StoredConflict | None]:
    """Return the values that hold, and the dispute about what is asked; none of what a thing is."""
    values, undecided = apply_decisions(known.values, known.conflicts, question.asked)
    if undecided is None or not (question.asks_what and known.is_explained):
        return values, undecided
    disputed = {claim.value for claim in undecided.claims}
    return [value for value in values if value.value not in disputed], None


def _answer_with_known(
    lookup: TermLookup,
    question: ValueQuestion,
    known: KnownTerm,
    values: Sequence[Value],
    alias: Alias | None,
    *,
    context: str,
) -> Answer | None:
    """Answer with what one place knows: the values that are asked for, or what the thing is."""
    term, quoter, asked = question.name, lookup.quoter, question.asked
    stated = _select_asked(lookup, values, question, context)
    selected, words = select_by_context(stated, context)
    # A setting that no document is about is known by its value, and by nothing else.
    called = {value.attribute for value in selected}
    is_setting = called <= SETTINGS and not known.is_explained
    if selected and (asked is not None or is_setting):
        return _choose_by_context(answer_with_values(term, selected), words, stated)
    if of_type := select_of_type(values, question):
        return ask_which_value(term, of_type)
    is_part = question.is_plain and not (question.is_by_context or (alias and alias.is_taught))
    if asked is not None and is_part:
        return None  # One plain word may be a part of what is meant.
    by_alias = answer_by_alias(quoter, term, alias, values)
    by_glossary = answer_by_glossary(quoter, term, known.entries, values, question.wording)
    is_taught = alias is not None and alias.is_taught
    if is_taught and by_alias and by_glossary and alias:
        others = [each for each in by_glossary.candidates if each.citation != by_alias.canonical]
        kind = ChoiceKind.DECISION
        by_alias = add_choice(by_alias, kind, alias.citation, others, by=alias.taught_by)
    answer = (by_alias if is_taught else None) or by_glossary or by_alias
    answer = answer or _answer_with_facts(term, values)
    if answer is None or answer.outcome is not ResolutionOutcome.RESOLVED:
        return answer
    rejected = (value for conflict in known.conflicts for value in find_rejected_values(conflict))
    if any(value in answer.summary for value in rejected):
        # The words are the document's, and somebody decided against them.
        answer = replace(answer, summary="")
    if asked is None:
        return answer
    is_title = key(question.wording).startswith(key(f"{term} {asked}"))
    section = _quote_section(lookup, term, known, asked) if is_title else None
    return section or answer_not_stated(answer, asked)


def _quote_section(lookup: TermLookup, term: str, known: KnownTerm, title: str) -> Answer | None:
    """Answer "hdrpop analytics" with the one section so titled of what alone explains hdrpop."""
    words = {*key(title).split()}
    best = {entry.document for entry in known.entries if entry.weight == known.entries[0].weight}
    page = lookup.quoter.open_page(best.pop()) if len(best) == 1 else None
    sections = [part for part in page.parts if words <= {*key(part.title).split()}] if page else []
    if page is None or len(sections) != 1:
        return None
    [part] = sections
    quote = page.quote(*page.find_lead(part))
    return build_answer(
        term, ResolverStep.HOT_TERMS, quote, (), confidence=_TITLED_CONFIDENCE, anchor=part.anchor
    )


def _select_asked(
    lookup: TermLookup, values: Sequence[Value], question: ValueQuestion, context: str
) -> list[Value]:
    """Return the values that a question asks for, alone or together with its context.

    What stands in brackets is what was asked about before, and names in it ask for nothing: "and
    mars (IP cube)?" asks for the IP of mars.
    """
    selected, asked = select_values(values, question), question.asked
    if selected or asked is None or question.is_by_context:
        return selected
    more = read_context(context, question.name)
    both = replace(question, asked=f"{asked} {more}")
    if more and (selected := select_values(values, both)):
        return selected
    before = " ".join(_IN_BRACKETS.findall(question.wording))
    is_name = lookup.find_names(before)
    others = {word for name, _ in list_names(before) if is_name(name) for word in name.split()}
    rest = " ".join(word for word in asked.split() if word not in others)
    return select_values(values, replace(question, asked=rest)) if others and rest else []


def _choose_by_context(answer: Answer, words: str, stated: Sequence[Value]) -> Answer:
    """Return an answer that says which values the context passed over."""
    shown = {value.value for value in answer.values}
    passed = [value for value in stated if value.value not in shown]
    return add_choice(answer, ChoiceKind.CONTEXT, words, offer_values(passed))


def _answer_with_facts(term: str, values: Sequence[Value]) -> Answer | None:
    """Answer with all that is stated of a thing that nothing explains."""
    for best in values:
        step = ResolverStep.SEARCH
        return build_answer(term, step, best.evidence, values, confidence=best.confidence)
    return None


def _answer_for_namesakes(
    lookup: TermLookup, places: Mapping[str, KnownTerm], question: ValueQuestion
) -> Answer | None:
    """Ask which of several things is meant, by their values where each states what is asked."""
    held = [apply_decisions(known.values, known.conflicts, None)[0] for known in places.values()]
    stated = [selected for values in held if (selected := select_values(values, question))]
    # Where somebody decided that one place is wrong, it states nothing any more.
    is_decided = any(
        find_rejected_values(conflict) for known in places.values() for conflict in known.conflicts
    )
    if question.asked is not None and stated and (is_decided or len(stated) == len(places)):
        answer = answer_with_values(question.name, [each for values in stated for each in values])
        for known in places.values():
            answer = _explain_values(answer, known)
        return answer
    return ask_about_places(lookup.quoter, question.name, places, question)


def _choose(
    lookup: TermLookup,
    places: Mapping[str, KnownTerm],
    question: ValueQuestion,
    context: str,
    alias: Alias | None,
) -> PlaceChoice | None:
    """Return the place that is meant, and why; None where only the asker can say.

    The question says so, or somebody did before, or the context, or the asker's project; or a
    single one has the name for more than a heading of plain words.
    """
    named = _choose_by_words(places, " ".join(question.places), ChoiceKind.CONTEXT)
    if named is not None:
        return named
    by_words = _choose_by_words(places, context, ChoiceKind.CONTEXT)
    by_words = by_words or _choose_by_words(places, lookup.project, ChoiceKind.PROJECT)
    is_parted = lookup.rulings.are_parted([question.name])
    if alias is not None and alias.is_taught:
        # Where somebody said that they are several, what they look like chooses none.
        cited = alias.citation.removesuffix(f"#{alias.anchor}")
        place = cited if is_parted else lookup.find_place(alias.document_id)
        if place is not None and (place in places or not is_parted):
            return PlaceChoice(place, ChoiceKind.DECISION, alias.citation, alias.taught_by)
    return by_words if is_parted else _choose_stating(places, question) or by_words


def _choose_by_words(
    places: Mapping[str, KnownTerm], text: str, kind: ChoiceKind
) -> PlaceChoice | None:
    place, words = choose_place(places, text)
    return PlaceChoice(place, kind, words) if place is not None else None


def _choose_stating(places: Mapping[str, KnownTerm], question: ValueQuestion) -> PlaceChoice | None:
    """Return the only place that has a name, or the only one that states anything of it."""
    by_name = [place for place, known in places.items() if known.is_named]
    if len(by_name) == 1:
        return PlaceChoice(by_name[0], ChoiceKind.STATED, question.name)
    stating = [place for place, known in places.items() if known.values]
    asked = question.asked
    if asked and len(stating) == 1 and select_values(places[stating[0]].values, question):
        return PlaceChoice(stating[0], ChoiceKind.STATED, asked)
    return None


def _ask_which(lookup: TermLookup, question: ValueQuestion) -> Answer | None:
    """Ask which of the names that are spelt nearly so is meant, if any is known.

    Longer names are offered too where their things state the attribute that is asked.
    """
    names = lookup.list_alike(question.name)
    if question.asked is not None:
        names += [
            name
            for name in lookup.list_longer(question.name)
            if any(select_values(known.values, question) for known in _find_first(lookup, name))
        ]
    return _ask_among(lookup, question, names)


def ask_about_others(lookup: TermLookup, question: ValueQuestion) -> Answer | None:
    """Ask which thing is meant whose name begins so, or is spelt nearly as a word of the question.

    Of a question with two typing errors ("adress of thistel") both are read as a name.
    """
    telling = [word for word in question.name.split() if is_special(word)]
    names = lookup.list_longer(question.name) if telling else []
    return _ask_among(lookup, question, names) or _ask_among(
        lookup, question, (name for word in telling for name in lookup.list_alike(word))
    )


def _ask_among(lookup: TermLookup, question: ValueQuestion, names: Iterable[str]) -> Answer | None:
    options: list[Option] = []
    for name in dict.fromkeys(names):
        for known in _find_first(lookup, name):
            values = select_values(known.values, question) or known.values
            own = explain(lookup.quoter, name, replace(known, values=values))
            options += own or offer_title(lookup.quoter, name, known)
    return replace(ask(question.name, options), is_silent=True) if options else None


def _find_first(lookup: TermLookup, name: str) -> Sequence[KnownTerm]:
    return list(lookup.find_terms([name]).values())[:1]
