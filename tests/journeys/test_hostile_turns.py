"""A hundred hostile texts in turns: none runs, none leaves its box."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from empty_memory import put_empty_database
from hostile_texts import HOSTILE_TEXTS
from journeys.conftest import Server, serving
from journeys.pages import BOXES, FOREIGN, INSTALLED, NARROW, SPACE, Reader, open_browser
from journeys.test_sync_kills import call
from wellworn.kit.neutralising import neutralise

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here"),
]

IN_A_TURN = 25
LONGEST = 300


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def turn_server(tmp_path_factory) -> Iterator[Server]:
    """A memory in which an agent works on a hundred hostile texts, some at once."""
    home = tmp_path_factory.mktemp("turns") / "home"
    put_empty_database(home)
    with serving(home) as server:
        for start in range(0, len(HOSTILE_TEXTS), IN_A_TURN):
            query = "\n".join(each[:LONGEST] for each in HOSTILE_TEXTS[start : start + IN_A_TURN])
            call(server, "POST", "/api/v1/turns/open", {"query": query, "agent_id": "eve"})
        yield server


def look_at(reader: Reader, path: str) -> str:
    """Return all words of a page, on which nothing is foreign and nothing leaves its box."""
    page = reader.open(path)
    assert page.title() != "That did not work · wellworn", path
    assert page.evaluate(FOREIGN) == [], path
    assert page.evaluate(BOXES) == [], path
    assert reader.find_overflow() == 0, path
    assert page.locator("h1").count() == 1
    return fold(page.locator("main").evaluate("main => main.textContent"))


def fold(text: str) -> str:
    """Return what is seen of a text, without blanks, which a page and a document part otherwise."""
    return "".join(neutralise(text).split())


def list_links(reader: Reader, path: str, part: str) -> list[str]:
    """Return the addresses below a part of the site that a list leads to, on all of its pages."""
    found: list[str] = []
    address: str | None = path
    while address:
        page = reader.open(address)
        hrefs = page.eval_on_selector_all("main a", "all => all.map(a => a.getAttribute('href'))")
        found += [href for href in hrefs if href.startswith(f"{SPACE}/{part}/")]
        more = page.locator("a[rel=next]")
        following = more.get_attribute("href") if more.count() else None
        address = following and path + following
    return list(dict.fromkeys(found))


def test_turns_show_every_hostile_question_whole(browser, turn_server):
    reader = Reader(browser, turn_server.url, viewport={"width": NARROW, "height": 700})
    look_at(reader, f"{SPACE}/turns")
    turns = list_links(reader, f"{SPACE}/turns", "turns")
    assert len(turns) == -(-len(HOSTILE_TEXTS) // IN_A_TURN)
    shown = "".join(look_at(reader, turn) for turn in turns)
    for text in HOSTILE_TEXTS:
        assert fold(text[:LONGEST]) in shown, text
    assert reader.complaints == []
    reader.context.close()
