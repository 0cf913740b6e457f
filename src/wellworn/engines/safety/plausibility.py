"""Judges what stands where a secret would stand: a secret, a placeholder, a name or prose.

A rule that only looked at the place (`password: …`) would take "required" for a password; one that
only looked at the value would take every commit hash for a key. The place proposes, this decides.

Source: measurements on planted secrets and their look-alikes.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter

from wellworn.kit.words import load_phrases, load_words

_FEWEST_DISTINCT = 6
_FEWEST_IN_A_PASSWORD = 6
_FEWEST_IN_A_KEY = 12
_LEAST_BITS = 3.0
_FEWEST_IN_A_STRONG_KEY = 20
_FEWEST_IN_HEX = 32
_FEWEST_DIGITS_IN_ONE_CASE = 4
_RANDOM_LETTERS = 20
_RANDOM_LETTER_BITS = 4.0

_STAND_INS = (
    *("[redacted:", "](", "...", "\u2026", "***", "xxxxx", "{{", "://", "changeme", "placeholder"),
    *(
        f"{word}{sign}"
        for word in ("your", "insert", "replace", "change", "dummy")
        for sign in "_-"
    ),
    *("_example", "-example", "example_", "example-"),
)
_STAND_IN = re.compile(rf"(?:{load_phrases(__name__, 'bare_stand_ins')})$")
_KEPT_ELSEWHERE = re.compile(
    r"\$[({]|\$\$\{(?:env:)?[A-Z][A-Z_]{2,64}\}?$"
    r"|\$[A-Za-z_]\w{0,64}(?:$|[/:])|\{|<|%\(|%\w{1,64}%$|!(?:vault|secret|ref|env)"
    r"|arn:|(?:vault|op|env|file|keyring):|~/|\.{0,2}/[\w.-]{1,64}/"
    r"|[A-Za-z_]{1,40}\d{0,2}(?:\.[A-Za-z_]{1,40}\d{0,2}){1,8}$"  # settings.password
    r"|[A-Za-z_]\w{0,64}(?:\.[A-Za-z_]\w{0,64}){0,8}[(\[]"  # getpass(), credentials.to_s3()
    r"|[A-Z][A-Z0-9]{0,32}(?:_[A-Z0-9]{1,32}){1,8}$"  # DB_PASSWORD
)
_DESCRIBED = re.compile(r"(?:the |your )?base64[ -]encoded(?: [a-z]{2,12}){0,4}")
_SAYS_WHAT_BELONGS = load_words(__name__, "stand_ins")
_SENTENCE_WORDS = frozenset(load_words(__name__, "sentence_words"))
_DIGIT = re.compile(r"\d")
_DIGIT_OR_SIGN = re.compile(r"[\d!$%^&*#@~?=+]")
_LETTER = re.compile(r"[^\W\d_]")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}")
_HEX = re.compile(r"[0-9a-f]{8,512}|[0-9A-F]{8,512}")
_PIECES = re.compile(r"[-_./:,]")
_WORD = re.compile(
    r"[^\W\d_]{0,32}|[a-z]\d{1,2}[a-z]|\d{1,4}|[A-Za-z]{1,16}\d{1,4}|\d{1,4}[A-Za-z]{1,12}"
)
_TERM = re.compile(
    r"[^\W\d_]{0,256}|[\d.,:%]{1,24}|\d{1,6}(?:th|st|nd|rd|chars?|bytes?|bits?|ms|min|h|d|x)"
    rf"|(?:{load_phrases(__name__, 'numbered_terms')})\d{{1,5}}"
    r"(?:id|s|d|b|bit|j)?",
    re.IGNORECASE,
)


def is_stand_in(value: str) -> bool:
    """Tell a placeholder, or the name of where the secret is stored, from the secret itself."""
    return len(set(value)) < _FEWEST_DISTINCT or is_named_stand_in(value)


def is_named_stand_in(value: str) -> bool:
    """Tell the same of a value that may be short and simple and still be a secret."""
    lowered = value.lower()
    return (
        any(piece in lowered for piece in _STAND_INS)
        or _STAND_IN.match(lowered) is not None
        or _KEPT_ELSEWHERE.match(value) is not None
    )


def is_description(value: str) -> bool:
    """Tell whether a value says in words what belongs there, as "base64 encoded key" does."""
    return _DESCRIBED.fullmatch(value) is not None


def is_no_stand_in(value: str) -> bool:
    return not is_stand_in(value)


def is_no_named_stand_in(value: str) -> bool:
    return not is_named_stand_in(value)


def is_anything(_value: str) -> bool:
    return True


def is_token(value: str) -> bool:
    """Tell whether a prefixed token is random, and not words, as `sk-learn-contrib` is."""
    return not is_stand_in(value) and not _is_all(_WORD, value)


def is_password(value: str) -> bool:
    """Tell whether a value beside the word "password" is one."""
    if not _DIGIT_OR_SIGN.search(value) or not _LETTER.search(value):
        return _is_random_letters(value)
    long_enough = len(value) >= _FEWEST_IN_A_PASSWORD
    return long_enough and not is_stand_in(value) and not _is_all(_TERM, value)


def is_key(value: str) -> bool:
    """Tell whether a value beside a word such as "api key" or "token" is one."""
    if not _DIGIT.search(value) or not _LETTER.search(value):
        return _is_random_letters(value)
    if len(value) < _FEWEST_IN_A_KEY or is_stand_in(value) or _is_all(_WORD, value):
        return False
    return _bits_per_character(value) >= _LEAST_BITS


def is_strong_key(value: str) -> bool:
    """Tell whether a value is one to a stranger: long, and mixed as words and numbers never are."""
    if len(value) < _FEWEST_IN_A_STRONG_KEY or not is_key(value) or _UUID.fullmatch(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= _FEWEST_IN_HEX
    digits = len(_DIGIT.findall(value))
    has_both_cases = value not in {value.lower(), value.upper()}
    return digits > 1 and (has_both_cases or digits >= _FEWEST_DIGITS_IN_ONE_CASE)


def is_said_key(value: str) -> bool:
    """Tell the same of a value that is only spoken of, where a hash may be meant as well."""
    return is_strong_key(value) and _HASH.fullmatch(value) is None


def is_chosen_word(value: str) -> bool:
    """Tell a word that someone chose as a password from one that says what belongs there."""
    lowered = value.lower()
    return not is_stand_in(value) and not any(word in lowered for word in _SAYS_WHAT_BELONGS)


def is_phrase(value: str) -> bool:
    """Tell words put together at random from a sentence, by what every sentence has."""
    return _SENTENCE_WORDS.isdisjoint(value.split())


def is_encoded_pem(value: str) -> bool:
    """Tell whether base64 text begins like the PEM file of a private key."""
    try:
        begins = base64.b64decode(value[:80])
    except ValueError:
        return False
    return b"PRIVATE KEY" in begins


def is_header_value(value: str) -> bool:
    """Tell whether what follows `Authorization:` and its scheme is a credential."""
    if is_stand_in(value):
        return False
    return not _is_all(_WORD, value) or (not value.islower() and not value.istitle())


def is_pem(value: str) -> bool:
    """Tell whether there is a key between the lines that begin and end one."""
    body = re.sub(r"-----[^-]{1,80}-----", "", value)
    return not is_stand_in("".join(body.split()))


def _bits_per_character(value: str) -> float:
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def _is_random_letters(value: str) -> bool:
    """Tell long random letters in both cases from a long word or a name in camel case."""
    if len(value) < _RANDOM_LETTERS or not value.isascii() or not value.isalpha():
        return False
    if is_stand_in(value):
        return False
    return value != value.lower() and _bits_per_character(value) >= _RANDOM_LETTER_BITS


def _is_all(wanted: re.Pattern[str], value: str) -> bool:
    return all(wanted.fullmatch(piece) for piece in _PIECES.split(value))
