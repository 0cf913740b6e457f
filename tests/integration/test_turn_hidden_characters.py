"""No file of a turn holds characters that command a terminal or turn the direction of writing."""

from __future__ import annotations

import re

from integration.turn_world import ACCESS
from wellworn.domain.thoughts import ThoughtDraft
from wellworn.domain.turns import Claim, RecordedEntry, RecordedSource, TurnQuery

ESCAPE = "\x1b]0;owned\x07\x1b[31mred\x1b[0m"
BIDI = "\u202egnp.exe\u2066"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
PAGE = (
    f"<p>Posted by u/Aqua{BIDI}Bob</p><p>The scraper {ESCAPE} is good. {BIDI}</p>"
    "<table><tr><th>Product</th><th>Price</th></tr>"
    f"<tr><td>Scraper {ESCAPE}{BIDI}</td><td>$3.00</td></tr></table>"
)


def test_what_pages_agents_and_askers_hide_is_not_raw_in_any_file(person, site):
    site.bodies["/thread"] = PAGE
    site.titles["/thread"] = f"Glass {ESCAPE}scraper {BIDI}"
    person.app.think(ACCESS, ThoughtDraft(f"The pier {BIDI} lamp {ESCAPE} is on.", "ann", "Ann"))
    person.ask("What does {site}/thread say about glass scrapers?")
    person.ask(f"Is the pier {ESCAPE} lamp on {BIDI}?")
    turns = person.app.turns
    words = f"50 {ESCAPE} Hz {BIDI}"
    opened = turns.open(ACCESS, TurnQuery(f"Rate? {words}", "henry", "Henry", engine=words))
    source = RecordedSource(words, f"notes/{words}", words)
    turns.append(ACCESS, opened.id, [RecordedEntry(words, words, (("a", words),), (source,))])
    turns.append(ACCESS, opened.id, [RecordedEntry(words)])
    turns.close(ACCESS, opened.id, words, [Claim(words, 1)])
    person.app.turns.archive(ACCESS, agent_id="henry", before=person.clock.now() + 1)
    texts = {path: path.read_bytes() for path in person.home.rglob("users/**/*") if path.is_file()}
    assert len(texts) > 20
    raw = {
        str(path): HIDDEN.findall(text.decode("utf-8", "replace"))
        for path, text in texts.items()
        if path.suffix != ".png"
    }
    assert {path: found for path, found in raw.items() if found} == {}
    assert any(b"red" in text for text in texts.values())
