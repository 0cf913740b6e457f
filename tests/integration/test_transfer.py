"""Everything a memory holds leaves it and comes back the same."""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from integration.memory_parts import assemble, embed_all
from wellworn.application.transfer import Taken
from wellworn.domain.knowledge import Practice
from wellworn.domain.memory import Contribute, Prompt
from wellworn.domain.spaces import local_access
from wellworn.domain.thoughts import (
    FeedbackSignal,
    RetrievalMethod,
    SearchQuery,
    ThoughtDraft,
    ThoughtType,
)
from wellworn.engines.storage.sql import Database
from wellworn.errors import (
    IndexUnavailable,
    InvalidInput,
    MissingSources,
    ThoughtNotFound,
    WellwornError,
)
from wellworn.kit.ids import derive_id
from wellworn.testing.embedder import HashEmbedder
from wellworn.testing.vectors import ListVectorIndex

ME = local_access()
AGENTS = ("ann", "bob", "cy")
WORDS = ("rust", "tide", "cedar", "lantern", "quartz", "harbour", "violin", "pepper")


class Hours:
    """A clock that tests move."""

    def __init__(self):
        self.moment = 1_771_858_800.123456789

    def now(self):
        return self.moment


@pytest.fixture
def app(empty, tmp_path):
    with opened(empty, tmp_path / "memory.db") as app:
        yield app


@pytest.fixture
def other(empty, tmp_path):
    with opened(empty, tmp_path / "other.db") as app:
        yield app


@contextmanager
def opened(empty, path, clock=None):
    shutil.copyfile(empty, path)
    clock, embedder = clock or Hours(), HashEmbedder()
    database, index, chunks = Database(path), ListVectorIndex(), ListVectorIndex()
    yield assemble(database, index, chunks, embedder, clock, path.with_suffix(".turns"))
    database.close()


def exported(app):
    return [
        json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for record in app.transfer.export(ME)
    ]


def brought(app, lines, *, at_once=1_000):
    records = (json.loads(line) for line in lines)
    imported = 0
    while part := list(islice(records, at_once)):
        imported += app.transfer.import_records(ME, part).imported
    return imported


def say(text, agent="ann", **more):
    return Prompt(prompt=text, agent_id=agent, agent_name=agent.title(), **more)


def thought(content, **more):
    return {
        "record": "thought",
        "content": content,
        "contributor_id": "ann",
        "contributor_name": "Ann",
        **more,
    }


def think(app, content, agent="ann", **more):
    draft = ThoughtDraft(content, agent, agent.title(), **more)
    return app.thoughts.think(ME, draft).thought_id


def searched(app, text):
    search = SearchQuery(
        vector=app.embedder.encode_query(text).vector,
        text=text,
        agent_id="zoe",
        method=RetrievalMethod.HYBRID,
    )
    return [replace(to_microseconds(thought), seq=0) for thought in app.thoughts.search(ME, search)]


def to_microseconds(thought):
    """Return a thought with its times as exact as an export writes them."""
    links = {
        name: tuple(
            replace(link, created_at=round(link.created_at, 6)) for link in getattr(thought, name)
        )
        for name in ("replaces", "replaced_by")
    }
    return replace(thought, created_at=round(thought.created_at, 6), **links)


def trace(app, thought_id):
    return replace(to_microseconds(app.thoughts.get_record(ME, thought_id)), erased_at=None)


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
deeds = st.one_of(
    st.tuples(st.just("remember"), st.sampled_from(AGENTS), texts),
    st.tuples(st.just("ask"), st.sampled_from(AGENTS), texts),
    st.tuples(st.just("follow"), st.sampled_from(AGENTS), texts),
    st.tuples(st.just("build"), st.sampled_from(AGENTS), texts),
    st.tuples(st.just("judge"), st.sampled_from([*FeedbackSignal]), st.integers(0, 5)),
    st.tuples(st.just("erase"), st.sampled_from(AGENTS), st.integers(0, 5)),
    st.tuples(st.just("ingest"), st.sampled_from(AGENTS), texts),
    st.tuples(st.just("wait"), st.just(""), st.floats(0.001, 90_000)),
    st.tuples(st.just("settle"), st.just(""), st.just(0)),
)


class Life:
    """Agents at work through the real services."""

    def __init__(self, app, clock):
        self.app, self.clock = app, clock
        self.ids, self.erased, self.shown, self.sessions = [], set(), [], {}

    def live(self, deed, who, what):
        getattr(self, deed)(who, what)

    def remember(self, who, what):
        reply = self.app.memory.converse(
            ME, say(f"{what} #{what.split()[0]}", who, contribute=Contribute.ALWAYS)
        )
        self._note(reply, who)

    def ask(self, who, what):
        self._note(self.app.memory.converse(ME, say(f"{what}?", who)), who)

    def follow(self, who, what):
        session = self.sessions.get(who)
        self._note(self.app.memory.converse(ME, say(what, who, session_id=session)), who)

    def build(self, who, what):
        sources = tuple(known for known in self.ids[-3:] if known not in self.erased)
        kind = ThoughtType.CONSOLIDATION if sources else ThoughtType.ORIGINAL
        self.ids.append(
            think(self.app, what, who, source_ids=sources, thought_type=kind, tags=("built",))
        )

    def judge(self, signal, number):
        if self.shown:
            session, thought_id = self.shown[-1 - number % len(self.shown)]
            self.app.thoughts.add_feedback(
                ME, session_id=session, thought_id=thought_id, signal=signal
            )

    def erase(self, who, number):
        if self.ids:
            thought_id = self.ids[number % len(self.ids)]
            self.app.memory.forget(ME, thought_id, agent_id=who, reason="x")
            self.erased.add(thought_id)

    def ingest(self, who, what):
        self.app.knowledge.ingest(ME, Practice(what, domain=who))

    def wait(self, _, seconds):
        self.clock.moment += seconds

    def settle(self, _, __):
        self.app.thoughts.settle(ME)

    def _note(self, reply, who):
        self.sessions[who] = reply.trace.session_id
        if reply.trace.thought_id:
            self.ids.append(reply.trace.thought_id)
        for source in reply.result.sources:
            self.shown.append((reply.trace.session_id, source.thought_id))


@given(life=st.lists(deeds, min_size=5, max_size=30), at_once=st.sampled_from([1, 7, 1_000]))
@settings(max_examples=25)
def test_an_export_of_an_import_is_the_export_it_came_from(empty, tmp_path_factory, life, at_once):
    home, clock = tmp_path_factory.mktemp("memory"), Hours()
    with opened(empty, home / "old", clock) as old, opened(empty, home / "new", clock) as new:
        lived = Life(old, clock)
        for deed in life:
            lived.live(*deed)
        lines = exported(old)
        assert brought(new, lines, at_once=at_once) == len(lines)
        assert exported(new) == lines
        assert brought(new, lines, at_once=at_once) == 0
        assert exported(new) == lines
        embed_all(new)
        for word in WORDS[:3]:
            assert searched(new, word) == searched(old, word)
        for thought_id in lived.ids[:5]:
            assert trace(new, thought_id) == trace(old, thought_id)
        assert new.thoughts.list_highways(ME) == old.thoughts.list_highways(ME)


def a_day(app):
    """Live through one of everything that leaves a row."""
    life = Life(app, Hours())
    deploy = think(app, "the harbour deploy needs a violin token", "ann", tags=("Deploy",))
    tide = think(app, "tide tables are kept in quartz", "bob", tags=("Tide",))
    think(app, "the harbour deploy needs a violin token", "cy")
    life.ids.append(
        think(
            app,
            "deploy by the tide",
            "cy",
            source_ids=(deploy, tide),
            thought_type=ThoughtType.REFINEMENT,
        )
    )
    life.ask("bob", "harbour violin")
    life.ask("ann", "quartz tide tables")
    life.follow("ann", "the harbour violin")
    for text, thought_id in (("quartz tide tables", tide), ("the harbour violin", deploy)):
        life.follow("zoe", text)
        session = life.sessions["zoe"]
        app.thoughts.add_feedback(
            ME, session_id=session, thought_id=thought_id, signal=FeedbackSignal.USEFUL
        )
    secret = think(app, "lantern password is pepper", "bob", tags=("Secret",))
    app.memory.forget(ME, secret, agent_id="bob", reason="a secret")
    app.knowledge.ingest(ME, Practice("cedar is soft", domain="wood", file_path="wood/cedar.md"))
    return life


def test_what_earlier_versions_counted_of_uses_in_common_is_passed_over(app, other):
    a_day(app)
    lines = exported(app)
    one, two = (json.loads(line)["id"] for line in lines[:2])
    pair = {"record": "co_use", "thought_id": one, "other_id": two, "together": 1}
    assert brought(other, [*lines, json.dumps(pair)]) == len(lines)
    assert exported(other) == lines


def test_every_kind_of_record_travels(app, other):
    a_day(app)
    lines = exported(app)
    kinds = {json.loads(line)["record"] for line in lines}
    assert kinds == {
        "thought",
        "affirmation",
        "session",
        "trail",
        "trail_agent",
        "query",
        "use",
        "feedback",
        "erasure",
        "replacement",
        "practice",
    }
    brought(other, lines)
    assert exported(other) == lines
    assert other.knowledge.query(ME, "cedar") == app.knowledge.query(ME, "cedar")


def test_records_may_come_in_any_order_within_a_call(app, other):
    a_day(app)
    lines = exported(app)
    brought(other, lines[::-1])
    counts = [
        (one.thought_id, one.access_count) for one in app.thoughts.list_highways(ME, min_users=1)
    ]
    assert [
        (one.thought_id, one.access_count) for one in other.thoughts.list_highways(ME, min_users=1)
    ] == counts
    assert len(exported(other)) == len(lines)


def test_the_words_of_an_erased_thought_do_not_leave(app):
    a_day(app)
    assert "pepper" not in "\n".join(exported(app))


def test_what_was_forgotten_is_not_brought_back_by_an_old_export(app):
    thought_id = think(app, "lantern password is pepper")
    lines = exported(app)
    app.memory.forget(ME, thought_id, agent_id="ann")
    assert brought(app, lines) == 0
    assert not searched(app, "pepper")


def test_two_memories_that_said_the_same_can_be_joined(app, other):
    a_day(app)
    a_day(other)
    before = len(list(other.transfer.export(ME)))
    brought(other, exported(app))
    assert len(list(other.transfer.export(ME))) > before
    after = exported(other)
    assert brought(other, exported(app)) == 0
    assert exported(other) == after


def test_counts_add_up_when_both_memories_know_a_thought(app, other):
    record = thought("the tide is high", id="6f1f5f0e-6f0b-5b46-9a3e-3f7a3f0f9d11")
    for memory in (app, other):
        memory.transfer.import_records(ME, [record])
        memory.memory.converse(ME, say("the tide is high?", "bob"))
    brought(other, exported(app))
    found = other.thoughts.get_record(ME, record["id"])
    assert (found.access_count, found.accessed_by) == (2, ("bob",))


def test_a_thought_without_id_is_known_the_second_time(app):
    records = [thought("cedar"), thought("quartz", kind="turn", session="s", position=0)]
    assert app.transfer.import_records(ME, records) == Taken(2, 0)
    assert app.transfer.import_records(ME, records) == Taken(0, 2)


def test_the_same_words_within_one_call_are_stored_once(app):
    records = [thought("cedar"), thought(" cedar "), thought("cedar", contributor_id="bob")]
    assert app.transfer.import_records(ME, records) == Taken(1, 2)


def test_the_same_words_at_two_places_of_a_conversation_are_two_turns(app):
    turns = [thought("yes", kind="turn", session="s", position=place) for place in (0, 1)]
    assert app.transfer.import_records(ME, turns) == Taken(2, 0)


def test_a_turn_keeps_its_session_and_place(app):
    app.transfer.import_records(ME, [thought("yes", kind="turn", session="talk/3", position=7)])
    [record] = app.transfer.export(ME)
    assert (record["kind"], record["session"], record["position"]) == ("turn", "talk/3", 7)


def test_an_export_under_way_holds_no_transaction_and_ends_where_it_began(app):
    app.transfer.import_records(ME, [thought("first"), thought("second")])
    records = app.transfer.export(ME)
    taken = [next(records)]
    app.transfer.import_records(ME, [thought("meanwhile")])
    assert app.database.scrub()
    taken += records
    assert [record["content"] for record in taken] == ["first", "second"]


ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


def test_a_source_may_come_later_in_the_same_call(app):
    later = thought("because", id=TWO, thought_type="refinement", source_ids=[ONE])
    app.transfer.import_records(ME, [later, thought("first", id=ONE)])
    assert [one.thought_id for one in app.thoughts.get_provenance(ME, TWO).came_from] == [ONE]
    assert [record["id"] for record in app.transfer.export(ME)] == [ONE, TWO]


def test_a_source_may_have_come_in_an_earlier_call(app):
    app.transfer.import_records(ME, [thought("first", id=ONE)])
    app.transfer.import_records(ME, [thought("because", id=TWO, source_ids=[ONE])])
    assert [one.thought_id for one in app.thoughts.get_provenance(ME, TWO).came_from] == [ONE]


def test_a_source_known_under_another_id_is_found(app):
    known = think(app, "first")
    records = [thought("first", id=ONE), thought("because", id=TWO, source_ids=[ONE])]
    app.transfer.import_records(ME, records)
    assert [one.thought_id for one in app.thoughts.get_provenance(ME, TWO).came_from] == [known]


@pytest.mark.parametrize(
    ("records", "error", "message"),
    [
        ([thought("x"), thought("")], InvalidInput, "line 2: content is required"),
        ([thought("x" * 10_001)], InvalidInput, "line 1: content"),
        ([thought("a\x00b")], InvalidInput, "line 1: content must not contain NUL"),
        ([thought("a\ud800b")], InvalidInput, "line 1: content must not contain NUL"),
        ([thought("x", contributor_id=" ")], InvalidInput, "line 1: contributor_id"),
        ([thought("x", position=-1)], InvalidInput, "line 1: position"),
        ([thought("x", position="1")], InvalidInput, "line 1: position"),
        ([thought("x", id="seven")], InvalidInput, "line 1: id must be a UUID"),
        ([thought("x", created_at="yesterday")], InvalidInput, "line 1: created_at must be an ISO"),
        ([thought("x", kind="song")], InvalidInput, "line 1: kind"),
        ([thought("x", tags=["t" * 101])], InvalidInput, "line 1: tags.0"),
        ([thought("x", tags=[str(n) for n in range(21)])], InvalidInput, "line 1: tags"),
        ([thought("x", colour="blue")], InvalidInput, "line 1: has a field that is not known"),
        ([{"record": "wish"}], InvalidInput, "line 1: record must be one of"),
        ([{}], InvalidInput, "line 1: record must be one of"),
        (["text"], InvalidInput, "line 1: "),
        ([{"record": "session", "id": ONE}], InvalidInput, "line 1: agent_id is required"),
        ([thought("x", thought_type="refinement")], MissingSources, "line 1: source_ids"),
        ([thought("x", source_ids=[TWO])], ThoughtNotFound, "line 1: a source_id names no"),
        ([thought("x", id=ONE, source_ids=[ONE])], InvalidInput, "line 1: source_ids must not"),
        (
            [thought("x", id=ONE, source_ids=[TWO]), thought("y", id=TWO, source_ids=[ONE])],
            InvalidInput,
            "source_ids must not form a circle",
        ),
        ([thought("x", erased_at="2026-01-01T00:00:00Z")], InvalidInput, "line 1: an erased"),
    ],
)
def test_a_wrong_record_is_refused_by_line_and_field(app, records, error, message):
    with pytest.raises(error) as refused:
        app.transfer.import_records(ME, [thought("a good one"), *records])
    numbered = message.replace("line 2", "line 3").replace("line 1", "line 2")
    assert numbered in refused.value.message
    assert not exported(app)


@pytest.mark.parametrize("secret", ["seventeen", "blue-moon"])
def test_a_refusal_does_not_repeat_what_was_sent(app, secret):
    for wrong in (
        thought("x", id=secret),
        thought("x", created_at=secret),
        thought("x", kind=secret),
        {**thought("x"), secret: 1},
        {"record": secret},
    ):
        with pytest.raises(InvalidInput) as refused:
            app.transfer.import_records(ME, [wrong])
        assert secret not in refused.value.message


class Broken:
    """Stands before a part and fails when one method is called."""

    def __init__(self, part, method, error):
        self._part, self._method, self._error = part, method, error

    def __getattr__(self, name):
        if name == self._method:
            raise self._error
        return getattr(self._part, name)


def test_a_batch_that_fails_leaves_nothing_and_can_be_sent_again(app, monkeypatch):
    a_batch = [thought(word) for word in WORDS]
    writer, error = app.thoughts.writer, IndexUnavailable("gone")
    with monkeypatch.context() as broken:
        broken.setattr(writer, "_index", Broken(writer._index, "upsert", error))
        with pytest.raises(WellwornError):
            app.transfer.import_records(ME, a_batch)
    assert not exported(app)
    assert not len(app.index.ids())
    assert app.transfer.import_records(ME, a_batch) == Taken(len(WORDS), 0)


def test_what_is_known_is_not_prepared_again(app):
    records = [thought(word) for word in WORDS]
    app.transfer.import_records(ME, records)
    app.transfer._writer = Broken(app.thoughts.writer, "prepare_words", AssertionError("prepared"))
    assert app.transfer.import_records(ME, records).imported == 0


def test_an_export_shows_one_moment(app):
    for word in WORDS:
        think(app, word)
    records = app.transfer.export(ME)
    first = next(records)
    think(app, "came later")
    contents = [first["content"], *(record["content"] for record in records)]
    assert contents == list(WORDS)


def test_more_thoughts_than_one_page_keep_their_sources(app, other):
    batch = [thought(f"thought number {number}") for number in range(1_200)]
    app.transfer.import_records(ME, batch)
    ids = [record["id"] for record in app.transfer.export(ME)]
    more = [thought(f"more {n}", source_ids=[ids[n], ids[-1]]) for n in range(0, 1_200, 100)]
    app.transfer.import_records(ME, more)
    lines = exported(app)
    brought(other, lines)
    assert exported(other) == lines


def test_a_trail_that_was_worn_here_keeps_its_weight(app, other):
    record = thought("the tide is high", id=ONE)
    for memory, times in ((app, 1), (other, 3)):
        memory.transfer.import_records(ME, [record])
        for _ in range(times):
            memory.memory.converse(ME, say("the tide is high?", "bob"))
    before = other.thoughts.get_record(ME, ONE).pheromone_weight
    brought(other, exported(app))
    assert other.thoughts.get_record(ME, ONE).pheromone_weight == before


def test_what_is_known_by_another_id_is_found_by_it_in_later_batches(app):
    ours, theirs, refined = (derive_id(name) for name in ("ours", "theirs", "refined"))
    app.transfer.import_records(ME, [{**thought("tea"), "id": ours}])
    again = app.transfer.import_records(ME, [{**thought("tea"), "id": theirs}])
    assert again == Taken(0, 1)
    built = {**thought("tea is hot"), "id": refined, "thought_type": "refinement"}
    assert app.transfer.import_records(ME, [{**built, "source_ids": [theirs]}]) == Taken(1, 0)
    assert app.thoughts.get_record(ME, refined).source_ids == (ours,)
