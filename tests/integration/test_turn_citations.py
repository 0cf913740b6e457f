"""What an answer cites is numbered from 1 as it is read, and every file of the turn agrees."""

from __future__ import annotations

import json
import re

import pytest

from integration.fetch_servers import LOOPBACK
from integration.turn_world import ACCESS, FIND_SOME, READ_HAMSTERS, READ_THREAD, Person
from unit.turns.prompted_world import REFUSED, write_answer
from wellworn.application.bootstrap import open_app, opening
from wellworn.application.settings import Settings
from wellworn.domain.sources import NewSource
from wellworn.domain.turns.links import find_links
from wellworn.engines.fetch import FetchSettings
from wellworn.testing.chat_model import ScriptedModel
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

DOCUMENTS = {
    "kopia.md": "# Kopia\n\nBen Ode looks after the Kopia backups.\n",
    "kettle.md": "# Kettle\n\nThe port of the kettle is 8087.\n",
}
OWNER, PORT = "Who looks after the Kopia backups", "what is the port of the kettle"
TWO = [f"{OWNER}, and {PORT}?", f"What is the port of the kettle, and {OWNER.lower()}?"]
_CITATION = re.compile(r"(?:” |^)\[(\d+)\]", re.MULTILINE)
_LINK = re.compile(r"^- \[(\d+)\] (.+)$", re.MULTILINE)


@pytest.fixture
def people(tmp_path, site, monkeypatch):
    """Return a function that opens a space for somebody, with a model where one is passed."""
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text)
    apps = []

    def open_person(model=None):
        monkeypatch.setattr(opening, "open_chat_model", lambda _: model)
        home, clock = tmp_path / "home", ManualClock()
        settings = Settings(fetch=FetchSettings(private_networks=LOOPBACK))
        app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
        apps.append(app)
        source = app.guard.pool.shared.sources.create(
            ACCESS, NewSource("folder", "site", {"path": str(documents)})
        )
        app.syncs.request_sync(ACCESS, source.id)
        app.embedding.finish()
        return Person(app, home, site, clock)

    yield open_person
    for app in apps:
        app.close()


def check_citations(person, reply, *, pattern=_CITATION):
    """Return how many sources an answer has, which are counted as its reader meets them."""
    body, _, sources = reply.text.partition("\n\nSources:\n")
    met = list(dict.fromkeys(map(int, pattern.findall(body))))
    listed = [int(number) for number in re.findall(r"^\[(\d+)\]", sources, re.MULTILINE)]
    count = len(met)
    assert met == listed == [item.number for item in reply.evidence] == [*range(1, count + 1)]
    texts = {item.number: f"{item.title}\n{item.text}" for item in reply.evidence}
    assert all(claim.text in texts[claim.evidence] for claim in reply.claims)
    assert len({(item.source, item.text) for item in reply.evidence}) == count
    check_files(person, reply)
    return count


def check_files(person, reply):
    """See that the files lead from each number to the evidence, and have no other numbers."""
    own = f"{reply.turn.folder}/context.md"
    last = person.read_sections(reply)["5"]
    cited = {item.number: item.source for item in reply.evidence}
    lines = _LINK.findall(last.partition("**Citations:**")[2])
    assert {int(number) for number, _ in lines} == cited.keys()
    for number, line in lines:
        for link in find_links(own, line):
            [block] = [
                each
                for each in (person.vault / link.path).read_text("utf-8").splitlines()
                if each.endswith(f"^{link.block}")
            ]
            assert cited[int(number)] in block or "](" in block
    files = {
        path.name: path.read_text("utf-8")
        for path in (person.vault / reply.turn.folder).glob("*.md")
    }
    before = files.pop("context.md").partition("## 5. Synthesis")[0]
    for text in (before, *files.values()):
        assert not re.search(r"\[\d+\]", text), text


@pytest.mark.parametrize("question", TWO)
def test_of_two_goals_the_first_quote_has_the_first_number(people, question):
    person = people()
    assert check_citations(person, person.ask(question)) == 2


def test_what_a_second_search_found_is_counted_from_one(people, site):
    person = people()
    reply = person.ask(READ_THREAD)
    assert check_citations(person, reply) == 1
    assert "^evidence-" in person.read(reply, "toolresults.md")


def test_what_a_page_and_its_research_say_is_numbered_as_it_is_read(people, site):
    person = people()
    person.ask("My favourite hamster is Syrian.")
    person.ask(READ_HAMSTERS)
    person.clock.advance(hours=7)
    assert check_citations(person, person.ask(FIND_SOME))


def test_a_passage_that_serves_two_goals_is_one_source(people):
    person = people()
    reply = person.ask(f"{OWNER}, and who looks after Kopia?")
    assert check_citations(person, reply) == 1
    assert {claim.goal for claim in reply.claims} == {"GOAL_1", "GOAL_2"}


def cite_backwards(request):
    """Answer with all evidence of a prompt, the last first, and name the first one again."""
    if request.output_type.__name__ != "SynthesisOutput":
        return REFUSED
    blocks = re.findall(r"^\[(\d+)\] .+\n((?:  .*\n)+)", request.prompt, re.MULTILINE)
    said = [(body.strip().splitlines()[-1].strip(" .>"), int(number)) for number, body in blocks]
    said = [*reversed(said), said[-1]]
    text = " ".join(f"{sentence} [{number}]." for sentence, number in said)
    return write_answer(
        text, *((sentence, number, 1 + place % 2) for place, (sentence, number) in enumerate(said))
    )


def test_a_models_citations_are_counted_as_they_are_read(people):
    person = people(ScriptedModel(cite_backwards))
    reply = person.ask(TWO[0])
    assert "Made of quotes" not in reply.text
    count = check_citations(person, reply, pattern=re.compile(r"\[(\d+)\]"))
    assert count > 1
    assert "**Decision:** APPROVE" in person.read_sections(reply)["6"]


def test_a_member_reads_the_same_numbers_later(people):
    person = people()
    reply = person.ask(TWO[1])
    again = person.app.turns.read(ACCESS, reply.turn.id)
    assert (again.text, again.claims, again.evidence) == (reply.text, reply.claims, reply.evidence)


def test_an_answer_of_an_older_version_keeps_its_numbers(people):
    person = people()
    reply = person.ask(TWO[0])
    journal = person.vault / reply.turn.folder / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
    for line in lines:
        if line.get("phase") == "synthesis":
            line["output"].pop("cited")
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    again = person.app.turns.read(ACCESS, reply.turn.id)
    numbers = [claim.evidence for claim in again.claims]
    assert {item.number for item in again.evidence} == {*numbers}
    texts = {item.number: item.text for item in again.evidence}
    assert all(claim.text in texts[claim.evidence] for claim in again.claims)
