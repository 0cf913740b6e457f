"""Documents as the compiler sees them: parts, anchors, lines of prose, references."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.views import DocumentView, Reading
from wellworn.domain.sources import format_citation


def reading(text: str, title: str | None = None) -> Reading:
    return Reading(DocumentView(1, "mytech", "a.md", title, text))


def test_parts_have_the_anchors_that_links_use_and_the_title_has_none():
    made = reading("# Title\n\n## SSH access\n\n## SSH access\n\n### `cube` (new)\n").parts
    assert [part.anchor for part in made] == ["", "ssh-access", "ssh-access-1", "cube-new"]


def test_a_second_title_is_a_part_like_others():
    assert [part.anchor for part in reading("# One\n# Two\n").parts] == ["", "two"]


def test_what_is_in_code_comments_and_front_matter_is_no_prose():
    text = "---\ntitle: x\n---\nsaid\n```\ncode\n```\n<!-- not\nsaid --> \nalso said\n<!-- open"
    lines = [line.text for line in reading(text).lines if line.text]
    assert lines == ["said", "also said", "<!-- open"]


def test_a_document_is_called_as_its_front_matter_says_then_its_heading_then_as_it_came():
    assert reading("---\ntitle: 'Servers'\n---\n# Other\n", "a").title == "Servers"
    assert reading("# Other\n", "a").title == "Other"
    assert reading("text\n\n## Below\n", "a").title == "a"
    assert reading("text\n\n## Below\n").title == "Below"


def test_a_reference_is_the_source_the_path_and_the_anchor():
    assert format_citation("mytech", "AGENTS.md", "servers") == "mytech/AGENTS.md#servers"
    assert format_citation("mytech", "AGENTS.md") == "mytech/AGENTS.md"
    assert format_citation("Docs", "https://example.com/a.md", "b") == "https://example.com/a.md#b"


@given(st.text("#\n `~-=a<!>", max_size=200))
def test_parts_and_lines_are_where_they_say(text):
    read = reading(text)
    assert "".join(text[part.start : part.end] for part in read.parts) == text
    for line in read.lines:
        assert text[line.start : line.end] == line.text
        assert read.parts[line.part].start <= line.start < max(1, read.parts[line.part].end)
        assert line in read.lines_of(line.part)
        assert read.part_at(line.start) == line.part
