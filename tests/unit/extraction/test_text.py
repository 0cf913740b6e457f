"""Text in any encoding and with any line ends: decoded or flagged, and then in one form."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wellworn.engines.extraction import Extracted, ExtractionSettings, Extractor, FileKind
from wellworn.engines.extraction.canonical import canonical, markdown_title
from wellworn.engines.extraction.charset import decode, find_html_charset

EXTRACTOR = Extractor(ExtractionSettings(most_characters=2000))
JAPANESE = "データベースの接続数は百までです。再起動の前に担当者へ連絡してください。" * 4
GERMAN = "Die Pumpe läuft über das Wochenende, prüfen Sie täglich den Druck. " * 5


def read(raw, name="notes.md", **claims):
    made = EXTRACTOR.extract(raw, name=name, **claims)
    assert isinstance(made, Extracted)
    return made


def test_markdown_is_kept_as_it_was_written():
    text = "---\ntitle: Pumps\n---\n\n#  Pumps \n\n| a |\n\ttab and trailing blanks  \n\n\n\nend"
    assert read(text.encode()) == Extracted(text, FileKind.MARKDOWN, "Pumps")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\r\nb\rc\nd\r\n\re", "a\nb\nc\nd\n\ne"),
        (b"a\x00b", "a\ufffdb"),
        (b"\xef\xbb\xbf# a", "# a"),
        ("# größer".encode("utf-16"), "# größer"),
        ("# größer".encode("utf-16-be"), "# größer"),
        (b"\xff\xfe\x00\x00" + "größer".encode("utf-32-le"), "größer"),
        (unicodedata.normalize("NFD", "größer").encode(), unicodedata.normalize("NFD", "größer")),
        (b"", ""),
    ],
    ids=["line ends", "NUL", "BOM", "UTF-16", "UTF-16 without BOM", "UTF-32", "NFD", "empty"],
)
def test_every_form_of_text_becomes_the_one_form(raw, text):
    assert read(raw).text == text


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "flags"),
    [
        (JAPANESE, "cp932", "Shift_JIS", ()),
        (JAPANESE, "cp932", None, ("encoding guessed: cp932",)),
        (GERMAN, "cp1252", "ISO-8859-1", ()),
        ("“größer”", "cp1252", "iso-8859-1", ()),
        ("größer", "cp1252", None, ("encoding guessed: cp1252",)),
        ("größer", "cp1252", "utf-8", ("encoding guessed: cp1252",)),
        ("größer", "utf-8", "cp1252", ()),
        ("größer", "cp1252", "no-such-charset", ("encoding guessed: cp1252",)),
    ],
)
def test_what_is_declared_is_believed_unless_the_bytes_say_otherwise(
    text, encoding, declared, flags
):
    made = read(text.encode(encoding), charset=declared)
    assert (made.text, made.flags) == (text, flags)


@pytest.mark.parametrize("name", ["idna", "punycode", "unicode_escape", "utf-7", "rot13", "zlib"])
def test_codecs_that_are_no_charset_of_documents_are_not_used(name):
    made = decode(b"\\u0041 +AEE- gr\xf6\xdfer", declared=name)
    assert made.text == "\\u0041 +AEE- größer"


def test_a_text_in_utf_8_with_one_broken_line_stays_utf_8():
    raw = GERMAN.encode() + b"cut \xc3\n"
    made = read(raw)
    assert made.text == GERMAN + "cut \ufffd\n"
    assert made.flags == ("some bytes are not utf-8 and were replaced",)


@given(st.binary())
@example(b"\xff\xfe\x00\xd8")
@example(b"\xef\xbb\xbf\xff")
def test_any_bytes_decode_to_what_can_be_stored(raw):
    text = canonical(decode(raw).text)
    assert text.encode("utf-8").decode() == text
    assert "\x00" not in text
    assert "\r" not in text


@given(st.text())
def test_the_one_form_is_reached_at_once(text):
    assert canonical(canonical(text)) == canonical(text)


def test_a_text_beyond_the_limit_ends_after_a_line_and_says_so():
    made = read(b"a line of a log\n" * 1000)
    assert made.text == "a line of a log\n" * 125
    assert made.flags == ("the end was left out: limit 2,000 characters",)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ndate: 1\ntitle: 'The plant'\n---\n# Pumps", "The plant"),
        ('+++\ntitle = "The plant"\n+++\n# Pumps', "The plant"),
        ("---\ndate: 1\n---\n\n# Pumps #\n", "Pumps"),
        ("[![badge](x.svg)](y)\n\n# The `cube` [pump](pump.md) <a id='x'></a>\n", "The cube pump"),
        ("```\n# no\n```\n\nPumps\n=====\n", "Pumps"),
        ("---\ntitle: never closed", None),
        ("no heading", None),
        ("", None),
        ("# " + "long " * 100, ("long " * 40).strip()),
    ],
)
def test_a_markdown_text_has_the_title_it_gives_itself(text, title):
    assert markdown_title(text) == title


def test_a_comment_at_the_top_of_a_program_is_no_title():
    assert read(b"# Copyright\nimport os\n", "tool.py") == Extracted(
        "# Copyright\nimport os\n", FileKind.TEXT
    )


@pytest.mark.parametrize(
    ("page", "declared"),
    [
        (b'<meta charset="Shift_JIS">', "Shift_JIS"),
        (b"<META http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
        (b"<p>charset=koi8-r", None),
    ],
)
def test_the_charset_of_a_page_is_found(page, declared):
    assert find_html_charset(page) == declared
