from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.engines.formats import parse_record, read_practices
from wellworn.engines.formats.practices import cut_chunks
from wellworn.errors import InvalidInput


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_first_directory_is_the_domain_and_readmes_are_skipped(tmp_path):
    write(tmp_path, "ops/deploy/flags.md", "Use feature flags.")
    write(tmp_path, "top.md", "At the top.")
    write(tmp_path, "ops/ReadMe.md", "Skipped.")
    write(tmp_path, "ops/notes.txt", "No markdown.")
    found = {record["file_path"]: record["domain"] for record in read_practices(tmp_path)}
    assert found == {"ops/deploy/flags.md": "ops", "top.md": ""}


def test_every_chunk_is_a_record_that_the_server_takes(tmp_path):
    write(tmp_path, "ops/long.md", "\n\n".join("word " * 120 for _ in range(10)))
    records = list(read_practices(tmp_path))
    assert [record["chunk_index"] for record in records] == list(range(len(records)))
    assert {record["total_chunks"] for record in records} == {len(records)} == {3}
    for line, record in enumerate(records, start=1):
        assert parse_record(record, line).record == "practice"


def test_reading_the_same_folder_again_gives_the_same_ids(tmp_path):
    write(tmp_path, "ops/flags.md", "Use feature flags.")
    assert list(read_practices(tmp_path)) == list(read_practices(tmp_path))


def test_a_folder_without_markdown_is_told(tmp_path):
    write(tmp_path, "README.md", "Only this.")
    with pytest.raises(InvalidInput, match="no markdown"):
        list(read_practices(tmp_path))


@given(st.lists(st.integers(0, 1300), max_size=12))
def test_chunks_keep_every_word_in_order_and_stay_near_the_target(lengths):
    text = "\n\n".join(" ".join(f"w{n}-{i}" for i in range(n)) for n in lengths)
    chunks = cut_chunks(text)
    assert " ".join(chunks).split() == text.split()
    assert all(0 < len(chunk.split()) <= 500 for chunk in chunks)


def test_chunks_are_as_they_stand_in_the_text():
    text = "Run:\n\n```yaml\na:\n\n  b:\n    - 1\n```\n\n" + "- item of a list\n" * 300
    chunks = cut_chunks(text)
    assert len(chunks) > 1
    assert chunks[0].startswith("Run:\n\n```yaml\na:\n\n  b:\n    - 1\n```")
    assert all(chunk in text for chunk in chunks)
