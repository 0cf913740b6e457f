"""Which addresses are kept beside their words, and that they cannot break the text around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.extraction.links import (
    format_link,
    format_title,
    is_whole,
    remove_links,
    target,
)
from wellworn.engines.safety import redact


@pytest.mark.parametrize(
    "written",
    [
        "",
        " ",
        "#top",
        "javascript:go()",
        "java\nscript:go()",
        "JavaScript:go()",
        "data:text/html,x",
        "about:blank",
        "blob:https://x.example/1",
        "vbscript:x",
        "?utm_source=mail",
        "x" * 401,
    ],
    ids=range(12),
)
def test_what_leads_nowhere_is_no_address(written):
    assert target(written) is None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://x.example/a?b=1#c", "https://x.example/a?b=1#c"),
        (" ../guide.html\n", "../guide.html"),
        ("//x.example/a", "https://x.example/a"),
        ("mailto:ops@x.example", "mailto:ops@x.example"),
        ("a b (c).html", "a%20b%20%28c%29.html"),
        ("https://x.example/a?utm_source=mail&id=7&utm_medium=x", "https://x.example/a?id=7"),
        ("https://x.example/a?fbclid=1#b", "https://x.example/a#b"),
        ("https://x.example/a?id=7&gclid=9", "https://x.example/a?id=7"),
    ],
    ids=range(8),
)
def test_an_address_is_kept_without_what_tracks_its_readers(written, kept):
    assert target(written) == kept


@given(st.text(st.sampled_from("ab:/?#&=utm_ ()[]<>|`\\\n\"'"), max_size=30))
def test_an_address_cannot_end_the_link_it_is_in(written):
    to = target(written)
    assert to is None or not set(to) & set(' ()[]<>|`\\\n"')
    assert to is None or remove_links(format_link("words", to)) == "words"


@pytest.mark.parametrize(
    ("words", "to", "said"),
    [
        ("the board", "https://x.example/7", "[the board](https://x.example/7)"),
        (" the\n board ", "b.html", " [the board](b.html) "),
        ("https://x.example/7", "https://x.example/7/", "https://x.example/7"),
        ("X.example", "https://x.example/", "X.example"),
        ("`x.example`", "https://x.example", "`x.example`"),
        ("ops@x.example", "mailto:ops@x.example", "ops@x.example"),
        ("[1]", "n.html", "[1](n.html)"),
        ("a[0]", "n.html", "a[0] (n.html)"),
        ("", "n.html", ""),
    ],
    ids=range(9),
)
def test_words_become_a_link_unless_they_say_the_address(words, to, said):
    assert format_link(words, to) == said


def test_a_heading_is_a_link_as_a_whole_or_not_at_all():
    assert format_title("[1.2.0](https://x.example/1.2.0)") == "[1.2.0](https://x.example/1.2.0)"
    assert format_title("New in [1.2.0](https://x.example/1.2.0)") == "New in 1.2.0"
    assert format_title(f"[1.2.0](https://x.example/{'a' * 190})") == "1.2.0"


def test_an_address_with_a_scheme_says_all_of_where_it_leads():
    assert is_whole("https://x.example")
    assert is_whole("mailto:ops@x.example")
    assert not is_whole("../guide.html")
    assert not is_whole("/guide?next=https://x.example")


@pytest.mark.parametrize(
    "address",
    [
        "https://ana:Xk29fjw0pQz@db.example/x",
        "https://db.example/x?access_token=V5tq0sN3LkG7yZp1BwX9aRm4Jd8HcF2U&page=1",
        "https://db.example/x?page=1&password=Xk29fjw0pQz",
        "https://ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX@git.example/x",
    ],
    ids=["user", "token", "password", "name"],
)
def test_a_secret_in_an_address_is_taken_out_of_the_link(address):
    to = target(address)
    assert to == address
    assert "[redacted:" in redact(f"See {format_link('the base', to)}.").text
