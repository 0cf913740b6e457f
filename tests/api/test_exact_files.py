"""What files say, exactly, as it comes out of search, resolve, ask and the list of documents."""

from __future__ import annotations

import pytest

from api.walls import Caller, founded, served
from api.world import accepted

KNOWLEDGE = "/api/knowledge"
FILES = {
    "heat.html": "<h1>Heat</h1><p>The furnace gives 3&times;10<sup>6</sup> W.</p>"
    "<p>The lease ends in 2031<sup>4</sup> for plot 12.</p>",
    "fees.html": "<h1>Fees</h1><p>The fee is <del>80</del> <ins>65</ins> euro.</p>"
    "<p>Gate port: <s>8081</s> 9091.</p>",
    "wing.html": "<h1>Wing</h1><table><caption>Pumps of the east wing (CT-52)</caption>"
    "<tr><th>Pump</th><th>Bar</th></tr><tr><td>P-1</td><td>5</td></tr></table>",
    "old.md": "# Old gate\n\n- IP: ~~10.9.8.7~~ 10.9.8.8\n",
    "relays.md": "# Relays\n\n| Host | Owner | Mode |\n| --- | --- | --- |\n"
    "| alpha-1 | Ana\\|Ben | r\\|w |\n| beta-2 | Cy | r |\n",
}
GUESSED = "Насос номер 17 стоит в подвале. Ключ у Марины Орловой.".encode("cp1251")


@pytest.fixture(scope="module")
def owner():
    with served() as world:
        owner = founded(world)
        body = {"source_type": "upload", "name": "plant", "config": {}}
        source = accepted(owner.post(f"{KNOWLEDGE}/sources", body))["id"]
        for name, text in {**FILES, "pump.txt": GUESSED}.items():
            raw = text if isinstance(text, bytes) else text.encode()
            where = f"{KNOWLEDGE}/sources/{source}/files/{name}"
            accepted(owner.send("PUT", where, content=raw))
        run = accepted(owner.post(f"{KNOWLEDGE}/sources/{source}/sync"))
        assert run["status"] == "success"
        yield owner


def look(caller: Caller, what: str, **asked):
    return accepted(caller.get(f"{KNOWLEDGE}/{what}", params=asked))


def ask(owner, query):
    body = {"query": query, "agent_id": "ada"}
    return accepted(owner.post("/api/v1/turns", body))["text"]


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("When does the lease end?", "The lease ends in 2031[^4] for plot 12."),
        ("How much does the furnace give?", "The furnace gives 3×10^6 W."),
        ("What is the fee?", "The fee is ~~80~~ 65 euro."),
    ],
)
def test_an_answer_quotes_no_value_that_another_mark_made(owner, query, line):
    assert line in ask(owner, query).partition("Sources:")[0]


@pytest.mark.parametrize(
    ("query", "value"),
    [("What is the owner of alpha-1?", "Ana|Ben"), ("What is the mode of alpha-1?", "r|w")],
)
def test_an_answer_is_the_whole_cell_that_was_asked_for(owner, query, value):
    assert ask(owner, query).startswith(f"{value} [1]")


def test_what_is_struck_out_is_no_value(owner):
    [value] = look(owner, "resolve", term="old gate")["values"]
    assert value["value"] == "10.9.8.8"
    assert value["evidence"]["text"] == "IP: ~~10.9.8.7~~ 10.9.8.8"
    resolved = look(owner, "resolve", term="gate port")
    assert "8081" not in str([value["value"] for value in resolved["values"]])
    assert [each["text"] for each in resolved["evidence"]] == ["Gate port: ~~8081~~ 9091."]


def test_a_caption_is_found_to_the_letter(owner):
    [found] = look(owner, "search", q="CT-52")["results"]
    assert found["path"] == "wing.html"
    assert found["snippets"][0]["exact"]


def test_a_guess_is_one_of_the_documents_flags(owner):
    by_path = {each["path"]: each for each in look(owner, "documents")["documents"]}
    assert by_path["pump.txt"]["metadata"]["flags"] == ["encoding guessed: cp1251"]
    [found] = look(owner, "search", q="Насос Марины")["results"][:1]
    assert found["path"] == "pump.txt"
