"""Summaries: the sentence that says what a document is about, and where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellworn.domain.knowledge.entities import plain
from wellworn.domain.knowledge.summaries import (
    LONGEST,
    Summary,
    folder_summary,
    summarize,
)
from wellworn.domain.knowledge.views import DocumentView, Reading


def of(text: str, title: str | None = None) -> Summary:
    return summarize(Reading(DocumentView(1, "mytech", "a.md", title, text)))


def test_the_first_sentence_is_told_with_the_headings(story):
    told = summarize(Reading(story[0]))
    assert told.render() == (
        "Main infrastructure overview: server list and SSH access patterns."
        " Covers: Servers, SSH access."
    )
    said = story[0].text[told.start : told.end]
    assert said == "Main infrastructure overview: server list and SSH access patterns."


def test_headings_stand_in_for_a_sentence_that_is_missing(story):
    told = summarize(Reading(story[2]))
    assert told.text == "Analytics API, Key Metrics, Alert Thresholds, Notification"
    span = story[2].text[told.start : told.end]
    assert span.startswith("## Analytics API")
    assert span.endswith("## Notification")


def test_what_only_leads_to_something_else_is_no_summary():
    assert of("approvers:\n  - ann\n  - ben\n").render() == "ann"
    assert of("approvers:\n").render() == ""


@pytest.mark.parametrize(
    "before",
    [
        "[![build](https://a.example/b.svg)](https://a.example)\n\n",
        "![logo](logo.png)\n\n",
        "- [Install](#install)\n- [How to use it every day](#use)\n\n",
        "| a column | another column of it |\n|---|---|\n| some text | more of the text |\n\n",
        "```\nthis is code and no sentence.\n```\n\n",
        "<!-- a comment that says nothing at all. -->\n\n",
        "<p align=center>some html that says nothing</p>\n\n",
        "> a quote of somebody else, who says things.\n\n",
        "Last updated: the third of May, by somebody.\n\n",
        "---\nauthor: somebody of the team\n---\n\n",
        "import Tabs from '@theme/Tabs'\n\n",
        ":::note\n\n",
        "(This one is an aside and nothing but one.)\n\n",
        "**[Features](#features) \u2022 [Get Started](#get-started) \u2022 [Docs](https://a.example)**\n\n",
        "!!! example\n\n    ```\n    this is code and no sentence.\n    ```\n\n",
        "Here is how it looks in action:\n\n",
    ],
)
def test_what_opens_a_document_and_says_nothing_is_passed_over(before):
    assert of(f"{before}Kopia keeps the copies of every server.\n").render() == (
        "Kopia keeps the copies of every server."
    )


@pytest.mark.parametrize(
    "front",
    [
        "---\ndescription: Copies of what's on every server\n---\n",
        '+++\nsummary = "Copies of what\'s on every server"\n+++\n',
    ],
    ids=["yaml", "toml"],
)
def test_a_description_in_the_front_matter_is_the_authors_own_summary(front):
    text = f"{front}\nOther words here now.\n"
    told = of(text)
    assert told.text == "Copies of what's on every server"
    assert text[told.start : told.end] == told.text


def test_markup_is_not_part_of_what_is_told():
    told = of("**Kopia** keeps [the copies](https://a.example) of `every` server.\n")
    assert told.text == "Kopia keeps the copies of every server."


def test_half_of_a_thought_is_not_told():
    half = "That is surprisingly simple!"
    assert of(f"# Adding nodes\n\n{half}\n").text == "Adding nodes"
    assert of(f"# Nodes\n\n{half}\n\nThere are three of them in all.\n").text == (
        "There are three of them in all."
    )
    assert of(f"# Nodes\n\n{half}\n\n## Add one\n\nIt takes an hour or two.\n").text == "Add one"


def test_an_abbreviation_does_not_end_a_sentence():
    assert of("Kopia keeps copies, e.g. of cube and others.\n").text.endswith("of cube and others.")


def test_what_leads_to_code_is_told_where_nothing_else_is():
    text = "# Logs\n\nTo view the logs of the boot server:\n\n```sh\n./scripts/logs\n```\n"
    told = of(text)
    assert told.text == "To view the logs of the boot server"
    assert text[told.start : told.end] == told.text


def test_headings_of_a_template_can_be_left_out():
    told = Summary("It fires.", 0, 9, ["Meaning", "Quorum"])
    assert told.render() == "It fires. Covers: Meaning, Quorum."
    assert told.render(without={"Meaning"}) == "It fires. Covers: Quorum."
    assert told.render(without={"Meaning", "Quorum"}) == "It fires."


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("<td>Self-hosted <b>Git</b></td>", "Self-hosted Git"),
        ("ssh <user>@cube", "ssh <user>@cube"),
        ("`--config &lt;path&gt;`", "--config <path>"),
        (":fontawesome-solid-code-fork: [Fork](https://a.example){ .md-button }", "Fork"),
        ("at 10:30:15 or a::b:c", "at 10:30:15 or a::b:c"),
        ("use {name} or ${HOME}", "use {name} or ${HOME}"),
    ],
)
def test_what_builders_of_sites_add_is_not_told(raw, seen):
    assert plain(raw) == seen


def test_a_document_without_words_has_no_summary():
    assert of("").render() == ""
    assert of("\n\n```\n```\n").render() == ""


def test_a_folder_is_told_by_its_readme_or_else_by_its_documents():
    assert folder_summary("Backups of all.", ["a"]) == "Backups of all."
    assert folder_summary("", ["Alpha", "Beta", "Beta"]) == "Alpha, Beta"
    assert folder_summary("", [str(number) for number in range(9)]).endswith("5 and 3 more")


@given(
    st.lists(st.sampled_from(["# Cube", "word " * 9 + "end.", "- item of it", "a " * 300, "", "|"]))
)
def test_a_summary_is_short_and_on_one_line(pieces):
    text = "\n".join(pieces)
    told = of(text)
    assert len(told.text) <= 2 * LONGEST
    assert "\n" not in told.text
    assert 0 <= told.start <= told.end <= len(text)
