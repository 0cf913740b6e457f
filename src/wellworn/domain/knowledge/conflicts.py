"""Conflicts: two places that give different values for the same thing, and what was decided.

A conflict lives as long as both of its quotes do. A decision is stored with the quotes it was made
on and holds again after every sync, until one of them says something else: then it is open again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from wellworn.domain.knowledge.answers import BOTH
from wellworn.domain.knowledge.attributes import drop_aside
from wellworn.domain.knowledge.claims import DETAIL, is_attribute, is_detail
from wellworn.domain.knowledge.entities import file_stem, is_special, name_key
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.places import NOTES, PLACES, group_by_place
from wellworn.domain.sources import find_identifiers, normalize_identifier
from wellworn.kit.folding import fold_forms
from wellworn.kit.text import normalise_text

_SINGLE: Final = frozenset(("ip", "hostname", "port", "version", "secret_ref", "endpoint"))
#: One thing may have several of these under one name.
SEVERAL: Final = frozenset(("cidr", "email", "endpoint", "env", "header", "path", "url"))
#: Attributes that tell a thing, wherever it is spoken of.
_TELLING: Final = frozenset(("ip", "hostname", "url", "endpoint", "email", "network"))
_ALIKE: Final = 2
_PAIR: Final = 2
_FEW: Final = 3
_LONGEST_PLACE: Final = 255
_DIGITS: Final = re.compile(r"[0-9]+")
#: Addresses that every machine has.
_ANYWHERE: Final = frozenset(("0.0.0.0", "127.0.0.1", "::", "::1", "localhost"))  # noqa: S104
_REPEATED: Final = re.compile(r"-[0-9]{1,3}$")
_PIECES: Final = re.compile(r"(?<![\w.])[\w.]*\w")
_QUANTITY: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]+)")
#: Spellings of units: what each is a multiple of, and how much of it.
_UNITS: Final = {
    name: (base, factor)
    for base, factor, names in (
        ("s", 1, "s sec secs second seconds"),
        ("s", 60, "min mins minute minutes"),
        ("s", 3_600, "h hr hrs hour hours"),
        ("s", 86_400, "d day days"),
        ("kb", 1, "k kb kib"),
        ("kb", 1_024, "m mb mib"),
        ("kb", 1_024**2, "g gb gib"),
        ("kb", 1_024**3, "t tb tib"),
    )
    for name in names.split()
}
_PORT: Final = re.compile(r"[0-9]{1,5}(?:[-\u2013][0-9]{1,5})?(?!\w)")
_PORT_BEHIND: Final = re.compile(r":[0-9]{1,5}(?![\w.:])")
#: Ends of a value that nothing qualifies.
_ALONE: Final = re.compile(r"[\w.:/@%~$&=#+-]+")
_PORTS: Final = {"ssh": "22", "smtp": "25", "dns": "53", "http": "80", "ntp": "123", "https": "443"}
_SAME_NAMES: Final = {
    "address": "ip",
    "ip address": "ip",
    "ips": "ip",
    "host": "hostname",
    "host name": "hostname",
    "fqdn": "hostname",
    "ports": "port",
    "endpoints": "endpoint",
    "urls": "url",
}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A term for which live documents of one place give different values.

    Attributes:
        place: the source or site, or two of them; empty for notes.
        attribute: what the documents call the value, folded.
        candidates: one fact for each place that gives a value, in order.
    """

    term: str
    attribute: str
    fact_type: str
    candidates: tuple[Fact, ...]
    place: str = ""

    @property
    def quotes(self) -> frozenset[str]:
        """Quotes of the places, white space folded."""
        return frozenset(normalise_text(fact.snippet) for fact in self.candidates)

    def is_settled(self, resolution: str | None, decided_on: frozenset[str]) -> bool:
        """Tell whether a decision holds: the places say what they did, and the value is theirs.

        A place that has gone does not open it again; one that is new or says something else does.
        """
        if resolution is None or not self.quotes <= decided_on:
            return False
        values = set(map(normalize_fact, self.candidates))
        return resolution == BOTH or normalize_value(resolution, self.fact_type) in values


def find_conflicts(
    facts: Iterable[Fact],
    places: Mapping[int, str] | None = None,
    paths: Mapping[int, str] | None = None,
    titled: Set[int] | None = None,
) -> list[Conflict]:
    """Return the conflicts between live facts, by term; each pair of spans is in one of them.

    Args:
        facts: of documents that speak of what holds now.
        places: of each document its place; without, all are of one.
        paths: of each document its path; without, none is another's counterpart.
        titled: documents that are about what they are called after; without, these facts tell.
    """
    by_term: dict[str, list[tuple[str, Fact]]] = defaultdict(list)
    facts, paths = list(facts), paths or {}
    for fact in facts:
        by_term[name_key(fact.term)].append(((places or {}).get(fact.document, ""), fact))
    titled = find_titled(facts, paths) if titled is None else titled
    disagreeing: list[Conflict] = []
    seen: list[frozenset[tuple[int, int]]] = []
    for _, placed in sorted(by_term.items(), key=lambda item: (len(item[0]), item[0])):
        for place, own in sorted(_list_things(group_by_place(placed)).items()):
            for (attribute, fact_type), group in sorted(_group_by_attribute(own).items()):
                at_odds = _find_disagreeing(group, paths, titled)
                spans = frozenset((fact.document, fact.start) for fact in at_odds)
                is_told = any(
                    spans & others if PLACES in place else spans <= others for others in seen
                )
                if at_odds and not is_told:
                    seen.append(spans)
                    term = at_odds[0].term
                    disagreeing.append(Conflict(term, attribute, fact_type, tuple(at_odds), place))
    return sorted(
        disagreeing,
        key=lambda conflict: (
            conflict.term,
            conflict.attribute,
            conflict.fact_type,
            conflict.place,
        ),
    )


def normalize_fact(fact: Fact) -> str:
    """Return what is equal for two spellings of one value."""
    return normalize_value(fact.value, fact.fact_type)


def normalize_value(value: str, fact_type: str) -> str:
    """Return what is equal for two spellings of a value of some type.

    A port has a name or a number, a host may end with a dot, a quantity has one of several units.
    """
    folded = normalise_text(fold_forms(value)).casefold()
    if fact_type == "port":
        port = _PORT.match(folded)
        number = port[0] if port else folded
        return _PORTS.get(number, number)
    if fact_type == DETAIL:
        return _PORTS.get(folded) or _normalize_quantity(folded)
    if fact_type == "version":
        return folded.rstrip(".") or folded
    lead = _find_lead(value)
    if fact_type == "hostname":
        return normalise_text(fold_forms(lead)).casefold().rstrip(".") or folded
    return normalize_identifier(lead).rstrip("/") or value


def _find_lead(value: str) -> str:
    """Return the identifier that a value leads with, and the port behind it: all else qualifies it.

    "10.4.4.1 (old)" is of 10.4.4.1.
    """
    if _ALONE.fullmatch(value):
        return value
    lead = next(iter(find_identifiers(value)), None)
    if lead is None:
        return value
    port = _PORT_BEHIND.match(value, lead.end)
    return value[lead.start : port.end() if port else lead.end]


def _normalize_quantity(folded: str) -> str:
    quantity = _QUANTITY.fullmatch(folded)
    if quantity is None or quantity[2] not in _UNITS:
        return folded
    base, factor = _UNITS[quantity[2]]
    return f"{float(quantity[1]) * factor:g} {base}"


def _list_things(groups: Mapping[str, list[Fact]]) -> dict[str, list[Fact]]:
    """Return what is said of each thing of a name, by place.

    What notes say that agrees with no place is said of each. Namesakes of two places are one thing
    where what is said shows it.
    """
    notes = groups.get(NOTES, [])
    values = set(map(normalize_fact, notes))
    others = {place: own for place, own in groups.items() if place != NOTES}
    things = dict(groups)
    if not any(values & set(map(normalize_fact, own)) for own in others.values()):
        things = {NOTES: notes} | {place: [*own, *notes] for place, own in others.items()}
    for some, other in combinations(sorted(others), 2):
        joined = PLACES.join((some, other))
        if len(joined) <= _LONGEST_PLACE and _are_one(others[some], others[other]):
            things[joined] = [*others[some], *others[other]]
    return things


def _are_one(some: Sequence[Fact], others: Sequence[Fact]) -> bool:
    """Tell whether two places speak of one thing: it has one address, or is the same in two ways.

    Two machines of one network do not have one name.
    """
    shared = _list_marks(some) & _list_marks(others)
    return len(shared) >= _ALIKE or any(kind in _TELLING for kind, _ in shared)


def _list_marks(facts: Iterable[Fact]) -> set[tuple[str, str]]:
    marks: set[tuple[str, str]] = set()
    for fact in facts:
        value = normalize_fact(fact)
        if fact.fact_type == "ip":
            value = value.partition(":")[0] if value.count(":") == 1 else value
            if value in _ANYWHERE:
                continue
            if network := _find_network(value):
                marks.add(("network", network))
        marks.add((fact.fact_type if fact.fact_type in _TELLING else fact.attribute, value))
    return marks


def _find_network(address: str) -> str:
    """Return what IPv4 addresses of one network begin with; empty for IPv6, where nothing tells."""
    return "" if ":" in address.partition("/")[0] else address.rpartition(".")[0]


def _group_by_attribute(facts: Iterable[Fact]) -> dict[tuple[str, str], list[Fact]]:
    groups: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        name = _SAME_NAMES.get(fact.attribute, fact.attribute)
        if _is_single(fact, name) and normalize_fact(fact) not in _ANYWHERE:
            groups[name, fact.fact_type].append(fact)
    return groups


def _is_single(fact: Fact, name: str) -> bool:
    """Tell whether a thing has one such value, and whether the term is one of a thing.

    "Primary owner" is what a value is called, and not whose it is.
    """
    whole, _, last = fact.term.rpartition(" ")
    if (whole and is_attribute(last)) or (name == "endpoint" and fact.fact_type != "endpoint"):
        return False
    if fact.fact_type == DETAIL:
        return is_detail(drop_aside(name)) and any(map(is_special, fact.term.split()))
    return fact.fact_type in _SINGLE


def find_titled(facts: Iterable[Fact], paths: Mapping[int, str]) -> set[int]:
    """Return the documents that state something of what they are called after.

    `node1.md` is about node1.
    """
    called = {document: name_key(file_stem(path)) for document, path in paths.items()}
    return {fact.document for fact in facts if name_key(fact.term) == called.get(fact.document)}


def _find_disagreeing(
    group: Sequence[Fact], paths: Mapping[int, str], titled: Set[int]
) -> list[Fact]:
    """Return one fact of each place of a group, in order, if any two places disagree."""
    lines: dict[tuple[int, int], list[Fact]] = defaultdict(list)
    sections: dict[tuple[int, str], dict[int, Fact]] = defaultdict(dict)
    for fact in group:
        lines[fact.document, fact.snippet_start].append(fact)
        section = fact.document, _REPEATED.sub("", fact.anchor)
        sections[section][fact.snippet_start] = fact
    if not any(_disagree(some, others) for some, others in combinations(lines.values(), 2)):
        return []
    if any(len(set(map(normalize_fact, line))) > 1 for line in lines.values()):
        return []
    if any(map(_is_list, sections.values())) or _is_of_many(group, paths, titled):
        return []
    distinct: dict[tuple[int, str], Fact] = {}
    for fact in sorted(group, key=lambda fact: (fact.document, fact.start)):
        distinct.setdefault((fact.document, normalize_fact(fact)), fact)
    return list(distinct.values())


def _is_list(lines: Mapping[int, Fact]) -> bool:
    """Tell whether lines of one section list several of a thing, such as its disks.

    What begins several rows of a table does not say which row it is; and what says more than its
    value says which one of them it is: "6101 with TLS".
    """
    distinct = set(map(normalize_fact, lines.values()))
    rows = sum(fact.snippet.startswith("|") for fact in lines.values())
    is_told = all(_ALONE.fullmatch(fact.value) is None for fact in lines.values())
    return len(distinct) > 1 and (rows > 1 or is_told or len(lines) > _PAIR)


def _is_of_many(group: Sequence[Fact], paths: Mapping[int, str], titled: Set[int]) -> bool:
    """Tell whether a term is of each document another thing, such as a label in all of them.

    Nearly each document says another value; or they are counterparts, in several folders or
    numbered, or of one folder that is called so. Numbered documents about no things of their own
    speak of one where its addresses are of one network, in which no two have one name.
    """
    own = {fact.document: paths.get(fact.document, "") for fact in group}
    distinct = len(set(map(normalize_fact, group)))
    if distinct > _FEW and distinct * 2 > len(own):
        return True
    if len(own) == 1 or not all(own.values()) or len(set(own.values())) < len(own):
        return False
    folders = {path.rpartition("/")[0] for path in own.values()}
    term = name_key(group[0].term)
    if any(term == name_key(each) for folder in folders for each in folder.split("/")):
        return len(folders) == 1
    names = {_DIGITS.sub("", path.rpartition("/")[2]) for path in own.values()}
    depths = {path.count("/") for path in own.values()}
    addresses = (normalize_fact(fact) for fact in group if fact.fact_type == "ip")
    networks = {*map(_find_network, addresses)} - {""}
    is_one = len(folders) == len(networks) == 1 and titled.isdisjoint(own)
    return len(names) == len(depths) == 1 and not is_one


def _disagree(some: Sequence[Fact], others: Sequence[Fact]) -> bool:
    return not any(_agree(fact, other) for fact in some for other in others)


def _agree(fact: Fact, other: Fact) -> bool:
    """Tell whether two values are one, or one says the same and less: `13` and `13.5`."""
    if normalize_fact(fact) == normalize_fact(other):
        return True
    if fact.fact_type not in {DETAIL, "version"}:
        return False
    some, others = (
        _PIECES.findall(normalise_text(each.value).casefold()) for each in (fact, other)
    )
    fewer, more = sorted((some, others), key=len)
    return bool(fewer) and all(any(_begins(piece, wider) for wider in more) for piece in fewer)


def _begins(piece: str, other: str) -> bool:
    shorter, longer = sorted((piece, other), key=len)
    return longer == shorter or longer.startswith(f"{shorter}.")
