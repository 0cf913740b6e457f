"""The table of secrets: all rules in the order in which they are tried; what contains others first.

Source: the issuers' documented formats; measurements on planted secrets and their look-alikes.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import starmap

from wellworn.engines.safety.named_secrets import ASSIGNED, NAMED, SUFFIX
from wellworn.engines.safety.plausibility import (
    is_anything,
    is_encoded_pem,
    is_no_named_stand_in,
    is_no_stand_in,
    is_pem,
    is_stand_in,
    is_strong_key,
    is_token,
)
from wellworn.engines.safety.secret_shapes import (
    Rule,
    make_context_rule,
    make_prefix_rule,
    make_token_rule,
)
from wellworn.kit.words import load_table

ISSUED: Mapping[str, str] = load_table(__package__, "issued_tokens.toml")
"""Beginnings of each issuer's tokens, and the pattern of the rest."""


def _is_aws_secret(value: str) -> bool:
    return not is_stand_in(value) and value != value.lower()


_PEM_NAME = r"(?:(?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
_AWS_VALUE = r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"

RULES: tuple[Rule, ...] = (
    # To its end; where the end is missing, as far as the lines look like a key.
    make_context_rule(
        "private-key",
        "-----begin",
        rf"(?P<secret>-----BEGIN {_PEM_NAME}"
        rf"(?:(?:[^-]|-(?!----)){{0,16384}}+-----END {_PEM_NAME}"
        r"|(?:(?:\\[rn]|\s){0,4}[A-Za-z0-9+/]{40,100}={0,2}){1,400}))",
        is_pem,
    ),
    make_token_rule(
        "private-key",
        "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,65536}={0,2}",
        is_encoded_pem,
    ),
    make_context_rule(
        "private-key",
        "private-lines:",
        r"Private-Lines: \d{1,4}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,200})",
        is_no_stand_in,
    ),
    make_token_rule(
        "wellworn-key",
        "ww_",
        r"ww_(?i:[a-z2-7]{12}_[a-z2-7]{52})",
        is_anything,
    ),
    make_token_rule("wellworn-invitation", "wi_", r"wi_[A-Za-z0-9_-]{20,1024}"),
    make_context_rule(
        "aws-secret-key",
        "secret aws",
        rf"[SsAa](?i:(?:(?<=s)ecret[_ -]?access[_ -]?key|(?<=a)ws[_ -]?secret{SUFFIX}"
        rf"(?:[_ -]?access[_ -]?key)?)(?:{ASSIGNED}|\s)){_AWS_VALUE}",
        _is_aws_secret,
    ),
    make_context_rule(
        "aws-secret-key",
        "akia asia",
        rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}[\s\"'`,:;|/]{{1,8}}{_AWS_VALUE}",
        _is_aws_secret,
    ),
    make_token_rule(
        "aws-access-key",
        "AKIA ASIA ABIA ACCA",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
        is_no_stand_in,
    ),
    make_token_rule(
        "github-token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"gh[pousr]_[A-Za-z0-9_.-]{35,1023}[A-Za-z0-9]|github_pat_[A-Za-z0-9_]{50,255}",
    ),
    make_token_rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt glcbt- glsoat- glft- glagent- glimt- gloas- glffct- glwt-"
        " GR1348941",
        r"(?:gl(?:pat|ptt|dt|rtr?|cbt|soat|ft|agent|imt|oas|ffct|wt)-|GR1348941)"
        r"[A-Za-z0-9_.-]{19,300}[A-Za-z0-9_-]",
    ),
    make_token_rule(
        "slack-token",
        "xox xapp-",
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{11,300}|xapp-\d-[A-Za-z0-9-]{11,300}",
    ),
    make_context_rule(
        "slack-webhook",
        "hooks.slack",
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{20,200})",
        is_token,
    ),
    make_context_rule(
        "discord-webhook",
        "api/webhooks/",
        r"api/webhooks/\d{17,20}/(?P<secret>[\w-]{60,100})",
        is_token,
    ),
    make_token_rule(
        "stripe-key",
        "sk_ rk_ whsec_",
        r"(?:[sr]k_(?:live|test|prod)_|whsec_)[A-Za-z0-9+/]{16,255}",
    ),
    make_token_rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{20,300}"),
    make_token_rule("openai-key", "sk-", r"sk-[A-Za-z0-9_-]{20,300}"),
    make_token_rule(
        "google-key",
        "AIza GOCSPX- ya29. 1//0",
        r"AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w.-]{20,1024}|1//0[\w-]{40,200}",
    ),
    make_token_rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    make_token_rule("pypi-token", "pypi-Ag", r"pypi-Ag[\w-]{40,1024}"),
    make_token_rule("sendgrid-key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    make_token_rule("twilio-key", "SK", r"SK[0-9a-f]{32}", is_no_stand_in),
    make_token_rule(
        "hugging-face-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,60}", is_no_stand_in
    ),
    make_token_rule("telegram-token", ":AA", r"\d{8,10}:AA[\w-]{33}"),
    make_context_rule(
        "webhook",
        ".office",
        r"\.office(?:365)?\.com/webhook(?:b2)?/(?P<secret>[\w@/-]{60,300})",
        is_token,
    ),
    make_context_rule(
        "webhook",
        "hooks.zapier",
        r"hooks\.zapier\.com/hooks/catch/(?P<secret>\d{4,9}/[A-Za-z0-9]{5,12})",
        is_anything,
    ),
    make_token_rule("azure-key", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    make_token_rule("azure-client-secret", "Q~", r"[\w.-]{3}\dQ~[\w.~-]{31,34}"),
    make_context_rule(
        "azure-key",
        "accountkey= sharedaccesskey= ?sig= &sig=",
        r"(?i:AccountKey=|SharedAccessKey=|[?&]sig=)(?P<secret>[A-Za-z0-9%+/]{40,120}={0,2})",
        is_token,
    ),
    *starmap(make_prefix_rule, ISSUED.items()),
    make_token_rule(
        "service-token", "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9", r"[0-9a-f]{32}-us\d{1,2}"
    ),
    make_token_rule("service-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    make_context_rule(
        "service-token",
        "_live_ _test_ _prod_ _sandbox_ _secret_ _token_ _pat_ _sk_",
        r"_(?:live|test|prod|sandbox|secret|token|pat|sk)_(?<!pk_live_)(?<!pk_test_)"
        r"(?P<secret>[A-Za-z0-9]{20,255})(?![A-Za-z0-9_])",
        is_strong_key,
    ),
    Rule(
        "discord-token",
        ("M", "N", "O"),
        r"(?P<secret>[MNO](?<![A-Za-z0-9].)[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![A-Za-z0-9])",
        is_token,
    ),
    make_context_rule(
        "password-hash",
        "$1$ $5$ $6$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2",
        r"(?P<secret>\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1)\$"
        r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}"
        r"|y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"
        r"|argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{1,60}\$[\w+/-]{8,90}\$[\w+/-]{16,90}))",
        is_no_stand_in,
    ),
    make_token_rule(
        "jwt", "eyJ", r"eyJ[\w-]{8,8192}+\.[\w-]{8,16384}+\.[\w-]{8,2048}+(?:\.[\w-]{8,2048}+){0,2}"
    ),
    make_context_rule(
        "url-password",
        "://",
        r"://[^\s:/@\[\]\"'<>]{0,64}:(?P<secret>(?!\d{1,5}[^\w@])[^\s/\"'`<>]{1,256})@(?=[\w\[])",
        is_no_named_stand_in,
    ),
    # A token in place of a user, as in https://TOKEN@host, and one in a query.
    make_context_rule(
        "url-token", "://", r"://(?P<secret>[\w.~%+-]{20,1024})@(?=[\w\[])", is_strong_key
    ),
    make_context_rule(
        "url-token",
        "?key= &key= ?auth= &auth= ?code= &code= ?signature= &signature=",
        r"[?&](?i:key|auth|code|signature)=(?P<secret>[\w.~%+/-]{20,2048}={0,2})",
        is_strong_key,
    ),
    *NAMED,
)
