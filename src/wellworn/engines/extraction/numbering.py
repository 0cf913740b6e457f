"""Numbers of list items as documents write them: 3, c, iii; and the marks made of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_PLAIN: Final = re.compile(r"\d{1,9}[.)]")
_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MOST_ROMAN: Final = 3999
_LETTERS: Final = 26
_MOST_REPEATED: Final = 30


def format_number(number: int, shape: str) -> str:
    """Return a number in a shape, by its name in Word: `lowerLetter`, `upperRoman`; else digits."""
    if write := _SHAPES.get(shape):
        return write(number)
    return str(number)


def format_mark(label: str) -> str:
    """Return the mark of a list item in Markdown, which knows digits alone: `3.`, `- c.`."""
    return label if _PLAIN.fullmatch(label) else f"- {label}".rstrip()


def _write_letters(number: int) -> str:
    """Write a, b, …, z, aa, ab as browsers do."""
    if number < 1:
        return str(number)
    letters = ""
    while number > 0:
        number, at = divmod(number - 1, _LETTERS)
        letters = chr(ord("a") + at) + letters
    return letters


def _write_roman(number: int) -> str:
    if not 0 < number <= _MOST_ROMAN:
        return str(number)
    written = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        written += sign * count
    return written


_SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "lowerLetter": _write_letters,
    "upperLetter": lambda number: _write_letters(number).upper(),
    "lowerRoman": _write_roman,
    "upperRoman": lambda number: _write_roman(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
}
