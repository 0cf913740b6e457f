"""The table of secrets: where each kind stands, and who decides whether it is one.

Every quantifier is bounded and every token starts at the edge of a word, so that no input can make
a pattern slow. `needles` are pieces one of which must be in the text before the pattern is tried at
all. Patterns for words in any case begin with a plain class of letters, because the engine skips
ahead only to those. Order of the rules matters: what contains others comes first.

Source: the issuers' documented formats; measurements on planted secrets and their look-alikes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wellworn.safety.plausibility import (
    is_header_value,
    is_key,
    is_named_stand_in,
    is_password,
    is_pem,
    is_stand_in,
    is_token,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way in which a secret shows; the group `secret` of the pattern is what is cut out."""

    kind: str
    needles: tuple[str, ...]
    """Pieces of the text, or where `in_any_case` of the text in lower case."""
    in_any_case: bool
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]


def _rule(kind: str, needles: str, pattern: str, is_secret: Callable[[str], bool]) -> Rule:
    """Return the rule of a value that stands in a certain place."""
    return Rule(
        kind,
        tuple(needles.split()),
        in_any_case=True,
        pattern=re.compile(pattern),
        is_secret=is_secret,
    )


def _token(
    kind: str, needles: str, pattern: str, is_secret: Callable[[str], bool] = is_token
) -> Rule:
    """Return the rule of a token that its own shape gives away."""
    edged = re.compile(rf"(?<![A-Za-z0-9])(?P<secret>{pattern})(?![A-Za-z0-9])")
    return Rule(kind, tuple(needles.split()), in_any_case=False, pattern=edged, is_secret=is_secret)


def _always(_value: str) -> bool:
    return True


def _not_stand_in(value: str) -> bool:
    return not is_stand_in(value)


def _is_aws_secret(value: str) -> bool:
    return not is_stand_in(value) and value != value.lower()


def _is_url_password(value: str) -> bool:
    return not is_named_stand_in(value)


LONGEST_VALUE = 128
"""Characters of a value that are looked at; a longer one is cut to its end all the same."""

# What stands between the name of a secret and the secret: `=`, `": "`, ` => `, a table's bar, `is`.
_ASSIGNED = r"[\"'`]?\s{0,3}(?::=|=>|[:=|]|\b(?:is|was)\b)\s{0,3}[\"'`]?"
_ABOUT = r"(?:\s(?:for|of|to|on|in|at)\s(?:[\w.'-]{1,30}\s){0,4}[\w.'-]{1,30})?"
# A value ends at a blank, a quote or a bar, and at `&`, `;` or `,` where the next setting begins.
_VALUE = (
    r"(?P<secret>(?:[^\s\"'`<>|&;,]|[&;,](?!\s|$|[\w.-]{1,32}[=:]|[\"'`]))"
    rf"{{6,{LONGEST_VALUE}}}(?<![.:)\]}}\\]))"
)
_PW_WORDS = r"[Pp](?i:ass(?:word|wd|phrase|code|wort)|(?<![a-z]p)(?:wd|ass))"
_BEFORE_KEY = (
    "api access account auth master signing encryption private service license webhook secret"
)
_BEFORE_TICKET = (
    "access auth bearer refresh bot id session api deploy personal client webhook secret"
)
_NOT_A_CURSOR = r"(?<!page_.)(?<!next_.)(?<!sync_.)(?<!cursor_.)(?<!ation_.)(?<!lock_.)"


def _after(names: str) -> str:
    """Return a pattern for "right after one of the names", with a sign between them or none."""
    behind = (rf"(?<={name}.)|(?<={name}[_ -].)" for name in names.split())
    return f"(?:{'|'.join(behind)})"


_KEY_WORDS = (
    r"[SsCcKkTt](?i:(?<=s)ecret|(?<=c)redentials?"
    rf"|(?<=k){_after(_BEFORE_KEY)}ey(?:[_ -]?id)?"
    rf"|(?<=t)(?:(?<![a-z].){_NOT_A_CURSOR}|{_after(_BEFORE_TICKET)})oken)"
)
_SUFFIX = r"(?i:[_-]?(?:key|base|value|prod|production|staging|dev|test|old|new|\d{1,2})){0,2}"


def _named(
    kind: str, needles: str, word: str, is_secret: Callable[[str], bool]
) -> tuple[Rule, ...]:
    """Return the rules of a value that the name beside it gives away."""
    assigned = rf"{word}{_SUFFIX}(?i:{_ABOUT}{_ASSIGNED}){_VALUE}"
    flag = rf"--(?i:[a-z]{{1,16}}-){{0,2}}{word}\s{{1,3}}(?!-){_VALUE}"
    element = rf"{word}{_SUFFIX}>{_VALUE}</"
    return (
        _rule(kind, needles, assigned, is_secret),
        _rule(kind, "--", flag, is_secret),
        _rule(kind, "</", element, is_secret),
    )


_PEM_NAME = r"(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_AWS_VALUE = r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
_PW_NEEDLES = "password passwd passphrase passcode passwort pwd pass"

RULES: tuple[Rule, ...] = (
    # To its end; where the end is missing, as far as the lines look like a key.
    _rule(
        "private-key",
        "-----begin",
        rf"(?P<secret>-----BEGIN {_PEM_NAME}"
        rf"(?:(?:[^-]|-(?!----)){{0,16384}}+-----END {_PEM_NAME}"
        r"|(?:(?:\\[rn]|\s){0,4}[A-Za-z0-9+/]{40,100}={0,2}){1,400}))",
        is_pem,
    ),
    _token(
        "wellworn-key",
        "ww_",
        r"ww_(?i:[a-z2-7]{12}_[a-z2-7]{52})",
        _always,
    ),
    _token("wellworn-invitation", "wi_", r"wi_[A-Za-z0-9_-]{20,1024}"),
    _rule(
        "aws-secret-key",
        "secret",
        rf"[SsAa](?i:(?:(?<=s)ecret[_ -]?access[_ -]?key|(?<=a)ws[_ -]?secret{_SUFFIX}"
        rf"(?:[_ -]?access[_ -]?key)?)(?:{_ASSIGNED}|\s)){_AWS_VALUE}",
        _is_aws_secret,
    ),
    _rule(
        "aws-secret-key",
        "akia asia",
        rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s\"'`,:;|/]{{1,8}}{_AWS_VALUE}",
        _is_aws_secret,
    ),
    _token(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        _not_stand_in,
    ),
    _token(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9_.-]{35,1023}[A-Za-z0-9]|github_pat_[A-Za-z0-9_]{50,255}",
    ),
    _token(
        "gitlab-token",
        "glpat- glptt- gldt- glrt glcbt- glsoat- glft- glagent- glimt- gloas- glffct- glwt-"
        " GR1348941",
        r"(?:gl(?:pat|ptt|dt|rtr?|cbt|soat|ft|agent|imt|oas|ffct|wt)-|GR1348941)"
        r"[A-Za-z0-9_.-]{19,300}[A-Za-z0-9_-]",
    ),
    _token(
        "slack-token",
        "xox xapp-",
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{11,300}|xapp-\d-[A-Za-z0-9-]{11,300}",
    ),
    _rule(
        "slack-webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{20,200})",
        is_token,
    ),
    _rule(
        "discord-webhook",
        "api/webhooks/",
        r"api/webhooks/\d{17,20}/(?P<secret>[\w-]{60,100})",
        is_token,
    ),
    _token(
        "stripe-key",
        "sk_ rk_ whsec_",
        r"(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/]{16,255}",
    ),
    _token("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,300}"),
    _token("openai-key", "sk-", r"sk-[A-Za-z0-9_-]{20,300}"),
    _token(
        "google-key",
        "AIza GOCSPX- ya29. 1//0",
        r"AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w.-]{20,1024}|1//0[\w-]{40,200}",
    ),
    _token("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-token", "pypi-Ag", r"pypi-Ag[\w-]{40,1024}"),
    _token("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    _token("twilio-key", "SK", r"SK[0-9a-f]{32}", _not_stand_in),
    _token(
        "hugging-face-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,60}", _not_stand_in
    ),
    _token("telegram-token", ":AA", r"\d{8,10}:AA[\w-]{33}"),
    _token("azure-client-secret", "Q~", r"[\w.-]{3}\dQ~[\w.~-]{31,34}"),
    _rule(
        "azure-key",
        "accountkey= sharedaccesskey= sig=",
        r"(?i:AccountKey=|SharedAccessKey=|[?&]sig=)(?P<secret>[A-Za-z0-9%+/]{40,120}={0,2})",
        is_token,
    ),
    # One row for the many issuers who gave their tokens a prefix of their own.
    _token(
        "service-token",
        "gsk_ xai- pplx- r8_ dop_v1_ doo_v1_ dor_v1_ lin_api_ ntn_ hvs. hvb. .atlasv1. shpat_"
        " shpca_"
        " shppa_ shpss_ sq0 dapi dp. NRAK- key- -us sntrys_ glsa_ glc_ AGE-SECRET-KEY- dckr_"
        " rubygems_ cio ATATT3 figd_ fo1_ sbp_ pscale_ tskey-",
        r"gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{60,90}|pplx-[A-Za-z0-9]{40,64}"
        r"|r8_[A-Za-z0-9]{37,40}"
        r"|do[por]_v1_[a-f0-9]{64}|lin_api_[A-Za-z0-9]{32,48}|ntn_[A-Za-z0-9]{40,50}"
        r"|hv[sb]\.[\w-]{24,300}|[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"
        r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|sq0[a-z]{3}-[\w-]{22,50}|dapi[a-f0-9]{32}(?:-\d)?"
        r"|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,64}|NRAK-[A-Z0-9]{27}|key-[0-9a-f]{32}"
        r"|[0-9a-f]{32}-us\d{1,2}|sntrys_[\w+/=-]{40,300}|gl(?:sa|c)_[\w+/=-]{32,200}"
        r"|AGE-SECRET-KEY-1[A-Z0-9]{58}|dckr_(?:pat|oat)_[\w-]{27,40}|rubygems_[a-f0-9]{48}"
        r"|cio[A-Za-z0-9]{32}|ATATT3[\w=-]{60,250}|figd_[\w-]{40,50}|fo1_[\w-]{43}"
        r"|sbp_[a-f0-9]{40}|pscale_[a-z]{2,6}_[\w.-]{32,64}|tskey-[a-z]{2,8}-[\w-]{20,64}",
    ),
    _token(
        "jwt", "eyJ", r"eyJ[\w-]{8,8192}+\.[\w-]{8,16384}+\.[\w-]{8,2048}+(?:\.[\w-]{8,2048}+){0,2}"
    ),
    _rule(
        "url-password",
        "://",
        r"://[^\s:/@\[\]\"'<>]{0,64}:(?P<secret>(?!\d{1,5}[^\w@])[^\s/\"'`<>]{1,256})@(?=[\w\[])",
        _is_url_password,
    ),
    _rule(
        "authorization",
        "authorization",
        r"[Aa](?i:uthorization[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?"
        r"(?:bearer|basic|token|bot|apikey|api-key|key)\s{1,4})(?P<secret>[\w.~+/=-]{8,4096})",
        is_header_value,
    ),
    _rule(
        "authorization", "bearer", r"[Bb](?i:earer\s{1,4})(?P<secret>[\w.~+/=-]{16,4096})", is_key
    ),
    *_named("password", _PW_NEEDLES, _PW_WORDS, is_password),
    *_named("secret", "secret credential key token", _KEY_WORDS, is_key),
)
