from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.fetch.gittree import parse_listing, to_text
from wellworn.engines.fetch.models import GitFile, GitSkipped

NAMES = st.binary(min_size=1, max_size=30) | st.text(max_size=20).map(
    lambda text: text.encode("utf-8", "surrogatepass")
)
LETTERS = dict(zip('abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


def _unquoted(text: str) -> bytes:
    if not text.startswith('"'):
        return text.encode()
    parts = re.findall(r"\\[0-7]{3}|\\.|.", text[1:-1])
    return bytes(
        ord(part) if len(part) == 1 else LETTERS.get(part[1]) or int(part[1:], 8) for part in parts
    )


@given(NAMES)
def test_a_name_can_be_had_back_from_what_is_shown_of_it(name):
    assert _unquoted(to_text(name)) == name


@given(NAMES)
def test_what_is_shown_of_a_name_is_one_line_that_can_be_stored(name):
    shown = to_text(name)
    assert shown.encode().decode() == shown
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f\u202e]", shown)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"docs/read me.md", "docs/read me.md"),
        ("docs/grüße – 日本.md".encode(), "docs/grüße – 日本.md"),
        (b"back\\slash.md", "back\\slash.md"),
        (b"new\nline.md", r'"new\nline.md"'),
        (b"caf\xe9.md", r'"caf\351.md"'),
        (b'"quoted".md', r'"\"quoted\".md"'),
        ("abc\u202egpj.md".encode(), r'"abc\342\200\256gpj.md"'),
    ],
)
def test_a_name_is_quoted_as_git_does_where_it_is_not_plain(name, shown):
    assert to_text(name) == shown


def test_links_and_submodules_are_listed_as_skipped_and_unwanted_names_not_at_all():
    lines = [
        b"100644 blob %b\ta.md" % (b"1" * 40),
        b"100755 blob %b\trun.sh" % (b"2" * 40),
        b"120000 blob %b\tlink.md" % (b"3" * 40),
        b"160000 commit %b\tother.md" % (b"4" * 40),
        b"100644 blob %b\tREADME.md" % (b"5" * 40),
    ]
    tree = parse_listing(
        b"".join(line + b"\0" for line in lines), "c" * 40, lambda path: path[-3:] == ".md"
    )
    assert tree.commit == "c" * 40
    assert tree.files == (
        GitFile("a.md", "1" * 40, "100644"),
        GitFile("README.md", "5" * 40, "100644"),
    )
    assert tree.skipped == (
        GitSkipped("link.md", "a symbolic link is not followed"),
        GitSkipped(
            "other.md",
            "a submodule is not fetched; add it as a source of its own",
            is_submodule=True,
        ),
    )
