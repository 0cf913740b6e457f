"""Draws things, what tells them apart from others of their kind, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from training.pairs import Pair, answered, unanswered
from training.values import draw_person, draw_value, list_words, read_stock

_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"
_ALIKE: Final = (
    frozenset(("owner", "keeper", "supervisor", "lead", "director", "author", "client")),
    frozenset(("office", "location", "floor", "address", "region")),
    frozenset(("fee", "price", "toll", "rent", "amount", "deposit")),
    frozenset(("size", "area", "capacity", "limit", "budget", "length")),
    frozenset(("year", "age")),
    frozenset(("interval", "duration", "timeout", "backup")),
    frozenset(("stop", "destination", "platform")),
    frozenset(("serial", "plate")),
    frozenset(("service", "cleaning")),
    frozenset(("status", "colour", "material")),
    frozenset(("system", "database", "driver_name", "language")),
    frozenset(("origin", "maker", "author")),
    frozenset(("start", "deadline", "date", "opening")),
)
"""Attributes whose questions may be answered by each other's values: not used as negatives."""
_OTHER_NOUNS: Final = (
    "switch|router|account|branch|ward|bed|gate|bay|plot|shelf|lane|table|stand|booth|court|stall"
    "|unit|block|line|lab|hall|barn|shed|mill|farm|press|drill|lathe|loom|saw|truck|trailer|wagon"
    "|module|script|backend|worker|mirror|proxy|index|crate|barrel|bottle|jar|box|crew|shift"
    "|committee|panel|campaign|grant|loan|policy|licence|voucher|coupon|badge|form|report|draft"
    "|chapter|exhibit|statue|fountain|path|trail|route|ferry|flight|coach|tram|heat|round|match"
).split("|")


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing of a kind, as texts call it, and a way to call another one of the kind.

    Attributes:
        form: how it is called, `{d}` for what tells it apart and `{noun}` for its kind.
        marks: the way to draw what tells things of this kind apart.
    """

    noun: str
    form: str
    marks: str
    mark: str
    attributes: tuple[str, ...]

    @property
    def name(self) -> str:
        """What texts call it."""
        return self.form.format(d=self.mark, noun=self.noun)

    def draw_twin(self, rng: Random) -> Subject:
        """Draw another thing of the same kind, which one name, letter or number tells apart."""
        for _ in range(20):
            mark = _draw_mark(self.marks, rng, near=self.mark)
            if mark.lower() not in (self.mark.lower(), "") and mark not in self.mark:
                return Subject(self.noun, self.form, self.marks, mark, self.attributes)
        noun = rng.choice([it for it in _OTHER_NOUNS if it != self.noun])
        return Subject(noun, self.form, self.marks, self.mark, self.attributes)


_FORMS: Final = (
    ("letter", ("{noun} {d}", "{noun} {d}", "the {noun} {d}", "{d} {noun}")),
    ("number", ("{noun} {d}", "{noun} {d}", "{noun} no. {d}", "{noun}-{d}", "{noun} #{d}")),
    ("lettered", ("{noun} {d}", "the {noun} {d}")),
    ("adjective", ("the {d} {noun}", "the {d} {noun}", "{d} {noun}")),
    ("codeword", ("the {d} {noun}", "{noun} {d}", "{d}", "{d} {noun}")),
    ("capital", ("the {d} {noun}", "{noun} {d}", "{d}", "the {noun} {d}")),
    ("host", ("{d}", "{d}", "{noun} {d}", "`{d}`")),
    ("place", ("the {noun} in {d}", "the {d} {noun}", "{noun} {d}", "the {noun} at {d}")),
    ("person", ("{d}'s {noun}", "the {noun} of {d}", "{d}'s {noun}")),
    ("year", ("the {noun} of {d}", "{noun} {d}", "the {d} {noun}")),
    ("goods", ("the {d} {noun}", "the {noun} for {d}")),
    ("none", ("the {noun}", "our {noun}", "the {noun}")),
)
_HOSTS: Final = frozenset(
    "server service cluster gateway endpoint bucket queue job dataset library_package"
    " project".split()
)


def draw_subject(rng: Random) -> Subject:
    """Draw a thing."""
    things = read_stock()["things"]
    kind = rng.choice([*things])
    marks, forms = rng.choice(_FORMS)
    if kind in _HOSTS and rng.random() < 0.5:
        marks, forms = "host", _FORMS[6][1]
    attributes = tuple(things[kind])
    noun = kind.replace("phone_model", "phone").replace("library_package", "package")
    if rng.random() < 0.3:
        noun = rng.choice(_OTHER_NOUNS)
    return Subject(noun, rng.choice(forms), marks, _draw_mark(marks, rng), attributes)


def _draw_mark(marks: str, rng: Random, near: str = "") -> str:
    """Draw what tells one thing of a kind from another, sometimes nearly the same."""
    return _MARKS[marks](rng, near)


def _draw_lettered(rng: Random, near: str) -> str:
    del near
    letter = rng.choice(_LETTERS)
    return f"{rng.randint(1, 9)}{letter}"


def _draw_host(rng: Random, near: str) -> str:
    word = rng.choice(list_words("codewords"))
    ending = rng.choice(
        (str(rng.randint(1, 9)), "api", "sync", "db", "web", "core", "worker", "prod", "dev")
    )
    if near and rng.random() < 0.5:
        word = near.rpartition("-")[0] or word
    return f"{word}-{ending}"


def _draw_number_near(rng: Random, near: str) -> str:
    if near.isdigit() and rng.random() < 0.6:
        other = [*near]
        other[rng.randrange(len(near))] = rng.choice("123456789")
        return "".join(other)
    return str(rng.choice((rng.randint(1, 9), rng.randint(10, 40), rng.randint(100, 999))))


_MARKS: Final[dict[str, Callable[[Random, str], str]]] = {
    "letter": lambda rng, _: rng.choice(_LETTERS),
    "lettered": _draw_lettered,
    "number": _draw_number_near,
    "host": _draw_host,
    "capital": lambda rng, _: rng.choice(list_words("codewords")).title(),
    "person": lambda rng, _: draw_person(rng),
    "year": lambda rng, _: str(rng.randint(2011, 2031)),
    "none": lambda _rng, _near: "",
    "goods": lambda rng, _: draw_value("goods", rng),
    "adjective": lambda rng, _: rng.choice(list_words("adjectives")),
    "codeword": lambda rng, _: rng.choice(list_words("codewords")),
    "place": lambda rng, _: rng.choice(list_words("places")),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """What a value is of, and the value."""

    subject: Subject
    attribute: str
    value: str

    @property
    def label(self) -> str:
        """What the attribute is called."""
        return read_stock()["attributes"][self.attribute].get("name", self.attribute)


def draw_fact(rng: Random, subject: Subject | None = None, attribute: str | None = None) -> Fact:
    """Draw a fact, of a thing and an attribute if they are given."""
    subject = subject or draw_subject(rng)
    attribute = attribute or rng.choice(subject.attributes)
    for _ in range(50):
        value = draw_value(read_stock()["attributes"][attribute]["v"], rng)
        if value.lower() not in subject.name.lower() and subject.name.lower() not in value.lower():
            return Fact(subject, attribute, value)
    raise ValueError(f"no value for {attribute} of {subject.name}")


def list_unlike(subject: Subject, attribute: str) -> list[str]:
    """Return the attributes of a thing whose values do not answer a question for this one."""
    alike = {it for group in _ALIKE if attribute in group for it in group}
    unlike = [it for it in subject.attributes if it != attribute and it not in alike]
    kind = read_stock()["attributes"][attribute]["v"]
    same = [it for it in unlike if read_stock()["attributes"][it]["v"] == kind]
    return same or unlike


def fill(form: str, rng: Random, **words: str) -> str:
    """Fill a form of the stock; what it names beyond the given words is drawn."""
    drawn = {
        "person": draw_person(rng),
        "room": rng.choice(list_words("rooms")),
        "place": rng.choice(list_words("places")),
        "weekday": rng.choice(list_words("weekdays")),
        "company": draw_value("company", rng),
        "date": draw_value("date", rng),
    }
    return form.format(**{**drawn, **words})


def say(fact: Fact, rng: Random, *, is_bare: bool = False) -> str:
    """Return a sentence that tells a fact."""
    stock = read_stock()
    own: Any = stock["attributes"][fact.attribute]["says"]
    form = rng.choice(own if rng.random() < 0.65 else stock["phrases"]["says"])
    return finish(fill_fact(form, fact, rng), rng, is_bare=is_bare)


def fill_fact(form: str, fact: Fact, rng: Random) -> str:
    """Fill a form with a fact."""
    return fill(form, rng, it=fact.subject.name, v=fact.value, a=fact.label)


def finish(sentence: str, rng: Random, *, is_bare: bool = False) -> str:
    """Make of a clause a sentence, with a capital, a mark, and sometimes words around it."""
    phrases = read_stock()["phrases"]
    if not is_bare and rng.random() < 0.2:
        sentence = fill(rng.choice(phrases["before"]), rng) + sentence
    if not is_bare and rng.random() < 0.1:
        sentence += fill(rng.choice(phrases["after"]), rng)
    if rng.random() < 0.9 and "`" not in sentence[:1]:
        sentence = sentence[:1].upper() + sentence[1:]
    return sentence if rng.random() < 0.15 else f"{sentence}."


def ask(fact: Fact, rng: Random) -> str:
    """Return a question for the value of a fact."""
    stock, way = read_stock(), rng.random()
    if way < 0.45:
        form = rng.choice(stock["attributes"][fact.attribute]["asks"])
    elif way < 0.7:
        form = rng.choice(stock["phrases"]["asks"])
    else:
        form = rng.choice(stock["phrases"]["typed"])
    question = fill_fact(form, fact, rng)
    if way >= 0.7 or rng.random() < 0.25:
        question = question.lower() if rng.random() < 0.6 else question
        return question.rstrip("?") if rng.random() < 0.7 else question
    return question[:1].upper() + question[1:]


def stand_beside(text: str, rng: Random, share: float = 0.3) -> str:
    """Put sentences beside a text that answer nothing, sometimes."""
    asides = read_stock()["phrases"]["aside"]
    while rng.random() < share:
        aside = fill(rng.choice(asides), rng)
        text = f"{aside} {text}" if rng.random() < 0.5 else f"{_close(text)} {aside}"
        share /= 2
    return text


def _close(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."


def join(sentences: list[str], rng: Random) -> str:
    """Join sentences in any order."""
    rng.shuffle(sentences)
    return rng.choice((" ", " ", "\n")).join(_close(it) for it in sentences)


def pair_or_none(kind: str, question: str, text: str, answer: str, source: str) -> Pair | None:
    """Make an answered pair; None where the answer stands in the text twice."""
    try:
        return answered(kind, question, text, answer, source)
    except ValueError:
        return None


def make_twins(rng: Random, source: str) -> list[Pair | None]:
    """Make pairs about two things of a kind, and about two attributes of one."""
    fact = draw_fact(rng)
    twin = draw_fact(rng, fact.subject.draw_twin(rng), fact.attribute)
    question = ask(fact, rng)
    pairs: list[Pair | None] = [
        pair_or_none("twins", question, stand_beside(say(fact, rng), rng), fact.value, source),
        unanswered("twins", question, stand_beside(say(twin, rng), rng), source),
    ]
    both = join([say(fact, rng), say(twin, rng)], rng)
    if rng.random() < 0.6:
        pairs.append(pair_or_none("twins", question, both, fact.value, source))
    unlike = list_unlike(fact.subject, fact.attribute)
    if unlike:
        other = draw_fact(rng, fact.subject, rng.choice(unlike))
        if rng.random() < 0.8:
            text = stand_beside(say(other, rng), rng)
            pairs.append(unanswered("attributes", question, text, source))
        if rng.random() < 0.5:
            text = join([say(fact, rng), say(other, rng)], rng)
            pairs.append(pair_or_none("attributes", question, text, fact.value, source))
        if rng.random() < 0.6:
            text = join([say(twin, rng), say(other, rng)], rng)
            pairs.append(unanswered("twins", question, text, source))
    return pairs


def make_without_value(rng: Random, source: str) -> list[Pair | None]:
    """Make a pair that speaks of an attribute without its value, and one that has it too."""
    fact = draw_fact(rng)
    question = ask(fact, rng)
    vague = finish(fill_fact(rng.choice(read_stock()["without"]["says"]), fact, rng), rng)
    pairs: list[Pair | None] = [
        unanswered("without value", question, stand_beside(vague, rng), source)
    ]
    if rng.random() < 0.35:
        text = join([vague, say(fact, rng)], rng)
        pairs.append(pair_or_none("without value", question, text, fact.value, source))
    if rng.random() < 0.3:
        twin = draw_fact(rng, fact.subject.draw_twin(rng), fact.attribute)
        text = join([vague, say(twin, rng)], rng)
        pairs.append(unanswered("without value", question, text, source))
    return pairs


def make_yes_or_no(rng: Random, source: str) -> list[Pair | None]:
    """Make questions to be answered by yes or no, whichever it is, and what decides neither."""
    fact = draw_fact(rng)
    other = draw_fact(rng, fact.subject, fact.attribute)
    twin = draw_fact(rng, fact.subject.draw_twin(rng), fact.attribute)
    question = _ask_whether(fact, rng)
    told = fact if rng.random() < 0.5 else other
    pairs: list[Pair | None] = [
        pair_or_none("yes or no", question, stand_beside(say(told, rng), rng), told.value, source),
        unanswered("yes or no", question, stand_beside(say(twin, rng), rng), source),
    ]
    unlike = list_unlike(fact.subject, fact.attribute)
    if unlike and rng.random() < 0.5:
        aside = draw_fact(rng, fact.subject, rng.choice(unlike))
        pairs.append(unanswered("yes or no", question, say(aside, rng), source))
    return pairs


def _ask_whether(fact: Fact, rng: Random) -> str:
    forms = [*read_stock()["attributes"][fact.attribute]["says"]]
    rng.shuffle(forms)
    for form in forms:
        verb, _, rest = form.removeprefix("{it} ").partition(" ")
        if not form.startswith("{it} ") or not rest:
            continue
        if verb in ("is", "was", "can", "must", "has"):
            asked = f"{verb} {{it}} {rest}" if verb != "has" else f"does {{it}} have {rest}"
        elif verb.endswith("s") and not verb.endswith("ss"):
            asked = f"does {{it}} {_strip_ending(verb)} {rest}"
        else:
            continue
        question = fill_fact(asked, fact, rng)
        break
    else:
        question = fill_fact("is the {a} of {it} {v}", fact, rng)
    if rng.random() < 0.3:
        return question.lower()
    return f"{question[:1].upper()}{question[1:]}?"


def _strip_ending(verb: str) -> str:
    return verb[:-2] if verb.endswith(("shes", "ches", "xes", "sses", "oes")) else verb[:-1]
