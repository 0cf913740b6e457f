"""A hundred hostile texts as documents, names and questions, on the pages that show them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import pytest

from empty_memory import put_empty_database
from hostile_texts import HOSTILE_TEXTS
from journeys.conftest import Server, serving
from journeys.pages import FOREIGN, INSTALLED, NARROW, SPACE, Reader, normalise, open_browser
from journeys.test_sync_kills import SOURCES, call
from wellworn.kit.neutralising import neutralise

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(INSTALLED is None, reason="no Chromium is installed here"),
]

LINES = "application/x-ndjson"
ONE_LINE = [
    (number, " ".join(text.split())[:90])
    for number, text in enumerate(HOSTILE_TEXTS)
    if " ".join(text.split())[:90].strip()
]
"""The texts where one line of some words is taken: as names, terms and values."""
SPILLED = """() => {
  const spilled = [];
  const boxes = "li, td, th, dd, dt, p, blockquote, article, h1, h2, h3, form, footer, section";
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    // What scrolls shows by itself what is beyond it.
    if (node.parentElement.closest(".hidden, option, textarea, .scroll, pre")) continue;
    const box = node.parentElement.closest(boxes) ?? document.body;
    const outer = box.getBoundingClientRect();
    // Blanks at the end of a line may hang over, as nobody sees them.
    for (const word of node.data.matchAll(/\\S+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const isOut = [...range.getClientRects()].some((inner) =>
        inner.right > outer.right + 1 || inner.left < outer.left - 1
        || inner.top < outer.top - 4 || inner.bottom > outer.bottom + 4);
      if (isOut) spilled.push(`${box.tagName} ${node.data.slice(0, 60)}`);
    }
  }
  return spilled;
}"""
"""Texts that are drawn outside of what they stand in."""


@dataclass(frozen=True)
class Library:
    """A memory whose documents an attacker wrote; `source_id` is of those that were synced."""

    server: Server
    source_id: int
    names: list[str]
    documents: dict[int, str]


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("library") / "home"
    put_empty_database(home)
    folder, empty = home.parent / "documents", home.parent / "empty"
    folder.mkdir()
    empty.mkdir()
    for number, text in enumerate(HOSTILE_TEXTS):
        named = "".join(each for each in text if each not in "/\0\n\r")[:40]
        (folder / f"{number:03} {named}.md").write_text(f"# Part {number}\n\n{text}\n")
    (folder / "broken \u202e<b>.pdf").write_bytes(b"%PDF-1.7 <script>alert(1)</script>")
    with serving(home) as server:
        source = {"source_type": "folder", "name": "<b>all</b>", "config": {"path": str(folder)}}
        source_id = call(server, "POST", SOURCES, source)["id"]
        call(server, "POST", f"{SOURCES}/{source_id}/sync")
        for address in ("100.70.237", "100.70.238"):
            claims = (
                f"- **cube{number}** ({address}.{number}): home server {line}.\n"
                for number, line in ONE_LINE
            )
            text = {"title": "<i>Servers</i>", "text": "# Servers\n\n" + "".join(claims)}
            note = {"source_type": "manual_note", "name": f"<u>{address}</u>", "config": text}
            note_id = call(server, "POST", SOURCES, note)["id"]
            call(server, "POST", f"{SOURCES}/{note_id}/sync")
        for _, line in ONE_LINE:
            named = source | {"name": line, "config": {"path": str(empty)}}
            call(server, "POST", SOURCES, named)
        names = [each["name"] for each in call(server, "GET", SOURCES)["sources"]]
        assert len(names) > len(ONE_LINE) / 2
        listed = call(server, "GET", f"/api/knowledge/documents?source_id={source_id}&limit=200")
        documents = {
            each["id"]: call(server, "GET", f"/api/knowledge/documents/{each['id']}")["text"]
            for each in listed["documents"]
            if each["characters"]
        }
        for _, line in ONE_LINE:
            call(server, "GET", f"/api/knowledge/resolve?{urlencode({'term': line})}")
        records = [
            {"record": "thought", "content": f"Number {number} says {text}"}
            | {"contributor_id": "ana", "contributor_name": "Ana"}
            for number, text in enumerate(HOSTILE_TEXTS)
        ]
        body = "".join(json.dumps(each) + "\n" for each in records).encode()
        with urlopen(Request(f"{server.url}/api/v1/import", body, {"content-type": LINES})):
            pass
        yield Library(server, source_id, names, documents)


@pytest.fixture
def reader(browser, library) -> Iterator[Reader]:
    reader = Reader(browser, library.server.url, viewport={"width": NARROW, "height": 700})
    yield reader
    reader.context.close()
    assert reader.complaints == []


def check(reader: Reader, address: str) -> None:
    page = reader.page
    assert page.evaluate(FOREIGN) == [], address
    assert page.evaluate(SPILLED) == [], address
    assert reader.find_overflow() == 0, address
    assert page.locator("h1").count() == 1, address


def test_sources_keep_their_hostile_names_and_reasons_in_their_boxes(reader, library):
    address = f"{SPACE}/sources"
    page = reader.open(address)
    check(reader, address)
    shown = page.locator("tbody th").all_text_contents()
    assert [normalise(name) for name in shown] == [normalise(neutralise(n)) for n in library.names]
    address = f"{SPACE}/sources/{library.source_id}"
    page = reader.open(address)
    check(reader, address)
    page.locator("details").first.evaluate("details => { details.open = true; }")
    check(reader, address)
    assert "broken" in page.locator("details").first.inner_text()


def test_documents_show_every_hostile_text_whole_and_as_a_text(reader, library):
    assert len(library.documents) == len(HOSTILE_TEXTS)
    for document_id, text in library.documents.items():
        address = f"{SPACE}/documents/{document_id}"
        page = reader.open(address)
        check(reader, address)
        shown = page.locator("pre.paper").text_content()
        assert normalise(shown) == normalise(neutralise(text)), address


def test_answers_show_hostile_names_values_and_quotes_as_texts(reader):
    address = f"{SPACE}/answers"
    page = reader.open(address)
    check(reader, address)
    assert page.locator(".conflict").count() >= 20
    assert page.locator("#unknowns ~ ul li").count() > 0
    for _, line in ONE_LINE[::3]:
        address = f"{SPACE}/answers?term={quote(line)}"
        page = reader.open(address)
        check(reader, address)
        assert page.get_by_label("What does a name stand for?").input_value() == neutralise(line)
        title = page.locator("#answer-title").text_content()
        assert normalise(neutralise(line)) in title


def test_answers_of_the_memory_show_hostile_sources_as_texts(reader):
    for number, text in [*enumerate(HOSTILE_TEXTS)][::6]:
        page = reader.open(SPACE)
        page.get_by_label("Ask, or say what is true").fill(f"What says number {number}? {text}")
        page.get_by_role("button", name="Ask").click()
        page.get_by_role("heading", name="Answer", exact=True).wait_for()
        assert page.locator(".sources li").count() > 0
        check(reader, f"{number}")
