"""Finds what of a text stands in no source: names, numbers, addresses, sentences. Pure.

A model's words are held to what its citations say, sentence by sentence. The words of the query
are no source: an answer must not agree with its question for want of better knowledge.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Final

from wellworn.domain.turns.models import Evidence
from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import format_day
from wellworn.kit.sentences import NOT_SHORT
from wellworn.kit.text import normalise_text

CITATION: Final = re.compile(r"\[(\d+)\]")
_IDENTIFIER: Final = re.compile(
    r"(?<!\w)https?://[^\s<>)\]|”\"]+"
    r"|(?<![\w.])\w*\d(?:(?:[\w.:/%-]|,(?=\d))*\w)?"
    r"|\b[^\W_](?:\w*+[./@]_*+[^\W_]|[^\W_]*+_++[^\W_])\w*+(?:[./@:]_*+[^\W_]\w*+)*+"
)
_NAME: Final = re.compile(
    r"(?<=[\w,;:)\]][ \n])[(“\"*_`]{0,3}([A-Z][\w-]*[^\W_](?:[.:/@]\w[\w-]*)*)"
)
_RUN: Final = re.compile(r"\w++")
_NUMBER: Final = re.compile(r"(?<!\d)(?<!\d[.,:])\d++(?![.,:]\d)")
_BEGIN: Final = re.compile(r"(?<!\w)")
_END: Final = re.compile(r"(?!\w|[.:/]_*[^\W_])")
_IN_THOUSANDS: Final = re.compile(r"[^,]*+(?:,\d{3}(?!\d))++[^,]*+")
_LONGEST_KEPT: Final = 200_000
"""Characters of a text, as of one entry of a turn, of which the places of words are remembered."""
_Places = Mapping[str, Sequence[int]]
_LATE_CITATION: Final = re.compile(r"([.!?])((?:\s*\[\d+\])+)")
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?]){NOT_SHORT}\s+|\n+")
_MARKER: Final = re.compile(r"^[ \t]*(?:[-*+>#|]+[ \t]*)*(?:\d{1,2}[.)][ \t]+)?", re.MULTILINE)
_LEAST_COVERAGE: Final = 0.5
_MOST_LEADING: Final = 2


class SourceText:
    """A source's words; it is read once, however much is compared with it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, item: Evidence) -> SourceText:
        """Return what evidence says."""
        return cls(format_source(item))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, as search compares them."""
        return frozenset(split_words(self.text))

    @cached_property
    def normalised(self) -> str:
        return normalise_text(self.text)

    @cached_property
    def _folded(self) -> str:
        return self.text.casefold()

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_NUMBER.findall(self._folded))

    def find_standing(self, parts: Iterable[str]) -> set[str]:
        """Return those of some identifiers that stand in it by themselves, in no longer one."""
        names = {part: part.casefold().rstrip(".,;:!?") for part in parts}
        lists = [
            name for name in names.values() if "," in name and not _IN_THOUSANDS.fullmatch(name)
        ]
        is_kept = len(self._folded) <= _LONGEST_KEPT
        runs = {run for name in names.values() for run in _RUN.findall(name)}
        places = self._places if is_kept else self._list_places(runs)
        # "7,7" may be one number, and two of a list.
        held = {
            name for name in lists if all(self._holds(each, places) for each in name.split(","))
        }
        return {part for part, name in names.items() if name in held or self._holds(name, places)}

    @cached_property
    def _places(self) -> _Places:
        return self._list_places()

    def _list_places(self, wanted: Container[str] | None = None) -> _Places:
        """Return where each run of letters and digits begins, or each that is wanted."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for run in _RUN.finditer(self._folded):
            if wanted is None or run[0] in wanted:
                places[run[0]].append(run.start())
        return places

    def _holds(self, name: str, places: _Places) -> bool:
        if name.isdecimal():
            return name in self._numbers
        rarest = min(_RUN.finditer(name), key=lambda run: len(places.get(run[0], ())), default=None)
        if rarest is None:
            return name in self._folded
        before = rarest.start()
        return any(
            self._is_at(name, at - before) for at in places.get(rarest[0], ()) if at >= before
        )

    def _is_at(self, name: str, start: int) -> bool:
        is_there = self._folded.startswith(name, start) and _BEGIN.match(self._folded, start)
        return bool(is_there and _END.match(self._folded, start + len(name)))


def list_unknown(text: str, source: SourceText | str) -> list[str]:
    """Return the names, numbers and addresses of a text that do not stand in a source."""
    source = SourceText(source) if isinstance(source, str) else source
    plain = CITATION.sub(" ", _MARKER.sub("", text))
    identifiers = dict.fromkeys(_IDENTIFIER.findall(plain))
    names = dict.fromkeys(_NAME.findall(plain))
    standing = source.find_standing(identifiers | names)
    said = (name for name in names if name not in standing)
    unsaid = (name for name in said if not source.words.issuperset(split_words(name)))
    unknown = (each for each in identifiers if each not in standing)
    return [*dict.fromkeys([*unknown, *unsaid])]


def is_backed(text: str, source: SourceText) -> bool:
    """Tell whether a source holds what identifies, counts and most of what means in a text."""
    return not list_unknown(text, source) and measure_backing(text, source) >= _LEAST_COVERAGE


def measure_backing(text: str, source: SourceText | str) -> float:
    """Return which share, 0 to 1, of a text's words of meaning stands in a source."""
    source = SourceText(source) if isinstance(source, str) else source
    words = set(list_content_words(CITATION.sub("", text)))
    return len(words & source.words) / len(words) if words else 1.0


def format_source(item: Evidence) -> str:
    """Return everything that evidence says, where it says it, and when."""
    day = format_day(item.moment) if item.moment is not None else ""
    return f"{item.title}\n{item.source}\n{day}\n{item.note}\n{item.text}"


def list_ungrounded(body: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    """Yield what is wrong with the body of an answer, one sentence for each fault.

    Args:
        body: the answer without its list of sources.
        evidence: everything that there is to cite.
    """
    by_number = {item.number: item for item in evidence}

    @cache
    def read(numbers: frozenset[int]) -> SourceText:
        cited = (by_number[number] for number in sorted(numbers & by_number.keys()))
        return SourceText("\n".join(map(format_source, cited)))

    every = {int(number) for number in CITATION.findall(body)}
    for number in sorted(every - by_number.keys()):
        yield f"“[{number}]” cites nothing that was found"
    for sentence in split_sentences(body):
        own = {int(number) for number in CITATION.findall(sentence)}
        source = read(frozenset(own or every))
        for part in list_unknown(sentence, source):
            yield f"“{part}” stands in no source that is cited"
        if not _is_leading(sentence) and measure_backing(sentence, source) < _LEAST_COVERAGE:
            yield f"No source says: {sentence}"


def split_sentences(body: str) -> list[str]:
    """Return the sentences, list items and rows of a text, each with the citations after it."""
    attached = _LATE_CITATION.sub(r"\2\1", _MARKER.sub("", body))
    parts = (part.strip() for part in _SENTENCE_END.split(attached))
    return [part for part in parts if re.search(r"\w", CITATION.sub("", part))]


def _is_leading(sentence: str) -> bool:
    """Tell whether a line only leads to what follows it."""
    return sentence.endswith(":") and len(list_content_words(sentence)) <= _MOST_LEADING
