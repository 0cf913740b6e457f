"""Makes sentences that tell a change, with questions to what is and to what was."""

from __future__ import annotations

from random import Random
from typing import Any

from training.pairs import Pair, unanswered
from training.scenes import (
    Fact,
    ask,
    draw_fact,
    draw_subject,
    fill,
    finish,
    join,
    pair_or_none,
    say,
    stand_beside,
)
from training.values import read_stock


def make_changes(rng: Random, source: str) -> list[Pair | None]:
    """Make a sentence that tells what was and what is, and ask it for both."""
    way: Any = rng.choice(read_stock()["changes"])
    new = _draw_of(way["attributes"], rng)
    if new is None:
        return []
    old = _draw_other(new, rng)
    twin = draw_fact(rng, new.subject.draw_twin(rng), new.attribute)
    text = stand_beside(_tell(rng.choice(way["says"]), old, new, rng), rng)
    present, past = (_ask(way[time], old, new, rng) for time in ("present", "past"))
    pairs: list[Pair | None] = [
        pair_or_none("changes", present, text, new.value, source),
        pair_or_none("changes", past, text, old.value, source),
    ]
    if rng.random() < 0.5:
        pairs.append(pair_or_none("changes", ask(new, rng), text, new.value, source))
    if rng.random() < 0.6:
        other = _draw_other(twin, rng)
        text = stand_beside(_tell(rng.choice(way["says"]), other, twin, rng), rng)
        asked = _ask(way[rng.choice(("present", "past"))], old, new, rng)
        pairs.append(unanswered("changes", asked, text, source))
    return pairs


def make_halves(rng: Random, source: str) -> list[Pair | None]:
    """Make notes that tell only what is, or only what was."""
    way: Any = rng.choice(read_stock()["changes"])
    new = _draw_of(way["attributes"], rng)
    if new is None:
        return []
    old = _draw_other(new, rng)
    halves = read_stock()["halves"]
    is_new = stand_beside(_tell(rng.choice(halves["new"]), old, new, rng), rng)
    is_old = stand_beside(_tell(rng.choice(halves["old"]), old, new, rng), rng)
    plain = stand_beside(say(old, rng), rng)
    present, past = (_ask(way[time], old, new, rng) for time in ("present", "past"))
    asked = present if rng.random() < 0.5 else ask(new, rng)
    pairs: list[Pair | None] = [
        pair_or_none("changes", asked, is_new, new.value, source),
        pair_or_none("changes", past, is_old, old.value, source),
        pair_or_none("changes", present, plain, old.value, source),
    ]
    if rng.random() < 0.5 and "now" in present:
        pairs.append(unanswered("changes", present, is_old, source))
    if "{new}" not in past and rng.random() < 0.5:
        pairs.append(unanswered("changes", past, is_new, source))
    if rng.random() < 0.4:
        both = join([_tell(rng.choice(way["says"]), old, new, rng), say(old, rng)], rng)
        if both.count(new.value) == 1:
            pairs.append(pair_or_none("changes", present, both, new.value, source))
    return pairs


def _draw_of(attributes: list[str], rng: Random) -> Fact | None:
    for _ in range(30):
        subject = draw_subject(rng)
        shared = [it for it in subject.attributes if it in attributes]
        if shared:
            return draw_fact(rng, subject, rng.choice(shared))
    return None


def _draw_other(fact: Fact, rng: Random) -> Fact:
    for _ in range(30):
        other = draw_fact(rng, fact.subject, fact.attribute)
        if other.value not in fact.value and fact.value not in other.value:
            return other
    raise ValueError(f"no other value for {fact.attribute}")


def _tell(form: str, old: Fact, new: Fact, rng: Random) -> str:
    words = {"it": new.subject.name, "a": new.label, "old": old.value, "new": new.value}
    return finish(fill(form, rng, **words), rng)


def _ask(forms: list[str], old: Fact, new: Fact, rng: Random) -> str:
    words = {"it": new.subject.name, "a": new.label, "old": old.value, "new": new.value}
    question = fill(rng.choice(forms), rng, **words)
    if rng.random() < 0.25:
        return question.lower().rstrip("?")
    return question[:1].upper() + question[1:]
