"""Decodes the bytes of a text, and flags an encoding that was guessed.

UTF-8 comes first, because hardly anything else passes for it, and a broken byte in it is replaced
alone; the declared encoding, often wrong, comes second, read as widely as browsers read its label.
What is guessed from statistics must at least not mix scripts within a word.

Source: measured on declared and undeclared files, short and long, of twenty encodings; WHATWG
Encoding, section 4.2, for the labels.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import category

import webencodings
from chardet import detect_all

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Codecs of Python that no document uses; some take quadratic time.
_NOT_OF_DOCUMENTS: Final = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
)
# What browsers read under a label, where Python's codec of that name is narrower.
_WIDER: Final = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "tis-620": "cp874",
}
_SEVEN_BIT: Final = frozenset({"iso2022_jp", "hz"})
_LATIN: Final = frozenset({"cp1250", "cp1254", "cp1257", "cp1258", "iso8859-2"})
# The encodings of texts that people still have; of equal guesses the rarer ones would be noise.
_GUESSED: Final = (
    "ascii", "big5", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp1257", "cp1258", "cp866", "cp874", "cp932", "cp949", "euc-jp", "gb18030", "iso8859-2",
    "koi8-r", "koi8-u", "utf-8",
)  # fmt: skip
_WEAK: Final = 0.06
"""Below this confidence a guess within the Latin script is hardly better than cp1252."""
_NEAR: Final = 0.5
_SURE_OF_UTF8: Final = 4
_SURE_OF_LABEL: Final = 10
_SAMPLE: Final = 32_768
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_EASTERN: Final = re.compile("[\\s!-~\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uffee]")
_NEARLY_ALL: Final = 0.95
_ASCII_LETTER: Final = re.compile("[A-Za-z]")
_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\u2e80-\uffee]")
_META: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
_META_WITHIN: Final = 4096
_XML: Final = re.compile(
    rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE
)


CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))
"""Bytes that no text has, in whatever encoding but UTF-16."""


_GUESS: Final = "encoding guessed: "
_LOSS: Final = " and were replaced"


def find_doubt(flags: Iterable[str]) -> str:
    """Return the flag that says why the characters of a text may be others; empty without one."""
    doubts = (each for each in flags if each.startswith(_GUESS) or each.endswith(_LOSS))
    return next(doubts, "")


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    flags: tuple[str, ...] = ()


def has_mark(raw: bytes) -> bool:
    """Tell whether the bytes begin with a byte order mark of UTF-16 or UTF-32."""
    return raw.startswith(tuple(mark for mark, name in _MARKS if name != "utf-8"))


def wide(raw: bytes) -> str | None:
    """Return the UTF-16 encoding of a text without a mark.

    It has NULs: in every other byte, or else a few among East Asian characters alone.
    """
    sample = raw[: min(_SAMPLE, len(raw) - len(raw) % 2)]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    most = max(even, odd)
    if len(raw) % 2 or not most:
        return None
    in_order = ["utf-16-be", "utf-16-le"] if even > odd else ["utf-16-le", "utf-16-be"]
    is_parted = min(even, odd) <= most // 8 and most * 64 >= len(sample)
    for name in in_order[:1] if is_parted else in_order:
        text = sample.decode(name, errors="replace")
        is_eastern = is_parted or len(_EASTERN.findall(text)) >= _NEARLY_ALL * len(text)
        if is_eastern and all(map(_is_written, text)) and text.count("\ufffd") <= 1:
            return name
    return None


def _is_written(character: str) -> bool:
    return character.isprintable() or character.isspace() or category(character) == "Cf"


def find_html_charset(raw: bytes) -> str | None:
    """Return the charset that a page's own `<meta>`, or its XML declaration, names.

    A page in which that can be read is not in UTF-16, whatever it says.
    """
    naming = _META.search(raw[:_META_WITHIN]) or _XML.match(raw[:_META_WITHIN])
    label = naming[1].decode("ascii") if naming else None
    return None if label and label.lower().startswith(("utf-16", "utf-32")) else label


def decode(raw: bytes, *, declared: Sequence[str | None] = ()) -> Decoded:
    """Decode a text; never fails, and flags what was guessed or could not be read.

    Args:
        raw: the full file.
        declared: the charsets that its server and the file itself name, the surer ones first.
    """
    if mark := next(((mark, name) for mark, name in _MARKS if raw.startswith(mark)), None):
        return _decode_marked(raw[len(mark[0]) :], mark[1])
    guess = wide(raw)
    if guess and (text := _strictly(raw, guess)) is not None:
        return Decoded(text, (f"{_GUESS}{guess}",))
    names = [name for label in declared if (name := _find_encoding(label))]
    if b"\x1b" in raw or b"~{" in raw:
        names = ["iso2022_jp", *names] if b"\x1b$" in raw else names
        for name in names:
            if name in _SEVEN_BIT and (text := _strictly(raw, name)) is not None:
                return Decoded(text)
    if (text := _strictly(raw, "utf-8")) is not None:
        return Decoded(text)
    return (
        _decode_broken(raw, "utf-8", _SURE_OF_UTF8)
        or _decode_declared(raw, names)
        or _decode_broken(raw, "utf-8", 1)
        or _guess(raw)
    )


def _decode_declared(raw: bytes, names: Iterable[str]) -> Decoded | None:
    for name in names:
        if (text := _strictly(raw, name)) is not None:
            return Decoded(text)
    broken = (_decode_broken(raw, name, _SURE_OF_LABEL) for name in names)
    return next(filter(None, broken), None)


def _decode_marked(raw: bytes, name: str) -> Decoded:
    text = _strictly(raw, name)
    if text is not None:
        return Decoded(text)
    flag = f"some bytes are not {name}{_LOSS}"
    return Decoded(raw.decode(name, errors="replace"), (flag,))


def _strictly(raw: bytes, name: str) -> str | None:
    try:
        return raw.decode(name)
    except (UnicodeError, LookupError):
        return None


def _find_encoding(label: str | None) -> str | None:
    """Return the codec for a label, as browsers know it, or else as Python does."""
    known = webencodings.lookup(label or "")
    try:
        name = known.codec_info.name if known else codecs.lookup((label or "").strip()).name
    except (LookupError, ValueError):
        return None
    if name.replace("_", "-") in _NOT_OF_DOCUMENTS:
        return None
    return _WIDER.get(name, name)


def _decode_broken(raw: bytes, name: str, least: int) -> Decoded | None:
    """Read a text of which few bytes are broken, such as a log with one cut line.

    Args:
        raw: the full file.
        name: its encoding.
        least: how many characters beyond ASCII must be sound for each one that is not.
    """
    try:
        text = raw.decode(name, errors="replace")
    except (UnicodeError, LookupError):
        return None
    lost = text.count("\ufffd")
    if name == "utf-8":
        lost -= raw.count("\ufffd".encode())
    sound = len(text) - len(text.encode("ascii", errors="ignore")) - lost
    if sound < least * lost:
        return None
    return Decoded(text, (f"some bytes are not {name}{_LOSS}",))


def _guess(raw: bytes) -> Decoded:
    sample = raw[:_SAMPLE]
    results = detect_all(
        sample, ignore_threshold=True, include_encodings=_GUESSED, prefer_superset=True
    )
    scores = {result["encoding"]: result["confidence"] for result in results}
    names = [(codecs.lookup(label).name, score) for label, score in scores.items() if label]
    likely = [(name, score) for name, score in names if not _mixes_scripts(sample, name)]
    name, score = next(iter(likely), ("cp1252", 0.0))
    western = dict(likely).get("cp1252", 0.0)
    if name in _LATIN and score < _WEAK and western >= score * _NEAR:
        name = "cp1252"
    text = _strictly(raw, name)
    if text is None:
        text = raw.decode(name if likely else "cp1252", errors="replace")
    return Decoded(text, (f"{_GUESS}{name}",))


def _mixes_scripts(sample: bytes, name: str) -> bool:
    """Tell whether a word holds letters of ASCII and of another script, as a wrong guess makes."""
    words = _WORDS.findall(sample.decode(name, errors="ignore"))
    mixed = sum(bool(_ASCII_LETTER.search(word) and _OTHER_SCRIPT.search(word)) for word in words)
    whole = sum(_OTHER_SCRIPT.search(word) is not None for word in words) - mixed
    return mixed > whole
