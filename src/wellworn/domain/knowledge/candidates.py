"""Candidates for hot terms: what one document explains, and how often it says it.

All of it depends on that document alone, and it is found once. The weight tells how well a
term is explained: by the document's title, a definition, a stated value, a heading.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from wellworn.domain.knowledge.attributes import drop_aside
from wellworn.domain.knowledge.claims import SUMMARY
from wellworn.domain.knowledge.entities import (
    LONGEST_SUMMARY,
    bare_title,
    can_be_name,
    file_name,
    is_instruction,
    is_special,
    key,
    name_in,
    name_key,
    plain,
    says_nothing,
    subject_of,
    subjects,
    term,
    words,
)
from wellworn.domain.knowledge.facts import Fact
from wellworn.domain.knowledge.naming import strip_article
from wellworn.domain.knowledge.summaries import (
    first_sentence,
    is_usual,
    summarize,
    telling_sentence,
)
from wellworn.domain.knowledge.views import Reading
from wellworn.engines.retrieval.text import STOP_WORDS, load_stemmer
from wellworn.kit.text import shorten
from wellworn.kit.words import load_phrases

_MOST_CANDIDATES: Final = 60
_LEAST_COUNT: Final = 2
_MOST_VALUES: Final = 3
_MAIN_NAMES: Final = re.compile(
    rf"(?:(?:public|main|tailscale|lan) )?(?:{load_phrases(__name__, 'main_names')})"
    r"|(?:.{1,40} )?(?:endpoint|url)"
)

#: Weights of how well a document explains a term, by where it does.
TITLE: Final = 4.5
DEFINED: Final = 4.0
_CUT_TITLE: Final = 3.8
BARE_TITLE: Final = 3.5
_PLAIN_TITLE: Final = 3.6
STATED: Final = 3.0
EXACT: Final = 0.3
"""More for a title that is the term and nothing else, and again for a file that is called so."""
_OWN_FOLDER: Final = 0.6
"""More for a document in a folder that is called so."""
_SURE: Final = 0.85
_LIKELY: Final = 0.8
NAMED_HEADING: Final = 2.5
HEADING: Final = 2.0
PLAIN_HEADING: Final = 1.5

_ALIASES: Final = ("aliases", "alias")
"""Fields of front matter: https://help.obsidian.md/aliases."""

#: Types of values that say what a thing is, the best first.
_STAGING: Final = frozenset(("staging", "stage", "dev", "development", "test", "local", "preview"))
_MAIN: Final = ("ip", "hostname", "endpoint", "url", "cidr")
#: With which one reaches a thing.
REACHED: Final = frozenset(("ip", "hostname", "endpoint", "cidr", "port", "command"))
_TARGET: Final = re.compile(r"\]\([^()\n]{0,400}\)|https?://\S+|`[^`\n]{1,200}`")
_CLAUSE: Final = re.compile(r"[,;:.]\s")
#: In the middle of a sentence: what is written as a name is.
_WRITTEN: Final = re.compile(
    r"(?<=[a-z0-9,;] )(?:[A-Z][\w-]*\w(?: [A-Z][\w-]*){0,3}"
    r"|(?P<mark>`|\*\*|\[)(?P<marked>[\w.:-]{2,30}(?: [\w.:-]{1,30}){0,2})(?=`|\*\*|\]))"
)


@dataclass(frozen=True, slots=True)
class TermCandidate:
    """A term that a document explains.

    Attributes:
        weight: how well it explains it, 1.5 to 5.
        count: how often the document says it.
        anchor: of the part that explains it.
        start: where what the summary is made from begins, up to `end`.
        titled: the document's full title, for a term that is one or a part of it.
    """

    term: str
    weight: float
    count: int
    anchor: str
    summary: str
    start: int
    end: int
    titled: str = ""


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Counts of the words in a document's prose, by stem, and of pairs said twice or more.

    Attributes:
        named: how often it writes a term as a name: with a capital, as code or set off; by term.
    """

    single: Mapping[str, int]
    pairs: Mapping[str, int]
    named: Mapping[str, int] = field(default_factory=dict[str, int])

    def count(self, stems: Sequence[str]) -> int:
        """Return how often a term is said, at most; `stems` are its words'."""
        if len(stems) == 1:
            return self.single.get(stems[0], 0)
        return min(self.pairs.get(f"{stem_} {other}", 0) for stem_, other in pairwise(stems))


def count_words(reading: Reading) -> WordCounts:
    """Count the words of a document's prose."""
    prose = _TARGET.sub(" ", "\n".join(line.text for line in reading.lines))
    prose_words = words(prose.casefold())
    single, stem_word = Counter(prose_words), load_stemmer()
    stemmed = {word: None if word in STOP_WORDS else stem_word(word) for word in single}
    stems: Counter[str] = Counter()
    for word, count in single.items():
        if (stem := stemmed[word]) is not None and len(word) > 1:
            stems[stem] += count
    pairs = Counter(pairwise(map(stemmed.__getitem__, prose_words)))
    often = {pair: count for pair, count in pairs.items() if count >= _LEAST_COUNT}
    twice = {f"{one} {other}": n for (one, other), n in often.items() if one and other}
    text = "\n".join(line.text for line in reading.lines if not line.text.startswith("#"))
    named = Counter(term(match["marked"] or match[0]) for match in _WRITTEN.finditer(text))
    return WordCounts(dict(stems), twice, dict(named))


def find_candidates(
    reading: Reading, facts: Sequence[Fact], counted: WordCounts
) -> list[TermCandidate]:
    """Return the terms that a document explains, the best of each, at most 60."""
    best: dict[str, TermCandidate] = {}
    own: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        own[fact.term].append(fact)
    offered = [
        *_from_title(reading, own),
        *_from_aliases(reading, own),
        *_from_facts(reading, facts, own),
        *_from_headings(reading),
    ]
    for candidate in offered:
        identity = key(candidate.term)
        if not identity or not _is_term(candidate.term):
            continue
        if identity not in best or best[identity].weight < candidate.weight:
            count = max(counted.count(identity.split()), 1)
            best[identity] = replace(candidate, count=count)
    ordered = sorted(
        best.values(), key=lambda candidate: (-candidate.weight, -candidate.count, candidate.start)
    )
    return ordered[:_MOST_CANDIDATES]


def _from_title(reading: Reading, own: Mapping[str, Sequence[Fact]]) -> Iterator[TermCandidate]:
    subject = subject_of(reading)
    sentence = reading.find(telling_sentence)
    summary = reading.find(summarize)
    opening = plain(reading.text[slice(*sentence)]) if sentence else summary.text
    span = sentence or (summary.start, summary.end)
    file = file_name(reading.document.path)
    # What a document in a folder is about is seldom what explains the folder's name.
    named = {*term(reading.title).split(), *bare_title(reading.title).split(), *file.split()}
    is_own = named.issuperset(subject.split()) or says_nothing(reading.title)
    titled = bare_title(reading.title).removeprefix("the ")
    if key(opening) == key(subject):
        opening = ""  # there is nothing but the title
    if subject and is_own and (opening or any(map(is_special, subject.split()))):
        about = _with_identifier(opening, own.get(subject, ()))
        weight = (
            _title_weight(reading, subject, is_told=sentence is not None) if opening else HEADING
        )
        yield TermCandidate(subject, weight, 1, "", about, *span, titled)
    if file != subject and is_special(file) and file in term(reading.title).split():
        weight = (TITLE if sentence else BARE_TITLE) if opening else HEADING
        about = _with_identifier(opening, own.get(file, ()))
        yield TermCandidate(file, weight, 1, "", about, *span, titled)


def _from_aliases(reading: Reading, own: Mapping[str, Sequence[Fact]]) -> Iterator[TermCandidate]:
    """Yield the other names that the front matter gives its document, as vaults of notes do."""
    front = reading.markdown.front_matter
    names = [name for field in _ALIASES for name in front.fields.get(field, ())] if front else []
    if not names:
        return
    summary = reading.find(summarize)
    start, end = reading.find(telling_sentence) or (summary.start, summary.end)
    # Whoever asks for "the brick" asks for a brick: the name stands without its article, too.
    told = [name for each in map(term, names) for name in (each, strip_article(each))]
    for name in dict.fromkeys(told):
        about = _with_identifier(plain(reading.text[start:end]), own.get(name, ()))
        yield TermCandidate(name, DEFINED, 1, "", about, start, end)


def _title_weight(reading: Reading, subject: str, *, is_told: bool) -> float:
    is_whole = bare_title(reading.title) == subject
    if not any(map(is_special, subject.split())):
        weight = _PLAIN_TITLE
    elif is_told:
        weight = TITLE if is_whole else _CUT_TITLE
    else:
        weight = BARE_TITLE
    *folders, _ = reading.document.path.casefold().split("/")
    weight += EXACT if name_key(file_name(reading.document.path)) == name_key(subject) else 0.0
    return weight + (_OWN_FOLDER if subject in folders else EXACT if is_whole else 0.0)


def _from_facts(
    reading: Reading, facts: Sequence[Fact], own: Mapping[str, Sequence[Fact]]
) -> Iterator[TermCandidate]:
    shortest: dict[tuple[int, str], Fact] = {}
    for fact in facts:
        place = (fact.start, fact.fact_type)
        if place not in shortest or len(fact.term) < len(shortest[place].term):
            shortest[place] = fact
    values = {name: _values(own[name]) for name in {fact.term for fact in shortest.values()}}
    for fact in shortest.values():
        anchor = reading.parts[reading.part_at(fact.snippet_start)].anchor
        is_summary = fact.fact_type == SUMMARY
        about = _with_identifier(plain(fact.value), own[fact.term]) if is_summary else ""
        weight = _weight(fact) if is_summary else STATED
        span = (fact.snippet_start, fact.snippet_end)
        yield TermCandidate(fact.term, weight, 1, anchor, about or values[fact.term], *span)


def _values(facts: Sequence[Fact]) -> str:
    """Return what is known of a term that nobody describes: its values by their names."""
    summary = next((plain(fact.value) for fact in facts if fact.fact_type == SUMMARY), "")
    if summary:
        return _with_identifier(summary, facts)
    values = dict.fromkeys(f"{fact.attribute} {fact.value}".strip() for fact in facts)
    return shorten(", ".join(list(values)[:_MOST_VALUES]), LONGEST_SUMMARY)


def _weight(fact: Fact) -> float:
    if fact.snippet.startswith(("[", "**[", "| [")):
        return NAMED_HEADING  # a link: what it is about is explained there
    if fact.confidence >= _SURE:
        return DEFINED
    return STATED if fact.confidence >= _LIKELY else HEADING


def _from_headings(reading: Reading) -> Iterator[TermCandidate]:
    about = reading.find(subjects)
    for number, part in enumerate(reading.parts):
        reading.go_on()
        if not part.level or not part.anchor or is_usual(part.title):
            continue
        named = name_in(part.title)
        bare = named or term(part.title)
        if not named and about[number].lists:
            continue
        sentence = first_sentence(reading, number) if _is_term(bare) else None
        if sentence is None:
            continue
        weight = NAMED_HEADING if named else (HEADING if " " in bare else PLAIN_HEADING)
        description = shorten(plain(reading.text[slice(*sentence)]), LONGEST_SUMMARY)
        yield TermCandidate(bare, weight, 1, part.anchor, description, *sentence)


def _is_term(name: str) -> bool:
    return len(name) > 1 and can_be_name(name) and not is_instruction(name)


def _with_identifier(description: str, own: Sequence[Fact]) -> str:
    """Return what is said of a term with its main identifier, put in after the first clause."""
    main = min(
        (
            fact
            for fact in own
            if fact.fact_type in _MAIN and _MAIN_NAMES.fullmatch(drop_aside(fact.attribute))
        ),
        key=lambda fact: (
            _MAIN.index(fact.fact_type),
            not _STAGING.isdisjoint(fact.attribute.split()),
            fact.start,
        ),
        default=None,
    )
    short = shorten(description, LONGEST_SUMMARY).rstrip(" ,;:")
    if main is None or not short or main.value in short:
        return short
    clause = _CLAUSE.search(short)
    at = clause.start() if clause else len(short.rstrip("."))
    return f"{short[:at]} ({main.value}){short[at:]}"
