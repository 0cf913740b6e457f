"""Every issuer's tokens, made from the pattern itself: no value here has ever opened anything."""

from __future__ import annotations

import random
import re
import string
from re import _parser as parser

import pytest

from wellworn.engines.safety import redact
from wellworn.engines.safety.secret_rules import ISSUED

CHANCE = random.Random(11)
WORD = string.ascii_letters + string.digits


def made(pattern: str) -> str:
    """Return chance characters that match a pattern of classes, repeats and branches."""
    return "".join(map(_made, parser.parse(pattern)))


def _made(part) -> str:
    match part:
        case (kind, (least, _, inner)) if str(kind) == "MAX_REPEAT":
            return "".join(_made(one) for _ in range(least) for one in inner)
        case (kind, (_, branches)) if str(kind) == "BRANCH":
            return "".join(map(_made, branches[0]))
        case (kind, (*_, inner)) if str(kind) == "SUBPATTERN":
            return "".join(map(_made, inner))
        case (kind, choices) if str(kind) == "IN":
            fitting = [c for c in WORD if _is_in(c, choices)]
            is_digit = CHANCE.choice((True, False))
            return CHANCE.choice([c for c in fitting if c.isdigit() is is_digit] or fitting)
        case (kind, code) if str(kind) == "LITERAL":
            return chr(code)
    raise AssertionError(part)


def _is_in(character: str, choices) -> bool:
    for kind, value in choices:
        if str(kind) == "RANGE" and value[0] <= ord(character) <= value[1]:
            return True
        if str(kind) == "LITERAL" and ord(character) == value:
            return True
        if str(kind) == "CATEGORY" and (str(value) == "CATEGORY_WORD" or character.isdigit()):
            return True
    return False


@pytest.mark.parametrize(("begins", "rest"), ISSUED.items(), ids=[*ISSUED])
def test_a_token_is_known_by_its_beginning(begins: str, rest: str):
    token = begins + made(rest)
    for around in ("{}", "use {} here", "`{}`", '"{}\\n"', "(x={})"):
        assert token not in redact(around.replace("{}", token)).text


@pytest.mark.parametrize(("begins", "rest"), ISSUED.items(), ids=[*ISSUED])
def test_its_beginning_alone_and_a_stand_in_are_no_token(begins: str, rest: str):
    for text in (begins, f"{begins}...", f"{begins}{'x' * 40}", f"{begins}your-token-here"):
        assert redact(text).text == text


@pytest.mark.parametrize(("begins", "rest"), ISSUED.items(), ids=[*ISSUED])
def test_within_a_longer_word_it_is_none_of_theirs(begins: str, rest: str):
    pattern = re.escape(begins) + rest
    assert re.search(rf"(?<![A-Za-z0-9])(?:{pattern})", "zz" + begins + made(rest)) is None
