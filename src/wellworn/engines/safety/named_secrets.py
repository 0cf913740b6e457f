"""Secrets that the words beside them give away: `password: …`, `X-Api-Key: …`, `curl -u user:…`.

The place proposes; whether what stands there is a secret, a placeholder or prose is decided by what
it looks like. Names of keys that all may see, as of caches and tables, are left out by name.

Source: measurements on planted secrets and their look-alikes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wellworn.engines.safety.plausibility import (
    is_anything,
    is_chosen_word,
    is_header_value,
    is_key,
    is_no_named_stand_in,
    is_no_stand_in,
    is_password,
    is_phrase,
    is_said_key,
    is_strong_key,
)
from wellworn.engines.safety.secret_shapes import Rule, make_context_rule
from wellworn.kit.words import load_phrases, load_words

LONGEST_VALUE = 128
"""Characters of a value that are looked at; a longer one is cut to its end all the same."""

# What stands between a name and its secret: `=`, `": "`, ` => `, a table's bar, `is`, a quote; not
# the `:?` of a shell, behind which is said that the name has no value.
ASSIGNED = r"[\"'`]?\s{0,3}(?::=|=>|:(?!\?)|[=|\uff1a]|\b(?:is|was|ist|lautet)\b)\s{0,3}[\"'`]?"
_ABOUT = (
    rf"(?:\s(?:{load_phrases(__name__, 'prepositions')})"
    r"\s(?:[\w.'-]{1,30}\s){0,4}[\w.'-]{1,30}|\s\([\w ,.'-]{1,30}\))?"
)
# A value ends at a blank, a quote or a bar, and at `&`, `;` or `,` where the next setting begins.
_VALUE = (
    r"(?P<secret>(?:[^\s\"'`<>|&;,]|[&;,](?!\s|$|[\w.-]{1,32}[=:]|[\"'`]))"
    rf"{{6,{LONGEST_VALUE}}}(?<![.:)\]}}\\]))"
)
_PW_WORDS = r"[Pp](?i:ass(?:word|wd|phrase|code|wort)|(?<![a-z]p)(?:wd|ass|w))"
_NOT_A_CURSOR = r"(?<!page_.)(?<!next_.)(?<!sync_.)(?<!cursor_.)(?<!ation_.)(?<!lock_.)"


def _after(names: Iterable[str]) -> str:
    """Return a pattern for "right after one of the names", with a sign between them or none."""
    behind = (rf"(?<={name}.)|(?<={name}[_ -].)" for name in names)
    return f"(?:{'|'.join(behind)})"


_AFTER_KEY_NAME = _after(load_words(__name__, "before_key"))
_AFTER_TOKEN_NAME = _after(load_words(__name__, "before_token"))
_KEY_WORDS = (
    r"[SsCcKkTt](?i:(?<=s)ecret|(?<=c)redentials?"
    rf"|(?<=k){_AFTER_KEY_NAME}ey(?:[_ -]?id)?"
    rf"|(?<=t)(?:(?<![a-z].){_NOT_A_CURSOR}|(?-i:(?<=[a-z]T)){_NOT_A_CURSOR}"
    rf"|{_AFTER_TOKEN_NAME})oken)"
)
SUFFIX = r"(?i:[_-]?(?:key|base|value|prod|production|staging|dev|test|old|new|\d{1,2})){0,2}"


_QUOTED = r"(?<![Pp]ass)(?<!PASS)\s{1,2}`(?P<secret>[^\s`=()\[\]{}<>]{6,128})`"
_PUBLIC = load_words(__name__, "public_keys")
# Not a key that all may see.
_NOT_PUBLIC = "".join(rf"(?<!{name}key)(?<!{name}[_. -]key)" for name in _PUBLIC)


def _rules_beside(
    kind: str, needles: str, word: str, is_secret: Callable[[str], bool]
) -> tuple[Rule, ...]:
    """Return the rules of a value that the name beside it gives away."""
    assigned = rf"{word}{SUFFIX}(?i:{_ABOUT}{ASSIGNED}){_VALUE}"
    flag = rf"--(?i:[a-z]{{1,16}}-){{0,2}}{word}\s{{1,3}}(?!-){_VALUE}"
    element = rf"{word}{SUFFIX}>{_VALUE}</"
    return (
        make_context_rule(kind, needles, assigned, is_secret),
        make_context_rule(kind, "--", flag, is_secret),
        make_context_rule(kind, needles, element, is_secret),
    )


def _key_of(name: str) -> str:
    """Return the pattern of a value beside `key`, by what ends the name before it."""
    value = rf"(?P<secret>[\w+/.-]{{20,{LONGEST_VALUE}}}={{0,2}})(?![\w+/])"
    return rf"[Kk](?:{name})(?i:ey{_NOT_PUBLIC}{ASSIGNED}){value}"


_PW_ABROAD = (
    "mot contrase senha wachtwoord kennwort has\u0142o \u043f\u0430\u0440\u043e\u043b\u044c"
    " \u5bc6\u7801 \u5bc6\u78bc \u30d1\u30b9\u30ef\u30fc\u30c9"
)
_PW_ANYWHERE = rf"(?i:mot de passe|contrase[n\u00f1]a|{'|'.join(_PW_ABROAD.split()[2:])})"
_PW_NEEDLES = "pass pw"


NAMED: tuple[Rule, ...] = (
    make_context_rule(
        "authorization",
        "authorization",
        r"[Aa](?i:uthorization[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?"
        r"(?:bearer|basic|token|bot|apikey|api-key|key)\s{1,4})(?P<secret>[\w.~+/=-]{8,4096})",
        is_header_value,
    ),
    make_context_rule(
        "authorization", "bearer", r"[Bb](?i:earer\s{1,4})(?P<secret>[\w.~+/=-]{16,4096})", is_key
    ),
    make_context_rule(
        "authorization",
        "curl",
        r"[Cc]url(?=\s)[^\n|]{0,200}?\s(?:-u|--user)[ =]{0,2}[\"']?[\w.@+-]{1,64}:"
        r"(?P<secret>[^\s\"'`]{4,128})",
        is_no_named_stand_in,
    ),
    make_context_rule(
        "password",
        "login",
        r"[Ll]ogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4}(?P<secret>\S{4,128})",
        is_no_stand_in,
    ),
    make_context_rule(
        "password",
        "admin root",
        r"(?i:admin(?:istrator)?|root)(?::|\s/\s)[\"'`]?(?P<secret>[^\s:\"'`|/]{6,64}+)(?![:/])",
        is_password,
    ),
    make_context_rule(
        "password", "sshpass", rf"sshpass\s{{1,3}}-p\s{{0,3}}[\"']?{_VALUE}", is_password
    ),
    make_context_rule(
        "password", "mysql", rf"mysql\w{{0,8}}(?=\s)[^\n|]{{0,200}}?\s-p{_VALUE}", is_password
    ),
    make_context_rule(
        "password",
        "pin",
        r"(?i:pin)(?<![A-Za-z]pin)\s?[:=]\s{0,2}(?P<secret>\d{4,8})(?!\w)",
        is_anything,
    ),
    make_context_rule(
        "password",
        "passphrase seed recovery mnemonic",
        r"(?i:passphrase|(?:seed|recovery) phrase|mnemonic)\s{0,2}[:=]\s{0,3}[\"'`]?"
        r"(?P<secret>[a-z]{3,10}(?:[ -][a-z]{3,10}){3,23})(?=[\"'`]?\s{0,8}(?:\n|$))",
        is_phrase,
    ),
    make_context_rule(
        "password",
        "pass pw",
        r"(?-i:PASS(?:WORD|PHRASE)?|PW|PWD)[ \t]{0,2}=[ \t]{0,2}[\"']?"
        r"(?P<secret>[A-Za-z]{8,64})(?=[\"']?(?:\s|$))",
        is_chosen_word,
    ),
    *_rules_beside("password", _PW_NEEDLES, _PW_WORDS, is_password),
    *_rules_beside("password", _PW_ABROAD, _PW_ANYWHERE, is_password),
    *_rules_beside("secret", "secret credential key token", _KEY_WORDS, is_key),
    # As a part of a name, as in WEATHER_KEY and weatherKey; after a blank it may be a hash.
    make_context_rule("secret", "key", _key_of(r"(?<=[_.-][Kk])|(?<=[A-Za-z0-9]K)"), is_strong_key),
    make_context_rule("secret", "key", _key_of(r"(?<=\w k)|(?<=\w K)"), is_said_key),
    make_context_rule(
        "secret",
        "secret token key",
        rf"[SsTtKk](?i:(?<=s)ecret(?:[ _-]?key)?|(?<=t)oken|(?<=k){_AFTER_KEY_NAME}ey)"
        rf"\s{{1,3}}[\"'`]?(?P<secret>[A-Za-z0-9_+/-]{{20,{LONGEST_VALUE}}})(?![\w+/])",
        is_said_key,
    ),
    # In back quotes right after its name.
    make_context_rule("password", _PW_NEEDLES, rf"{_PW_WORDS}{_QUOTED}", is_password),
    make_context_rule("secret", "secret credential key token", rf"{_KEY_WORDS}{_QUOTED}", is_key),
)
