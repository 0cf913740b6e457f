"""Answers from documents say of when a document is, and what heads the row that they quote."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, served
from api.world import accepted

KNOWLEDGE = "/api/knowledge"
HEAD = "| Article | Part | Pieces on hand |"
ROWS = [f"| ZQ-{number} | hook | {number + 7} |" for number in range(100, 400)]
STOCK = "\n".join(
    ["---", "date: 2025-03-04", "---", "", "# Stock", "", HEAD, "|---|---|---|", *ROWS, ""]
)
DOOR = "# Türöffner TK-31\n\nDie Höhe prüft Jürgen täglich über Mittag.\n\n- Port: 8317\n"
GUESSED = "encoding guessed: cp1252"
PLAIN = "# Pumps\n\nThe pump HX-7 runs at 3 bar.\n"


@pytest.fixture(scope="module")
def owner():
    with served() as world:
        yield founded(world)


@pytest.fixture(scope="module")
def source(owner: Caller) -> int:
    body = {"source_type": "upload", "name": "stock", "config": {}}
    source = accepted(owner.post(f"{KNOWLEDGE}/sources", body))["id"]
    files = {
        "stock.md": STOCK.encode(),
        "pumps.md": PLAIN.encode(),
        "tür.md": DOOR.encode("cp1252"),
    }
    for name, raw in files.items():
        path = f"{KNOWLEDGE}/sources/{source}/files/{name}"
        accepted(owner.send("PUT", path, content=raw))
    return source


def search(owner: Caller, query: str) -> dict:
    found = accepted(owner.get(f"{KNOWLEDGE}/search", params={"q": query}))["results"]
    return found[0]


@pytest.mark.usefixtures("source")
def test_a_row_is_found_with_the_head_of_its_table_and_the_date_of_its_document(owner):
    document = search(owner, "ZQ-350")
    assert document["dated_at"].startswith("2025-03-04")
    [snippet] = [part for part in document["snippets"] if "ZQ-350" in part["text"]]
    assert HEAD in snippet["table_head"]
    assert "ZQ-350" in STOCK[snippet["start"] : snippet["end"]]


@pytest.mark.usefixtures("source")
def test_a_value_of_a_row_is_stated_with_its_head_and_date(owner):
    resolved = accepted(owner.post(f"{KNOWLEDGE}/resolve", {"term": "ZQ-350 pieces on hand"}))
    quote = resolved["values"][0]["evidence"]
    assert quote["dated_at"].startswith("2025-03-04")
    assert HEAD in quote["table_head"]


@pytest.mark.usefixtures("source")
def test_a_document_without_a_date_of_its_own_is_not_given_the_day_of_the_sync(owner):
    document = search(owner, "HX-7")
    assert "dated_at" not in document
    assert document["fetched_at"] is not None


@pytest.mark.usefixtures("source")
def test_what_was_guessed_of_an_encoding_is_said_beside_what_is_found_and_answered(owner):
    assert search(owner, "TK-31")["encoding_note"] == GUESSED
    assert "encoding_note" not in search(owner, "HX-7")
    resolved = accepted(owner.post(f"{KNOWLEDGE}/resolve", {"term": "TK-31 port"}))
    assert {quote["encoding_note"] for quote in resolved["evidence"]} == {GUESSED}
    who = {"agent_id": "a", "agent_name": "A"}
    turn = accepted(owner.post("turns", {"query": "What is the port of TK-31?", **who}))
    assert "8317" in turn["text"]
    assert GUESSED in turn["text"]
    asked = {"prompt": "What is the port of TK-31?", **who}
    reply = accepted(owner.post("memory", {**asked, "include_knowledge": True}))
    assert GUESSED in reply["result"]["response"]


def test_what_its_source_has_no_more_is_called_stale_wherever_it_is_told(owner):
    body = {"source_type": "upload", "name": "yard", "config": {}}
    place = f"{KNOWLEDGE}/sources/{accepted(owner.post(f'{KNOWLEDGE}/sources', body))['id']}/files"
    told = "# Capstan QV-9\n\nIt turns at 1450 rpm, day and night.\n\n- Port: 6021\n"
    accepted(owner.send("PUT", f"{place}/capstan.md", content=told.encode()))

    def tell() -> list[bool]:
        resolved = accepted(owner.post(f"{KNOWLEDGE}/resolve", {"term": "QV-9 port"}))
        quoted = [each.get("stale", False) for each in resolved["evidence"]]
        return [search(owner, "QV-9")["stale"], *quoted]

    assert not any(tell())
    owner.send("PUT", f"{place}/capstan.md", content=b"\x7fELF" + bytes(4000))
    assert len(tell()) > 1
    assert all(tell())
