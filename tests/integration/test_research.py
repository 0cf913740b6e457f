"""Research: what turns read on the web, found again, read anew, replaced and proven by use."""

from __future__ import annotations

import json

import pytest

from integration.fetch_servers import LOOPBACK, RawServer, answer
from integration.turn_world import (
    ACCESS,
    HAMSTERS,
    READ_HAMSTERS,
    READ_LAPTOP,
    READ_THREAD,
    Person,
)
from wellworn.application.bootstrap import open_app
from wellworn.application.settings import Settings
from wellworn.domain.turns import (
    Claim,
    RecordedEntry,
    RecordedSource,
    TurnQuery,
    TurnSettings,
)
from wellworn.domain.turns.daily_metrics import count_turn
from wellworn.domain.turns.folder_vault import FolderVault
from wellworn.domain.turns.links import find_links
from wellworn.domain.turns.research import ResearchScope
from wellworn.engines.fetch import FetchSettings
from wellworn.testing.clock import ManualClock
from wellworn.testing.embedder import HashEmbedder

HOUR = 3_600
COSTS = "What do hamsters cost?"
CARE = "How do Syrian hamsters live?"
FILE = "research.md"


def list_research(person):
    library = person.app.guard.pool.shared.turns.library
    documents = library.list_documents(ACCESS, person.name, topic=None, limit=50)
    return {each.turn_number: (each, library.find_state(each)) for each in documents}


def describe(person):
    """Return number, state, scope and uses of a person's research documents."""
    return [
        (number, state.value, each.scope.value, each.uses)
        for number, (each, state) in list_research(person).items()
    ]


def list_dead_links(person):
    return [
        (str(path.relative_to(person.vault)), link.path)
        for path in person.vault.rglob("*.md")
        for link in find_links(str(path.relative_to(person.vault)), path.read_text("utf-8"))
        if not (person.vault / link.path).exists()
    ]


def test_what_a_turn_read_is_a_document_that_its_context_links_to(person):
    reply = person.ask(READ_HAMSTERS)
    research = person.read(reply, FILE)
    assert "- Syrian hamsters live alone and need a wheel. [S1] ^fact-001" in research
    assert "| Syrian Hamster | $25-$35 | 127.0.0.1 | Yes | http://127.0.0.1" in research
    assert 'topic: "hamsters"\nintent: navigation\ncontent_types: [research, pricing]' in research
    assert "[research](research.md)" in person.read_sections(reply)["4"]
    data = json.loads(person.read(reply, "research.json"))
    assert [(each["product"], each["price"]) for each in data["listings"]] == [
        ("Syrian Hamster", "$25-$35")
    ]
    assert (data["intent"], data["quality"]) == ("navigation", 0.75)
    assert f"**Expires:** {data['expires_at']} (time-sensitive data)" in research
    assert list_dead_links(person) == []


def test_a_turn_that_reads_no_page_leaves_none(person):
    reply = person.ask("My favourite hamster is Syrian.")
    assert not (person.vault / reply.turn.folder / FILE).exists()
    assert describe(person) == []


def test_a_later_turn_finds_it_and_is_named_in_it(person, site):
    made = person.ask(READ_HAMSTERS)
    reply = person.ask(COSTS)
    assert "**Topic:** hamsters\n**Quality Score:** 0.75" in person.read_sections(reply)["2"]
    assert any("$25" in claim.text for claim in reply.claims)
    assert site.visits["/hamsters"] == 1
    assert "/context.md] §2 Gathered Context" not in person.read(made, FILE)
    assert "[turn_000002/context.md](../turn_000002/context.md)" in person.read(made, FILE)
    assert describe(person) == [(1, "active", "new", 1)]
    note = (person.vault / "research_cache/index.md").read_text()
    assert "[[turns/turn_000001/research|research_1_" in note
    assert list_dead_links(person) == []


def test_stale_listings_are_read_again_and_the_new_document_replaces_the_old(person, site):
    old = person.ask(READ_HAMSTERS)
    person.clock.advance(7 * HOUR)
    site.bodies["/hamsters"] = HAMSTERS.format(price="$44")
    assert describe(person) == [(1, "stale", "new", 0)]
    reply = person.ask(COSTS)
    assert [claim.text for claim in reply.claims] == ["$44"]
    assert describe(person) == [(2, "active", "new", 0), (1, "superseded", "new", 1)]
    assert "superseded_by: research_2_" in person.read(old, FILE)
    again = person.ask(COSTS)
    assert [claim.text for claim in again.claims] == ["$44"]
    assert "$25" not in person.read_sections(again)["2"]
    assert site.visits["/hamsters"] == 2


def test_a_stale_listing_that_cannot_be_read_again_is_told_with_a_warning(person, site):
    person.ask(READ_HAMSTERS)
    person.clock.advance(7 * HOUR)
    del site.bodies["/hamsters"]
    reply = person.ask(COSTS)
    assert "(may have changed)" in reply.text


def test_facts_outlive_the_listings_that_expired(person):
    made = person.ask(READ_HAMSTERS)
    person.clock.advance(200 * HOUR)
    # What is left is the document alone, as after the captures were removed to save room.
    for path in (person.vault / made.turn.folder / "webpage_cache").rglob("*.*"):
        path.unlink()
    assert describe(person) == [(1, "expired", "new", 0)]
    reply = person.ask(CARE)
    [claim] = reply.claims
    assert claim.text.startswith("Syrian hamsters live alone and need a wheel.")
    assert "$25" not in person.read_sections(reply)["2"]


def test_what_people_wrote_into_it_is_found(person):
    made = person.ask(READ_HAMSTERS)
    path = person.vault / made.turn.folder / FILE
    edited = path.read_text().replace(
        "### General Facts\n", "### General Facts\n- Hamsters store seeds in their cheeks.\n"
    )
    path.write_text(edited)
    reply = person.ask("Where do hamsters store seeds?")
    assert [claim.text for claim in reply.claims] == ["Hamsters store seeds in their cheeks."]
    assert reply.evidence[0].source == f"{made.turn.folder}/{FILE}"


# ----------------------------------------------------------- proven by use


def test_research_that_answers_is_promoted_by_use_and_age(person):
    person.ask(READ_HAMSTERS)
    for _ in range(2):
        person.ask(CARE)
    assert describe(person) == [(1, "active", "new", 2)]
    person.clock.advance(HOUR)
    person.ask(CARE)
    assert describe(person) == [(1, "active", "user", 3)]


def make_proven(person):
    """Read a page in ten turns of a day, which its answers cite."""
    for _ in range(9):
        person.ask(READ_HAMSTERS)
        person.clock.advance(3 * HOUR)
    for _ in range(12):
        person.ask(CARE)


def test_what_nobody_else_read_stays_its_users_own(person):
    make_proven(person)
    person.clock.advance(25 * HOUR)
    person.ask(CARE)
    friend = person.befriend("bob")
    reply = friend.ask(CARE)
    assert {each[0].scope for each in list_research(person).values()} <= {
        ResearchScope.NEW,
        ResearchScope.USER,
    }
    assert not reply.claims


def test_what_others_read_too_is_found_by_everybody(person):
    friend = person.befriend("bob")
    for _ in range(4):
        friend.ask(READ_HAMSTERS)
    make_proven(person)
    person.clock.advance(25 * HOUR)
    person.ask(CARE)
    assert ResearchScope.GLOBAL in {each.scope for each, _ in list_research(person).values()}
    stranger = person.befriend("eve")
    reply = stranger.ask(CARE)
    [claim] = reply.claims
    assert claim.text.startswith("Syrian hamsters live alone and need a wheel.")
    assert "henry" not in stranger.read(reply)
    assert list_dead_links(stranger) == []


def test_what_an_agent_tells_of_a_page_is_its_own_and_makes_no_site_reliable(person, site):
    friend = person.befriend("bob")
    friend.ask(READ_HAMSTERS)
    lie = "Syrian hamsters live in groups of twenty."
    url = site.url("/hamsters")
    entry = RecordedEntry("Read.", "visit", (), (RecordedSource(lie, url),))
    for _ in range(6):
        turn = person.app.turns.open(ACCESS, TurnQuery(CARE, person.name, "Henry", engine="own"))
        person.app.turns.append(ACCESS, turn.id, [entry])
        person.app.turns.close(ACCESS, turn.id, lie, [Claim(lie, 1)])
    assert list_sites(person) == {}
    for _ in range(11):
        person.clock.advance(3 * HOUR)
        person.ask(CARE)
    assert ResearchScope.GLOBAL not in {each.scope for each, _ in list_research(person).values()}
    assert not person.befriend("eve").ask(CARE).claims


# ----------------------------------------------------------- indexes and ends


def test_the_index_is_made_anew_from_the_files(person):
    person.ask(READ_HAMSTERS)
    person.ask(CARE)
    person.ask(READ_THREAD)
    before, sites = list_research(person), list_sites(person)
    person.app.turns.rebuild_index(ACCESS)
    assert (list_research(person), list_sites(person)) == (before, sites)


def list_sites(person):
    return person.app.guard.pool.shared.turns.library.list_sites(ACCESS, person.name)


def test_how_reliable_a_site_is_shows_in_how_its_visits_went(person, site):
    person.ask(READ_HAMSTERS)
    assert list_sites(person)["127.0.0.1"][:3] == (1, 0, 1)
    del site.bodies["/laptop"]
    person.ask(READ_LAPTOP)
    record = list_sites(person)["127.0.0.1"]
    assert record[:3] == (2, 1, 1)
    assert record.reliability == 0.5


def test_a_turn_that_is_deleted_takes_its_research_with_it(person):
    made = person.ask(READ_HAMSTERS)
    person.app.turns.remove(ACCESS, made.turn.id)
    assert describe(person) == []
    assert list_sites(person) == {}
    reply = person.ask(CARE)
    assert not reply.claims


def test_what_a_deleted_turn_replaced_and_used_is_as_before(person, site):
    old = person.ask(READ_HAMSTERS)
    person.clock.advance(7 * HOUR)
    site.bodies["/hamsters"] = HAMSTERS.format(price="$44")
    reply = person.ask(COSTS)
    assert describe(person) == [(2, "active", "new", 0), (1, "superseded", "new", 1)]
    person.app.turns.remove(ACCESS, reply.turn.id)
    assert describe(person) == [(1, "stale", "new", 0)]
    text = person.read(old, FILE)
    assert "superseded" not in text
    assert "turn_000002" not in text
    assert "## Linked From\n- [turn_000001/context.md]" in text


def test_what_is_known_of_a_site_is_a_file_that_goes_with_its_last_visit(person, site):
    made = person.ask(READ_THREAD)
    path = person.vault / "site_knowledge/127.0.0.1.json"
    known = json.loads(path.read_text())
    assert (known["visits"], known["page_types"]) == (1, ["thread"])
    assert {"comment_count", "pagination", "author"} <= set(known["fields"])
    del site.bodies["/laptop"]
    failed = person.ask(READ_LAPTOP)
    known = json.loads(path.read_text())
    assert (known["visits"], known["failures"], len(known["unread"])) == (2, 1, 1)
    person.app.turns.remove(ACCESS, failed.turn.id)
    assert json.loads(path.read_text())["failures"] == 0
    person.app.turns.remove(ACCESS, made.turn.id)
    assert not path.exists()


def test_each_turn_is_counted_once_in_the_metrics_of_its_day(person):
    person.ask(READ_HAMSTERS)
    reply = person.ask("What does the zebra eat?")
    [path] = (person.vault / "observability/daily").iterdir()
    day = json.loads(path.read_text())
    assert (path.name, day["turns"], day["done"]) == ("2026-02-23.json", 2, 1)
    assert (day["turn_numbers"], day["retries"]) == ([1, 2], 1)
    metrics = json.loads(person.read(reply, "metrics.json"))
    count_turn(FolderVault(person.vault), reply.turn, metrics)
    assert json.loads(path.read_text()) == day
    person.clock.advance(24 * HOUR)
    person.ask(CARE)
    names = {each.name for each in (person.vault / "observability/daily").iterdir()}
    assert names == {"2026-02-23.json", "2026-02-24.json"}


# ----------------------------------------------------------- a search engine


class SearchEngine:
    """A search engine on loopback that answers as SearXNG does."""

    def __init__(self) -> None:
        self.results: list[str] = []
        self.body: bytes | None = None
        self._server = RawServer(self._answer)
        self.url = self._server.url("/search?q={query}&format=json")
        self.close = self._server.close

    @property
    def asked(self):
        return [request.path for request in self._server.asked]

    def _answer(self, _request, send) -> None:
        found = {"results": [{"url": url, "title": "x", "content": "y"} for url in self.results]}
        body = json.dumps(found).encode() if self.body is None else self.body
        send(answer(body=body, content_type="application/json"))


@pytest.fixture
def engine():
    engine = SearchEngine()
    yield engine
    engine.close()


@pytest.fixture
def researcher(tmp_path, site, engine):
    clock, home = ManualClock(), tmp_path / "home"
    settings = Settings(
        fetch=FetchSettings(private_networks=LOOPBACK),
        turns=TurnSettings(search_url=engine.url, search_pages=2),
    )
    app = open_app(home, settings, embedder=HashEmbedder(), clock=clock)
    yield Person(app, home, site, clock)
    app.close()


def test_research_reads_what_a_search_engine_names(researcher, site, engine):
    engine.results = [site.url("/hamsters"), site.url("/thread"), site.url("/laptop")]
    reply = researcher.ask("How do Syrian hamsters live?")
    [claim] = reply.claims
    assert claim.text.startswith("Syrian hamsters live alone and need a wheel.")
    assert "q=How+do+Syrian+hamsters+live%3F&" in engine.asked[0]
    assert set(site.visits) == {"/hamsters", "/thread"}
    assert "Read 2 of 2 pages" in researcher.read_sections(reply)["4"]
    assert "Syrian hamsters live alone" in researcher.read(reply, FILE)
    again = researcher.ask("How do the Syrian hamsters live?")
    assert again.claims
    assert len(engine.asked) == 1


def test_a_page_that_cannot_be_read_is_told_and_the_others_are_read(researcher, site, engine):
    engine.results = [site.url("/gone"), site.url("/hamsters")]
    reply = researcher.ask("How do Syrian hamsters live?")
    assert reply.claims
    assert "Read 1 of 2 pages; http://127.0.0.1" in researcher.read_sections(reply)["4"]
    assert list_sites(researcher)["127.0.0.1"][:3] == (2, 1, 1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "the search engine's answer is no JSON with results"),
        (b"[]", "the search engine's answer is no JSON with results"),
        (b'{"results": []}', "the search engine found nothing"),
        (b'{"results": [{"url": "file:///etc/passwd"}, {}]}', "the search engine found nothing"),
    ],
)
def test_an_engine_that_answers_with_something_else_is_a_result(researcher, engine, body, message):
    engine.body = body
    reply = researcher.ask("How do Syrian hamsters live?")
    assert researcher.read(reply).count(f"FAILED: {message}") == 1
    assert f"A tool failed: {message}." in reply.text


def test_an_engine_that_is_down_is_a_result(researcher, engine):
    engine.close()
    reply = researcher.ask("How do Syrian hamsters live?")
    assert researcher.read(reply).count("FAILED: the search engine did not answer") == 1
    assert "A tool failed: the search engine did not answer" in reply.text
