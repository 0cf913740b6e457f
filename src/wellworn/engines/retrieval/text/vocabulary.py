"""The words of a text: stemmed, without function words, and with identifiers unsplit.

Agents look things up by error codes, versions, hosts and paths, which a sentence vector hardly
sees; so what is written with inner punctuation counts as a word of its own beside its parts.
Texts that look alike have the same words (`wellworn.kit.folding`).
Every pattern is free of nested repetition, so that hostile text costs linear time.

Words in Latin letters are stemmed as English; the terms of a text in another language have its own
stems as well. Other scripts tell the language well enough, so their words are stemmed by its rules;
those written without blanks are cut into pairs of characters.

Source: measured in `docs/adr/0003-fusion.md`; the stemmers are Snowball's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from threading import local
from typing import Final, Protocol, TypeVar, cast

import Stemmer

from wellworn.kit.folding import fold_forms
from wellworn.kit.words import load_words

#: Questions are full of them and they carry no evidence.
STOP_WORDS: Final = frozenset(load_words(__name__, "function_words"))

# Python's \w leaves out combining marks, without which Hindi or Thai words fall to pieces.
_MARKS: Final = "".join(
    chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in {"Mn", "Mc"}
)
_LETTER: Final = rf"[\w{_MARKS}\u200c\u200d]"
_COMPOUND: Final = re.compile(rf"{_LETTER}++(?:(?:::|[-./\\@~+#])++{_LETTER}++)*+(?:\+\+|#)?")
_ASCII_COMPOUND: Final = re.compile(_COMPOUND.pattern.replace(_LETTER, r"\w"), re.ASCII)
_OUTER: Final = re.compile(r"::|[/\\@]")
_INNER: Final = re.compile(r"[-._~+#]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_POSSESSIVE: Final = re.compile(r"(?<=\w)['\u2019](?:s|S)(?!\w)")

# Scripts written without blanks: a run of them is cut into pairs of characters.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)
#: Of them, what is a word by itself.
IDEOGRAPH: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


#: Scripts that tell the language, or at least whose endings a word has.
_LANGUAGES: Final = {
    "Greek": "greek",
    "Cyrillic": "russian",
    "Armenian": "armenian",
    "Persian": "persian",
    "Arabic": "arabic",
    "Devanagari": "hindi",
    "Tamil": "tamil",
}
# Letters that Persian has and Arabic does not come first, wherever they are in a word.
_OTHER_SCRIPTS: Final = re.compile(
    "(?P<Greek>[\u0370-\u03ff])|(?P<Cyrillic>[\u0400-\u04ff])|(?P<Armenian>[\u0531-\u0587])"
    "|(?P<Persian>[\u0600-\u06ff]*[\u067e\u0686\u0698\u06af\u06a9\u06cc])"
    "|(?P<Arabic>[\u0600-\u06ff])|(?P<Devanagari>[\u0900-\u097f])|(?P<Tamil>[\u0b80-\u0bff])"
)


_LATIN: Final = re.compile("[\u00df-\u024f\u0300-\u036f\u1e00-\u1eff]")
#: Letters that Unicode does not take apart, and how they are typed without their keyboard.
_UNMARKED: Final = str.maketrans("\u00f8\u0142\u0111\u00f0\u0131\u0127", "olddih") | str.maketrans(
    {"\u00e6": "ae", "\u0153": "oe", "\u00fe": "th"}
)
_TYPED: Final = str.maketrans(
    {"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue", "\u00f8": "oe", "\u00e5": "aa"}
)
_Stem = TypeVar("_Stem")


class _Stemmer(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - the library's name


class _OfThread(local):
    """The stemmers of a thread: each keeps buffers between calls, so no two threads share one."""

    def __init__(self) -> None:
        self.stemmers: dict[str, Callable[[str], str]] = {}


_OWN: Final = _OfThread()


def split_words(text: str, language: str = "english") -> list[str]:
    """Return the text's words in order, with repetitions; a compound comes before its parts.

    They are stemmed as words of a language, by the name of its stemmer.
    """
    stemmed = load_stemmer(language)
    compounds = list_compounds(text)
    return [stem for compound in compounds for stem in stem_compound(compound, stemmed)]


def list_compounds(text: str) -> list[str]:
    """Return what a text's words are made of, in order and without possessive endings."""
    text = fold_forms(text)
    has_possessive = "'" in text or "\u2019" in text
    return _find_compounds(_POSSESSIVE.sub("", text) if has_possessive else text)


def stem_compound(compound: str, stemmed: Callable[[str], _Stem]) -> Iterable[str | _Stem]:
    """Return the words of what is written without a blank inside, a compound before its parts."""
    if compound.isascii() and compound.isalnum() and (rest := compound[1:]) == rest.lower():
        return _stem_word(compound.lower(), stemmed)  # nine of ten; the rest is slower
    return _stem_compound(compound, stemmed)


def spell_otherwise(compound: str, stemmed: Callable[[str], str]) -> Iterator[str]:
    """Yield the words of a compound as they are spelled without marks, or without a keyboard.

    `Schlüter` is typed as "schluter" and "schlueter". Only letters of Latin scripts are spelled so:
    elsewhere marks make other words.

        >>> [*spell_otherwise("Schlüter", str)]
        ['schluter', 'schlueter']
    """
    for piece, is_whole in () if compound.isascii() else _split_compound(compound):
        if _LATIN.search(piece) is None or _OTHER_SCRIPTS.search(piece) or _UNSPACED.search(piece):
            continue
        spellings = dict.fromkeys(map(_drop_marks, (piece, piece.translate(_TYPED))))
        yield from (each if is_whole else stemmed(each) for each in spellings if each != piece)


def _drop_marks(word: str) -> str:
    bare = unicodedata.normalize("NFD", word.translate(_UNMARKED))
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


def split_compounds(text: str) -> list[str]:
    """Return what is written without a blank inside, as written: words, hosts, paths, versions."""
    return _find_compounds(fold_forms(text))


def _find_compounds(text: str) -> list[str]:
    return (_ASCII_COMPOUND if text.isascii() else _COMPOUND).findall(text)


def is_unspaced(text: str) -> bool:
    """Tell whether any of it is of a script that is written without blanks."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def _stem_compound(compound: str, stemmed: Callable[[str], _Stem]) -> Iterator[str | _Stem]:
    for piece, is_whole in _split_compound(compound):
        if is_whole:
            yield piece
        else:
            yield from _stem_atom(piece, stemmed)


def _split_compound(compound: str) -> Iterator[tuple[str, bool]]:
    """Yield casefolded pieces, complete ones (to stay as they are) before their atoms."""
    segments = [segment for segment in _OUTER.split(compound) if segment]
    if len(segments) > 1:
        yield _fold(compound), True
    for segment in segments:
        atoms = [part for atom in _INNER.split(segment) if atom for part in _CAMEL.split(atom)]
        if atoms != [segment]:
            yield _fold(segment), True
        yield from ((_fold(atom), False) for atom in atoms)


def _stem_atom(atom: str, stemmed: Callable[[str], _Stem]) -> Iterator[str | _Stem]:
    """Yield one stemmed word, or the pairs of characters of a script without blanks."""
    position = 0
    for run in () if atom.isascii() else _UNSPACED.finditer(atom):
        yield from _stem_word(atom[position : run.start()], stemmed)
        yield from _split_pairs(run.group())
        position = run.end()
    yield from _stem_word(atom[position:], stemmed)


def _stem_word(word: str, stemmed: Callable[[str], _Stem]) -> Iterator[str | _Stem]:
    if not word or word in STOP_WORDS:
        return
    script = None if word.isascii() else _OTHER_SCRIPTS.search(word)
    if script is None:
        yield stemmed(word)
        return
    # The word itself as well, by which texts are found that were indexed before it had a stem.
    yield word
    stem = load_stemmer(_LANGUAGES[script.lastgroup or ""])(word)
    if stem and stem != word:
        yield stem


def _split_pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def load_stemmer(language: str = "english") -> Callable[[str], str]:
    """Return the stemmer of a language, by its name in Snowball's list.

    Raises:
        KeyError: Snowball has no such stemmer.
    """
    stemmers = _OWN.stemmers
    if language not in stemmers:
        # What it remembered would be cleared again and again by a text of many words.
        stemmer = cast("_Stemmer", Stemmer.Stemmer(language, 0))  # pyright: ignore[reportUnknownMemberType]
        stemmers[language] = stemmer.stemWord
    return stemmers[language]


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    # The small letter of a dotted capital I is i, and needs no further dot.
    return unicodedata.normalize("NFC", word.casefold().replace("i\u0307", "i"))
