from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.sources.connectors.file_kinds import (
    SkippedFiles,
    is_plain,
    is_readable,
    is_text,
)


@pytest.mark.parametrize("path", ["a.md", "docs/B.PDF", "v1.2/page.html"])
def test_endings_of_documents_are_known_in_any_case(path: str):
    assert is_readable(path)
    assert not is_plain(path)


@pytest.mark.parametrize("path", ["Dockerfile", "v1.2/LICENSE", "etc/hosts"])
def test_a_name_without_an_ending_tells_nothing(path: str):
    assert is_plain(path)
    assert not is_readable(path)


@pytest.mark.parametrize("path", ["prices.csv", "docs/A.TSV", "compose.yaml"])
def test_a_short_table_or_configuration_is_one_by_its_content(path: str):
    assert is_plain(path)
    assert not is_readable(path)


@pytest.mark.parametrize("path", [".env", "a/.netrc", "main.py", "Dockerfile.dev", "notes."])
def test_hidden_files_and_other_endings_are_neither(path: str):
    assert not is_plain(path)
    assert not is_readable(path)


@given(st.text(), st.integers(0, 3))
def test_every_text_is_text_wherever_it_is_cut(text: str, cut: int):
    raw = text.encode("utf-8", "replace")
    head = raw[: len(raw) - cut]
    assert is_text(head) or b"\x00" in head


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "utf-16", "utf-16-be", "cp932", "gbk"])
def test_a_text_in_another_encoding_is_text(encoding: str):
    said = {"cp1251": "порт: насос", "cp932": "\u30dd\u30f3\u30d7: \u6c34", "gbk": "\u6c34: \u6c34"}
    assert is_text(said.get(encoding, "gerät: pümpe\nport: 8_300\n").encode(encoding))


@pytest.mark.parametrize(
    "raw",
    [
        b"\x7fELF\x02\x01\x01\x00",
        b"caf\xe9\x02 au lait",
        b"a\x00b",
        bytes(range(256)),
    ],
)
def test_other_bytes_are_not(raw: bytes):
    assert not is_text(raw)


def told(*paths: str) -> str:
    passed = SkippedFiles()
    for path in paths:
        passed.add(path)
    return passed.describe()


def test_what_is_passed_over_is_counted_by_kind_the_most_first():
    assert told() == ""
    assert told("a.PNG") == "1 file was passed over: 1 .png"
    files = ["a.py", "b.py", "c.png", "bin/tool", "d.json", "x/e.toml"]
    assert told(*files) == "6 files were passed over: 2 .py, 1 .json, 1 .png, 2 more"


@pytest.mark.parametrize("name", ["a.hunter2hunter2", "a.\x1b[2J", "a.p w", "a."])
def test_only_plain_endings_are_named(name: str):
    assert told(name, "tool") == "2 files were passed over: 1 of other kinds, 1 without an ending"
