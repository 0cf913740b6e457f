"""Tells what of a text states how things are, from what supposes, asks, quotes or denies. Pure.

Each sentence is judged by itself, because a guess may stand beside a fact; but a dream, a joke, a
rumour or a novel is one for the sentences beside it too. What was only a plan is a fact where the
sentence says that it was decided, and so is what a letter or somebody known says.

Source: `python -m benchmarks remembering`, the notes in `benchmarks/notes/supposed.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

from wellworn.domain.thoughts.truth.recollections import (
    REACH,
    RECALLS,
    is_of_lately,
    lets_speak,
    points_back,
    quotes,
    recalls,
)
from wellworn.domain.thoughts.truth.subjects import VERBS
from wellworn.engines.retrieval.text import is_unspaced
from wellworn.kit.words import fold, fold_phrases, load_phrases, load_words, straighten


def match_whole(phrases: str) -> str:
    """Return the pattern of phrases that stand as words of their own."""
    return rf"(?<!\w)(?:{phrases})(?!\w)"


def _match_any(words: tuple[str, ...]) -> str:
    """Return the pattern of phrases, which in a script without blanks stand inside words."""
    phrases = sorted(fold_phrases(words), key=len, reverse=True)
    spaced = "|".join(re.escape(phrase) for phrase in phrases if not is_unspaced(phrase))
    unspaced = [re.escape(phrase) for phrase in phrases if is_unspaced(phrase)]
    return "|".join([match_whole(spaced), *unspaced])


_MARKS: Final = ("?", "\uff1f")
_BREAK: Final = re.compile(
    r"(?<!\b\w\.)(?<!\b(?:dr|mr|ms|st|nr|sr)\.)(?<!\b(?:mrs|sra)\.)(?<!\bprof\.)(?<=[.!?;])\s+"
    r"|(?<=[\u3002\uff01\uff1f])|\n|,\s+(?=(?:but|aber|pero|mais)\b)"
)
_INDEFINITE: Final = load_phrases(__name__, "indefinite")
_MEDIA: Final = load_phrases(__name__, "media")
_SAYING: Final = load_phrases(__name__, "report")
_SOURCES: Final = load_phrases(__name__, "sources")
_LETTERS: Final = load_phrases(__name__, "letters")
_SCENES: Final = load_phrases(__name__, "scenes")

_FRAME: Final = re.compile(
    rf"{_match_any(load_words(__name__, 'frame'))}|;-?\)"
    rf"|^(?:over |back )?(?:in|for|im|für|en|para|dans|pour) (?:\S+ ){{0,5}}?{match_whole(_SCENES)}"
    rf"|^(?:{load_phrases(__name__, 'exercise')})\b[^:]{{0,30}}:"
)
_IDLE: Final = re.compile(
    rf"{match_whole(load_phrases(__name__, 'idle'))}"
    rf"|\bas [^\W\d_]+ (?:{load_phrases(__name__, 'hoped')})\b"
)
_HEDGE: Final = re.compile(_match_any(load_words(__name__, "hedge")))
_UNDECIDED: Final = re.compile(_match_any(load_words(__name__, "undecided")))
_DECIDED: Final = re.compile(_match_any(load_words(__name__, "decided")))
_EMBEDDED: Final = re.compile(match_whole(load_phrases(__name__, "embedded")))
_HEARSAY: Final = re.compile(
    rf"(?:^|(?<!\w)(?:{_SOURCES}|in|on|auf|im|en|sur|dans) )"
    rf"(?:{_INDEFINITE}) (?:\S+ ){{0,3}}(?:{_MEDIA})(?!\w)"
    rf"|^(?:{_INDEFINITE}) (?!(?:\S+ )?(?:{_LETTERS})\b)(?:\S+ ){{1,5}}(?:{_SAYING})(?!\w)"
    rf"|(?<!\w)(?:{_SOURCES}) (?:{_INDEFINITE})\b"
    rf"|^(?:{_SOURCES}|in|on|im|auf|en|sur|dans) (?!our\b|my\b)(?:\S+ ){{0,3}}(?:{_MEDIA})(?!\w)"
    rf"|(?<!our )(?<!my )(?<!\w)(?:{_MEDIA}) (?:[^\s:]+ ){{0,3}}(?:{_SAYING})(?!\w)"
)
_ANNOUNCES: Final = re.compile(match_whole(load_phrases(__name__, "announces")))
_QUOTE: Final = re.compile(
    rf"{match_whole(_SAYING)}[^\"\u00ab\u201c\u201e]{{0,20}}"
    r"[\"\u00ab\u201c\u201e](?:[^\s\"\u00bb\u201c\u201d]+\s+){3}[^\"\u00bb\u201c\u201d]*(?:[\"\u00bb\u201c\u201d]\W*)?$"
    r"|^[\"\u00ab\u201c\u201e][^\"\u00bb\u201c\u201d]+[\"\u00bb\u201c\u201d],? [^.]*$"
)
_YEAR: Final = re.compile(r"\bin (?:19|20)\d\d\b")
_PAST: Final = re.compile(
    rf"{_match_any(load_words(__name__, 'past'))}"
    r"|\b(?:vor|hace|il y a) \w+ (?:jahren|monaten|años|meses|ans|mois)\b"
    r"|\b\w+ (?:year|month|week|decade)s? (?:back|earlier)\b|\bback (?:in|at) "
    r"|\b(?:when|while) (?:i|we|he|she|they) (?:was|were|first|\w{2,}ed)\b"
    r"|\bals (?:ich|wir) |\bcuando (?:yo )?era|\bquand j'étais"
    r"|\bas an? (?:\w+ )?(?:student|child|kid|boy|girl)\b"
)
_PAST_TENSE: Final = re.compile(match_whole(load_phrases(__name__, "past_tense")))
_PRESENT: Final = re.compile(match_whole(load_phrases(__name__, "present")))
_CHANGE: Final = re.compile(match_whole(load_phrases(__name__, "change")))
_DENIAL: Final = re.compile(match_whole(load_phrases(__name__, "denial")))
_UNCHANGED: Final = re.compile(match_whole(load_phrases(__name__, "unchanged")))
_DISCLAIMER: Final = re.compile(
    rf"(?:(?<!\w)(?:{load_phrases(__name__, 'disclaiming')})|n't)(?: [^\s,.:;]+){{0,3}}?"
    rf" (?:{load_phrases(__name__, 'disclaimed')})(?!\w)"
    rf"|{match_whole(load_phrases(__name__, 'denying'))}",
    re.IGNORECASE,
)
_INSTEAD: Final = rf"(?:{load_phrases(__name__, 'but')})(?!\w)"
_CLAUSE: Final = re.compile(rf"[,;:]\s+|\s[-\u2013\u2014]\s|\s(?={_INSTEAD})", re.IGNORECASE)
_HAS_VERB: Final = re.compile(rf"{_INSTEAD}|.*'(?:s|re)(?!\w)", re.IGNORECASE)
_TOKEN: Final = re.compile(r"[^\W_]+(?:[-./_@:][^\W_]+)*")
_GOES_ON: Final = re.compile(rf"(?:{load_phrases(__name__, 'referring')})(?!\w)", re.IGNORECASE)
_OF_SAYING: Final = frozenset(load_words(__name__, "of_saying"))
_IS_DENIED_TOO: Final = re.compile(rf"(?:{load_phrases(__name__, 'denied_too')})(?!\w)")
_PRONOUNS: Final = frozenset(load_words(__name__, "referring")) | {"i", "we"}
_NUMBERS: Final = frozenset(
    form
    for table in ("counts", "ordinals")
    for number in load_words(__name__, table)
    for form in number.partition("=")[2].split("/")
)


def find_change(folded: str) -> str:
    """Return the first words that say that something changed, or nothing."""
    match = _CHANGE.search(folded)
    return match.group() if match else ""


def is_denied(text: str) -> bool:
    """Tell whether a text says that something is not true."""
    return _DENIAL.search(fold(text)) is not None


def is_unchanged(text: str) -> bool:
    """Tell whether a text says that something has not changed."""
    return _UNCHANGED.search(fold(text)) is not None


def asks(sentence: str) -> bool:
    """Tell whether a sentence asks, with a mark or inside another sentence."""
    folded = fold(sentence)
    return folded.endswith(_MARKS) or _EMBEDDED.search(folded) is not None


def disclaims(sentence: str) -> bool:
    """Tell whether a sentence says that something was not said, and not what is so instead.

    "I never said 10:15" tells nothing of it; "I never said 10:15, it is at 10:30" does, by a clause
    that has a verb, and a number or a name that is not denied.
    """
    text = straighten(sentence)
    match = _DISCLAIMER.search(text)
    if match is None:
        return False
    denied, *behind = _CLAUSE.split(text[match.start() :])
    before = _CLAUSE.split(text[: match.start()])[:-1]
    words = set(_TOKEN.findall(denied.casefold()))
    return not any(_tells_otherwise(clause, words) for clause in (*before, *behind))


def _tells_otherwise(clause: str, denied: Set[str]) -> bool:
    tokens = [token for token in _TOKEN.findall(clause) if token.casefold() not in denied]
    folded = {token.casefold() for token in _TOKEN.findall(clause)}
    has_verb = not folded.isdisjoint(VERBS) or _HAS_VERB.match(clause) is not None
    if not has_verb or _IS_DENIED_TOO.match(clause.casefold()):
        return False
    has_number = any(any(map(str.isdigit, token)) or token in _NUMBERS for token in tokens)
    has_name = any(token[0].isupper() and token.casefold() not in _PRONOUNS for token in tokens)
    return has_number or (has_name and folded.isdisjoint(_OF_SAYING))


def _join_disclaimed(sentences: Sequence[str]) -> list[str]:
    """Join a denial with a sentence that goes on about it: "… said 10:15. It is at 10:30."."""
    joined: list[str] = []
    for sentence in sentences:
        if joined and _GOES_ON.match(sentence) and disclaims(joined[-1]):
            joined[-1] = f"{joined[-1].rstrip('.! ')}, {sentence}"
        else:
            joined.append(sentence)
    return joined


def list_present(text: str, said_at: float | None = None) -> list[str]:
    """Return the sentences that tell, or ask, how things are.

    That is no guess, no quotation, no past and no denial that something was said.

    `said_at` is when the text was said, in epoch seconds; without it no year is known to be past.
    """
    if _is_quoted(fold(text)):
        return []
    parts = [part.strip() for part in _BREAK.split(text) if part and part.strip()]
    sentences = _join_disclaimed(parts)
    folded = [fold(sentence) for sentence in sentences]
    framed = {at for at, sentence in enumerate(folded) if _FRAME.search(sentence)}
    recalled = _find_recalled(folded, said_at)
    return [
        sentence
        for at, sentence in enumerate(sentences)
        if framed.isdisjoint((at - 1, at, at + 1))
        and at not in recalled
        and not (_is_supposed(folded[at]) or _is_past(folded[at]) or disclaims(sentence))
    ]


def _find_recalled(folded: Sequence[str], said_at: float | None) -> set[int]:
    """Return the places of sentences that quote what is old, or go on about a past recalled before.

    A word of change ends it: "the port is 3200 now".
    """
    recalled: set[int] = set()
    last = -REACH - 1
    for at, sentence in enumerate(folded):
        if _CHANGE.search(RECALLS.sub(" ", _PAST.sub(" ", sentence))):
            last = -REACH - 1
            continue
        is_of_then = recalls(sentence, said_at)
        if is_of_then and quotes(sentence):
            recalled |= {at - 1, at} if points_back(sentence) else {at}
        elif at - last <= REACH and (lets_speak(sentence) or _tells_of_then(sentence)):
            recalled.add(at)
        if is_of_then or at in recalled or _PAST.search(sentence):
            last = at
    return recalled


def _tells_of_then(folded: str) -> bool:
    is_in_past = _PAST_TENSE.search(folded) is not None and _PRESENT.search(folded) is None
    return is_in_past and not is_of_lately(folded)


def _is_quoted(folded: str) -> bool:
    return _QUOTE.search(folded) is not None and _ANNOUNCES.search(folded) is None


def _is_supposed(folded: str) -> bool:
    """Tell whether a sentence is a plan, a wish, a guess or what others are said to say."""
    if _UNDECIDED.search(folded) or _HEARSAY.search(folded):
        return True
    return _HEDGE.search(_IDLE.sub(" ", folded)) is not None and _DECIDED.search(folded) is None


def _is_past(folded: str) -> bool:
    """Tell whether a sentence tells how things were, and not that they changed."""
    is_past = _PAST.search(folded) is not None
    is_past = is_past or (
        _YEAR.search(folded) is not None and _PAST_TENSE.search(folded) is not None
    )
    rest = _PAST.sub(" ", folded)
    return is_past and not (_CHANGE.search(rest) or _PRESENT.search(rest))
