"""What of a text stands in no source: names, numbers, addresses, and whole sentences. Pure.

A model's words are held to what its citations say, sentence by sentence. The words of the query
are no source: an answer must not agree with its question for want of better knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from wellworn.domain.turns.models import Evidence
from wellworn.domain.turns.quoting import measure_overlap
from wellworn.domain.turns.wording import list_content_words
from wellworn.engines.retrieval.text import split_words
from wellworn.kit.clock import format_day
from wellworn.kit.sentences import NOT_SHORT

CITATION: Final = re.compile(r"\[(\d+)\]")
_IDENTIFIER: Final = re.compile(
    r"(?<!\w)https?://[^\s<>)\]|”\"]+"
    r"|(?<![\w.])\w*\d(?:(?:[\w.:/%-]|,(?=\d{3}(?!\d)))*\w)?"
    r"|\b[^\W_](?:\w*+[./@]_*+[^\W_]|[^\W_]*+_++[^\W_])\w*+(?:[./@:]_*+[^\W_]\w*+)*+"
)
_NAME: Final = re.compile(r"(?<=[\w,;:)\]][ \n])[(“\"*_`]{0,3}([A-Z][\w-]+(?:[.:/@]\w[\w-]*)*)")
_LATE_CITATION: Final = re.compile(r"([.!?])((?:\s*\[\d+\])+)")
_SENTENCE_END: Final = re.compile(rf"(?<=[.!?]){NOT_SHORT}\s+|\n+")
_MARKER: Final = re.compile(r"^[ \t]*(?:[-*+>#|]+[ \t]*)*(?:\d{1,2}[.)][ \t]+)?", re.MULTILINE)
_LEAST_COVERAGE: Final = 0.5
_MOST_LEADING: Final = 2


def list_unknown(text: str, source: str) -> list[str]:
    """Return the names, numbers and addresses of a text that do not stand in a source."""
    plain = CITATION.sub(" ", _MARKER.sub("", text))
    folded = source.casefold()
    identifiers = [part for part in _IDENTIFIER.findall(plain) if not _stands_in(part, folded)]
    words = set(split_words(source))
    names = [
        name
        for name in _NAME.findall(plain)
        if not (_stands_in(name, folded) or words.issuperset(split_words(name)))
    ]
    return list(dict.fromkeys([*identifiers, *names]))


def _stands_in(identifier: str, folded: str) -> bool:
    """Tell whether an identifier stands in a text by itself, not as a part of a longer one."""
    name = re.escape(identifier.casefold().rstrip(".,;:!?"))
    if identifier.isdigit():
        pattern = rf"(?<!\d)(?<!\d[.,:]){name}(?!\d|[.,:]\d)"
    else:
        pattern = rf"(?<!\w){name}(?!\w|[.:/]_*[^\W_])"
    return re.search(pattern, folded) is not None


def is_backed(text: str, item: Evidence) -> bool:
    """Tell whether evidence holds what identifies, counts and most of what means in a text."""
    source = format_source(item)
    return not list_unknown(text, source) and measure_backing(text, source) >= _LEAST_COVERAGE


def measure_backing(text: str, source: str) -> float:
    """Return which share, 0 to 1, of a text's words of meaning stands in a source."""
    words = set(list_content_words(CITATION.sub("", text)))
    return measure_overlap(source, words) if words else 1.0


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
    every = {int(number) for number in CITATION.findall(body)}
    for number in sorted(every - by_number.keys()):
        yield f"“[{number}]” cites nothing that was found"
    for sentence in split_sentences(body):
        own = {int(number) for number in CITATION.findall(sentence)}
        cited = [by_number[number] for number in own or every if number in by_number]
        source = "\n".join(map(format_source, cited))
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
