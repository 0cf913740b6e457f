"""A hundred hostile texts in documents, names and turns: none runs, none leaves its box."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from empty_memory import put_empty_database
from hostile_texts import HOSTILE_TEXTS
from journeys.conftest import Server, serving
from journeys.pages import BOXES, FOREIGN, INSTALLED, NARROW, SPACE, Reader, open_browser
from journeys.test_sync_kills import SOURCES, call
from wellworn.kit.neutralising import neutralise

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here"),
]

IN_A_TURN = 12
LONGEST_NAME = 80
NAMES = [text for text in HOSTILE_TEXTS if text.isprintable() and len(text) <= LONGEST_NAME]


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    """A memory whose documents, sources, unknown names and turns are a hundred hostile texts."""
    home = tmp_path_factory.mktemp("documents") / "home"
    put_empty_database(home)
    folder = home.parent / "documents"
    folder.mkdir()
    for number, text in enumerate(HOSTILE_TEXTS):
        heading = " ".join(text.split())[:200]
        body = f"# {heading}\n\n{text}\n\n- **cube{number}** (10.0.0.{number}): runs {heading}\n"
        (folder / f"{number}.md").write_text(body, encoding="utf-8")
    other = "".join(f"- **cube{number}** (10.0.1.{number}): runs Kopia.\n" for number in range(100))
    (folder / "other.md").write_text(f"# Servers\n\n{other}", encoding="utf-8")
    with serving(home) as server:
        for name in NAMES[:10]:
            source = {"source_type": "folder", "name": name, "config": {"path": str(folder)}}
            added = call(server, "POST", SOURCES, source)
        call(server, "POST", f"{SOURCES}/{added['id']}/sync")
        for name in NAMES:
            call(server, "GET", f"/api/knowledge/resolve?{urlencode({'term': name})}")
        for start in range(0, len(HOSTILE_TEXTS), IN_A_TURN):
            texts = HOSTILE_TEXTS[start : start + IN_A_TURN]
            query = "\n".join(text[:600] for text in texts)
            call(server, "POST", "/api/v1/turns", {"query": query, "agent_id": "eve"})
        yield server


@pytest.fixture
def reader(browser, server):
    reader = Reader(browser, server.url, viewport={"width": NARROW, "height": 700})
    yield reader
    reader.context.close()
    assert reader.complaints == []


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
        more = page.locator("a.button", has_text="documents").or_(page.locator("a[rel=next]"))
        following = more.get_attribute("href") if more.count() else None
        address = following and path + following
    return list(dict.fromkeys(found))


def test_documents_show_every_hostile_text_whole(reader):
    words = look_at(reader, f"{SPACE}/sources")
    for name in NAMES[:10]:
        assert fold(name) in words
    sources = list_links(reader, f"{SPACE}/sources", "sources")
    for source in sources:
        look_at(reader, source)
    documents = [
        document for source in sources for document in list_links(reader, source, "documents")
    ]
    assert len(documents) == len(HOSTILE_TEXTS) + 1
    shown = ""
    for document in documents:
        shown += look_at(reader, document)
    for text in HOSTILE_TEXTS:
        if len(text) < 2_000:
            assert fold(text) in shown, text


def test_answers_show_every_hostile_name(reader):
    words = look_at(reader, f"{SPACE}/answers")
    missing = [name for name in NAMES if fold(name) not in words]
    for name in missing:
        assert fold(name) in look_at(reader, f"{SPACE}/answers?term={quote(name, safe='')}"), name
    for number in (0, 30, 60):
        look_at(reader, f"{SPACE}/answers?term=cube{number}")
    assert reader.find_violations() == []


def test_turns_show_every_hostile_question_whole(reader):
    look_at(reader, f"{SPACE}/turns")
    turns = list_links(reader, f"{SPACE}/turns", "turns")
    assert len(turns) == -(-len(HOSTILE_TEXTS) // IN_A_TURN)
    shown = "".join(look_at(reader, turn) for turn in turns)
    for text in HOSTILE_TEXTS:
        assert fold(text[:600]) in shown, text
