"""Passages that speak of what is asked: which lines are quoted, and which one first."""

from __future__ import annotations

from types import SimpleNamespace

from wellworn.domain.knowledge.asked_values import list_needs
from wellworn.domain.knowledge.passages import find_passages
from wellworn.domain.knowledge.questions import parse_question


def quote(question: str, name: str, text: str, *headings: str) -> list[str]:
    """Return what a document below some headings is quoted with, the most telling first."""
    parsed = parse_question(question, "", lambda known: known == name)
    assert parsed is not None
    snippet = SimpleNamespace(
        document_id=1,
        source="docs",
        path="notes.md",
        anchor="",
        title="Notes",
        headings=headings,
        start=0,
        end=len(text),
    )
    quoter = SimpleNamespace(open_page=lambda _: SimpleNamespace(text=text))
    quotes = find_passages(quoter, [snippet], list_needs(parsed))
    assert all(quote.text == text[quote.start : quote.end] for quote in quotes)
    return [quote.text for quote in quotes]


def test_a_sentence_that_is_broken_over_lines_is_quoted_whole():
    text = (
        "By default the zephyr service keeps each of its nightly backups\n"
        "and all of its weekly ones for seven days.\nNothing else is kept.\n"
    )
    [first, *_] = quote("zephyr retention", "zephyr", text.replace("keeps", "has a retention of"))
    assert first.endswith("for seven days.")


def test_items_rows_and_keys_are_quoted_one_by_one():
    text = (
        "- zephyr listens for all of its many clients on port 4100\n"
        "- boreas listens for all of its many clients on port 4200\n"
    )
    assert quote("zephyr port", "zephyr", text) == [text.splitlines()[0].strip()]


def test_of_a_long_line_the_sentence_is_quoted():
    filler = "It was written long ago by somebody who is gone. " * 14
    text = f"{filler}The zephyr port is 4100. {filler}\n"
    assert quote("zephyr port", "zephyr", text)[0] == "The zephyr port is 4100."


def test_a_line_that_shows_the_value_stands_before_one_that_has_the_words():
    text = "The zephyr schedule was agreed on.\n\nIts schedule: daily at 03:00.\n"
    assert quote("zephyr schedule", "zephyr", text, "Zephyr")[0] == "Its schedule: daily at 03:00."


def test_a_number_alone_says_nothing_of_what_is_asked():
    assert quote("zephyr retention", "zephyr", "The zephyr has 12 cores.\n") == []


def test_a_command_is_found_by_the_comment_above_it():
    text = "```bash\n# Rebuild the zephyr index\nzctl --index all\n```\n"
    assert quote("command to rebuild zephyr", "zephyr", text, "Zephyr")[0] == "zctl --index all"


def test_what_is_bold_above_an_example_says_what_it_is():
    text = "**Zephyr base URL**\n\n```text\nhttps://z.example/api\n```\n"
    assert quote("zephyr base url", "zephyr", text, "Zephyr")[0] == "https://z.example/api"


def test_a_command_that_names_a_thing_is_no_address_of_it():
    text = "docker compose logs zephyr\n\nOpen https://zephyr.example/ in a browser.\n"
    assert quote("how do I reach zephyr?", "zephyr", text)[0].startswith("Open https")
