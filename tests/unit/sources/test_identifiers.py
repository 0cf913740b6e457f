from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.domain.sources import identifiers
from wellworn.domain.sources.identifier_kinds import IdentifierKind as Kind
from wellworn.domain.sources.identifiers import (
    extract_exact_terms,
    find_identifiers,
    normalize_identifier,
)
from wellworn.kit.folding import fold_forms

PIECES = st.sampled_from(
    [
        *(
            "100.70.237.79",
            "10.0.0.0/8",
            "db-01",
            "db-01.prod",
            "https://a.example/x_(y)",
            "GET /a",
        ),
        *("X-Analytics-Token", "HDRPOP_TOKEN", "docs/setup.md", "--dry-run", "v1.2", "JIRA-12"),
        *(
            "a@b.example",
            "root@",
            ":8080",
            "port ",
            "version ",
            "[x](",
            ")",
            "`",
            "*",
            ".",
            ",",
            "=",
        ),
        *("/*", "{id}", "|", "\n", " ", "\u00e9", "${", "}", "(", "'", "::1", "\\", "/api/x"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=25).map("".join)


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind.value, one.value) for one in find_identifiers(text)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("cube (100.70.237.79), at home", Kind.IP, "100.70.237.79"),
        ("IP 10.1.2.0", Kind.IP, "10.1.2.0"),
        ("version IP address 10.1.2.0", Kind.IP, "10.1.2.0"),
        ("listens on [::1]", Kind.IP, "::1"),
        ("at 2001:db8::42.", Kind.IP, "2001:db8::42"),
        ("the net 192.168.1.0/24,", Kind.CIDR, "192.168.1.0/24"),
        ("is hdrpop.com.", Kind.HOST, "hdrpop.com"),
        ("ask clifford.local!", Kind.HOST, "clifford.local"),
        ("cube.tail1234.ts.net", Kind.HOST, "cube.tail1234.ts.net"),
        ("db-01.prod is down", Kind.HOST, "db-01.prod"),
        ("db-01 is down", Kind.HOST, "db-01"),
        ("the host cube7 is", Kind.HOST, "cube7"),
        ("Hostname: `gpu7`", Kind.HOST, "gpu7"),
        ("on localhost", Kind.HOST, "localhost"),
        ("see https://a.example/x?y=1#z.", Kind.URL, "https://a.example/x?y=1#z"),
        ("(https://a.example/x_(y))", Kind.URL, "https://a.example/x_(y)"),
        ("[guide](https://a.example/guide)", Kind.URL, "https://a.example/guide"),
        ("**https://a.example**", Kind.URL, "https://a.example"),
        ("postgres://db/x", Kind.URL, "postgres://db/x"),
        ("git@github.com:owner/name.git", Kind.URL, "git@github.com:owner/name.git"),
        ("GET /api/reports/daily", Kind.ENDPOINT, "GET /api/reports/daily"),
        ("`DELETE /users/{id}`", Kind.ENDPOINT, "DELETE /users/{id}"),
        ("| POST | `/offers` |", Kind.ENDPOINT, "/offers"),
        ("/api/reports/daily?start=1&end=2", Kind.ENDPOINT, "/api/reports/daily"),
        ("analytics at /api/reports/*", Kind.ENDPOINT, "/api/reports/*"),
        ("/v1/chat/completions", Kind.ENDPOINT, "/v1/chat/completions"),
        ("port 8080", Kind.PORT, "8080"),
        ("Port: `5432`", Kind.PORT, "5432"),
        ("on :9090", Kind.PORT, "9090"),
        ("53/udp", Kind.PORT, "53"),
        ("set HDRPOP_ANALYTICS_TOKEN.", Kind.ENV, "HDRPOP_ANALYTICS_TOKEN"),
        ("${HOME_DIR}", Kind.ENV, "HOME_DIR"),
        ("`X-Analytics-Token`:", Kind.HEADER, "X-Analytics-Token"),
        ("Content-Type", Kind.HEADER, "Content-Type"),
        ("Acme-Api-Key", Kind.HEADER, "Acme-Api-Key"),
        ("in docs/setup.md.", Kind.PATH, "docs/setup.md"),
        ("AGENTS.md", Kind.PATH, "AGENTS.md"),
        ("config.yaml", Kind.PATH, "config.yaml"),
        ("mytech/AGENTS.md#servers", Kind.PATH, "mytech/AGENTS.md"),
        ("src/app.py:12", Kind.PATH, "src/app.py"),
        ("app.py:12", Kind.PATH, "app.py"),
        ("/etc/nginx/nginx.conf", Kind.PATH, "/etc/nginx/nginx.conf"),
        ("~/.ssh/config", Kind.PATH, "~/.ssh/config"),
        ("`hosts/cube`", Kind.PATH, "hosts/cube"),
        ("mytech/backups/", Kind.PATH, "mytech/backups/"),
        ("C:\\Users\\ana", Kind.PATH, "C:\\Users\\ana"),
        (".env", Kind.PATH, ".env"),
        ("--dry-run", Kind.FLAG, "--dry-run"),
        ("Version 1.2.3.4", Kind.VERSION, "1.2.3.4"),
        ("1.0.0-rc.1", Kind.VERSION, "1.0.0-rc.1"),
        ("v0.4", Kind.VERSION, "v0.4"),
        ("version 3.11,", Kind.VERSION, "3.11"),
        ("JIRA-123", Kind.TICKET, "JIRA-123"),
        ("CVE-2024-12345", Kind.TICKET, "CVE-2024-12345"),
        ("ana@example.org", Kind.EMAIL, "ana@example.org"),
    ],
)
def test_an_identifier_is_found_by_its_kind(text: str, kind: Kind, value: str):
    assert found(text) == [(kind.value, value)]


@pytest.mark.parametrize(
    "text",
    [
        "UTF-8 and ISO-8859-1, SHA-256, GPT-4, RFC-2119, COVID-19",
        "either and/or, client/server, TCP/IP, n/a, 24/7, 3/4",
        "Node.js, Next.js and ASP.NET are frameworks",
        "self.name, os.path, logger.info, i.e. e.g. etc.",
        "done.In the end. And so on...",
        "at 12:30:45 on 2024-12-16, 50% of 3.14 and 1.2",
        "std::vector, a::b, key:value, aa:bb:cc:dd:ee:ff",
        "1.2.3.4.5.6 is no address",
        "the server is ready; the host said no",
        "## Heading --- and -- dashes",
        "port of call, ports 0 and 99999",
        "a_b C_d _x_ __init__",
        "Multi-Agent and Follow-Up are words",
        "",
    ],
)
def test_what_only_looks_like_an_identifier_is_none(text: str):
    assert found(text) == []


def test_several_in_one_word_are_found_each():
    assert found("ssh root@100.70.237.79:2222") == [("ip", "100.70.237.79"), ("port", "2222")]
    assert found("localhost:8000") == [("host", "localhost"), ("port", "8000")]
    assert found("API_URL=https://a.example") == [("env", "API_URL"), ("url", "https://a.example")]
    assert found("--port=8080") == [("flag", "--port"), ("port", "8080")]
    assert found("ports 80, 443 and 8443") == [("port", "80"), ("port", "443"), ("port", "8443")]
    assert found("foo==1.2.3") == [("version", "1.2.3")]


@given(TEXTS)
@example("https://a.example/x_(y)GET /a")
@example("https://a.example/x_(y)²")
def test_each_is_what_stands_at_its_place_and_none_overlaps(text: str):
    end = 0
    for one in find_identifiers(text):
        assert fold_forms(text[one.start : one.end]) == one.value
        assert one.value
        assert one.start >= end
        end = one.end


@given(TEXTS)
def test_none_begins_or_ends_with_the_punctuation_around_it(text: str):
    for one in find_identifiers(text):
        assert not one.value.startswith(tuple("*,;!?([<>\"'`|"))
        assert not one.value.endswith(tuple(",;!?([<>\"'`|.:")), one
        assert not set(one.value) & set("\x00\x1b\x7f\u200b\u202e\ufeff")


def test_a_bracket_that_opens_after_an_address_is_no_part_of_it():
    assert [one.value for one in find_identifiers("https://a.example/x_(y)(")] == [
        "https://a.example/x_(y)"
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("X-Analytics-Token", "x-analytics-token"),
        ("DB-01.PROD", "db-01.prod"),
        ("Ana@Example.org", "ana@example.org"),
        ("HTTPS://A.Example/Path", "https://a.example/Path"),
        ("FE80::1", "fe80::1"),
        ("docs/e\u0301.md", "docs/\u00e9.md"),
    ],
)
def test_spellings_of_one_identifier_have_one_key(one: str, other: str):
    assert normalize_identifier(one) == normalize_identifier(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("db-01", "db-10"),
        ("HDRPOP_TOKEN", "hdrpop_token"),
        ("docs/Setup.md", "docs/setup.md"),
        ("https://a.example/A", "https://a.example/a"),
        ("GET /a", "POST /a"),
        ("1.2.3", "1.2.30"),
        ("us-east-1", "us-west-1"),
    ],
)
def test_different_identifiers_have_different_keys(one: str, other: str):
    assert normalize_identifier(one) != normalize_identifier(other)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("what is 100.70.237.79?", ["100.70.237.79"]),
        ("Which header is X-Analytics-Token?", ["X-Analytics-Token"]),
        ("where do I set HDRPOP_ANALYTICS_TOKEN", ["HDRPOP_ANALYTICS_TOKEN"]),
        ("open docs/setup.md, then db-01", ["docs/setup.md", "db-01"]),
        ("what runs on web7x and web-7?", ["web7x", "web-7"]),
        ("explain `cube` and get_user", ["cube", "get_user"]),
        ("db-01 db-01", ["db-01"]),
        ("the 2nd time in 10min, 5 days ago", []),
        ("how do I back up the server?", []),
        ("", []),
    ],
)
def test_the_exact_words_of_a_question(query: str, words: list[str]):
    assert extract_exact_terms(query) == words


@given(TEXTS)
def test_what_is_asked_for_exactly_stands_in_the_question(query: str):
    words = extract_exact_terms(query)
    assert len(set(words)) == len(words)
    assert all(word in fold_forms(query) for word in words)


UNITS = ["a/", "/", ".", "1.", "1.1.", "--a-", "A_", "A-1 ", ":", "a@", "a@a.", "port 1, ", "0:0:"]
UNITS += ["ssh ", "https://a", "x=", ")", "(", "*", "{}", "GET ", "`", "\u00e9", "a\\", "=", "a1 "]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_a_long_text_of_near_matches_is_no_trouble(unit: str):
    text = unit * (200_000 // len(unit))
    assert all(text[one.start : one.end] == one.value for one in find_identifiers(text))
    assert all(word in text for word in extract_exact_terms(text))


def test_words_without_a_sign_are_looked_at_where_something_may_tell_what_they_are(monkeypatch):
    asked: list[str] = []
    kind_of = identifiers.kind_of
    monkeypatch.setattr(
        identifiers, "kind_of", lambda word, before: asked.append(word) or kind_of(word, before)
    )
    assert not find_identifiers("".join(f"{number}. item{number}\n" for number in range(100)))
    assert not asked
    assert [(each.kind, each.value) for each in find_identifiers("1. SSH cube2, v3, ports 80")] == [
        (Kind.HOST, "cube2"),
        (Kind.VERSION, "v3"),
        (Kind.PORT, "80"),
    ]


@given(st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=12).map(" ".join))
def test_identifiers_of_a_line_are_those_of_the_line_by_itself(before, line):
    text = f"{before}\n{line}\n{before}"
    start = len(before) + 1
    found = find_identifiers(text, start, start + len(line))
    assert [(each.kind, each.value, each.start - start, each.end - start) for each in found] == [
        (each.kind, each.value, each.start, each.end) for each in find_identifiers(line)
    ]
