"""What holds for every page: links lead somewhere, words are the glossary's, no leftovers."""

from __future__ import annotations

import re

import pytest

from docs.pages import DOCS, PROJECT, anchors, links, name, pages, prose, rows, sections, text_of

GLOSSARY = "docs/glossary.md"
# Words of other trades that the glossary sets aside and that have no second meaning in our prose.
SET_ASIDE = ("upvote", "karma", "tenant", "telemetry", "chatbot", "memory item", "snapshot")
HYPE = ("blazing", "seamless", "powerful", "cutting-edge", "revolutionary", "effortless", "simply")


@pytest.mark.parametrize("page", pages(), ids=name)
def test_every_link_leads_to_a_page_and_a_heading_that_exist(page):
    for target in links(page):
        path, _, fragment = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.exists(), f"{name(page)}: {target}"
        if fragment:
            assert fragment in anchors(goal), f"{name(page)}: {target}"


def test_every_page_can_be_reached_from_the_map():
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [(page.parent / target.partition("#")[0]).resolve() for target in links(page)]
    assert set(DOCS.rglob("*.md")) <= reached


def test_the_map_lists_every_decision_by_its_title():
    listed = {cells[0]: cells[1] for cells in rows(sections("docs/index.md", "## ")["Decisions"])}
    for record in sorted((DOCS / "adr").glob("*.md")):
        number, _, title = text_of(name(record)).splitlines()[0].removeprefix("# ").partition(". ")
        assert listed[f"[{number}](adr/{record.name})"] == title


@pytest.mark.parametrize("record", sorted((DOCS / "adr").glob("*.md")), ids=name)
def test_a_decision_says_why_what_else_and_what_keeps_it(record):
    headings = set(re.findall(r"^## (.+)$", text_of(name(record)), re.MULTILINE))
    assert {"Context", "Decision", "Alternatives", "Enforced by"} <= headings
    for path in re.findall(r"`((?:tests|benchmarks|scripts)/[\w/]+(?:\.py)?)`", prose(record)):
        assert (PROJECT / path).exists(), f"{name(record)}: {path}"


def test_the_places_to_add_something_exist():
    page = text_of("docs/where-do-i-add.md")
    places = re.findall(r"`((?:src|docs|scripts)/[\w/.-]+|pyproject\.toml)`", page)
    assert len(places) > len(list(rows(page)))
    assert [place for place in places if not (PROJECT / place).exists()] == []


def test_the_glossary_defines_each_word_once_in_order():
    words = [cells[0] for cells in rows(text_of(GLOSSARY))]
    assert words == sorted(set(words))


def test_every_requirement_of_the_specification_has_a_section_and_a_state():
    states = ("Works", "Partly: ", "Differs: ", "Not yet")
    listed = list(rows(text_of("docs/specification.md")))
    assert len(listed) > 100
    assert [row for row in listed if len(row) != 3 or not row[2].startswith(states)] == []
    assert [row for row in listed if not (row[0] and row[1])] == []


def test_the_words_of_the_glossary_are_used():
    used = " ".join(prose(page) for page in pages() if name(page) != GLOSSARY).casefold()
    unused = [
        cells[0]
        for cells in rows(text_of(GLOSSARY))
        if not re.search(rf"\b{re.escape(cells[0])}", used)
    ]
    assert unused == []


def test_the_nouns_of_the_domain_model_are_in_the_glossary():
    words = {cells[0] for cells in rows(text_of(GLOSSARY))}
    model = sections("docs/concepts.md", "## ")["The domain model"]
    nouns = [re.findall(r"\*\*(.+?)\*\*", cells[0])[0] for cells in rows(model)]
    own = {"retrieval", "erasure", "thought type", "answer kept", "vector index"}
    assert [noun for noun in nouns if noun not in words | own] == []


@pytest.mark.parametrize("page", pages(), ids=name)
def test_a_page_uses_no_word_that_the_glossary_sets_aside_and_no_hype(page):
    if name(page) == GLOSSARY:
        return
    said = prose(page).casefold()
    assert [word for word in (*SET_ASIDE, *HYPE) if re.search(rf"\b{word}s?\b", said)] == []


@pytest.mark.parametrize("page", pages(), ids=name)
def test_a_page_is_finished(page):
    assert re.findall(r"TODO|FIXME|TBD|lorem ipsum", page.read_text(encoding="utf-8")) == []
